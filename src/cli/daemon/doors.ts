/**
 * The doors of `neo watch`: opened beside the daemon once it has looked, over the hub of its own mind.
 * Takes a call; gives what the daemon is started with. Leaves to doors/: everything that they do.
 * Invariant 1: only a terminal is told a code that signs in: logs are read by others, and later.
 */
import { openBesideDaemon } from '../../doors/beside-daemon.ts'
import type { Door } from '../../doors/open.ts'
import type { DaemonOptions } from '../../flow/daemon.ts'
import type { Hub } from '../../hub/hub.ts'
import { openMind } from '../../mind.ts'
import { type People, peopleOver } from '../chat/people.ts'
import type { Call } from '../spec.ts'

export interface WatchDoors extends Required<Pick<DaemonOptions, 'mind' | 'serve'>> {
  /** To be called when the daemon has looked once. */
  ready(): void
}

export function openDoors(call: Call): WatchDoors {
  let hub: Hub | null = null
  let people: People | null = null
  let ready = (): void => {}
  const looked = new Promise<void>((resolve) => {
    ready = resolve
  })
  return {
    ready: () => ready(),
    mind(context, wake) {
      const mind = openMind(context, wake)
      hub = mind.hub
      people = peopleOver({ context, wake, hub })
      return people.listening(mind)
    },
    serve(context, health) {
      if (hub === null) return async () => {}
      const opened = (door: Pick<Door, 'url' | 'link'>) => sayWhereToLook(call, door)
      const { version } = call.around
      const shut = openBesideDaemon({ context, health, hub, version, ready: looked, opened })
      const leave = people?.open(health)
      return async () => void (await Promise.all([leave?.(), shut()]))
    },
  }
}

function sayWhereToLook({ out, around }: Call, { url, link }: Pick<Door, 'url' | 'link'>): void {
  if (out.mode === 'json') {
    out.event({ schemaVersion: 1, kind: 'event', data: { kind: 'page', text: url } })
    return
  }
  const text = around.stdout.isTTY
    ? `Page: ${link()} (good once, for ten minutes)`
    : `Page: ${url}; neo open signs in.`
  out.note({ text, style: 'dim' })
}
