/**
 * The doors of `neo watch`: opened beside the daemon once it has looked, over the hub of its own mind. Invariant 1: all
 * of it loads and opens when the daemon has looked, so that it is ready as soon as without doors. Invariant 2: the
 * daemon acts on what it saw once clients can reach it: a burst of new files does not hold that up. Invariant 3: only a
 * terminal is told a code that signs in: logs are read by others, and later.
 */
import type { Door } from '../../servers/open-servers.ts'
import type { Context } from '../../engine/context.ts'
import type { DaemonOptions } from '../../engine/daemon.ts'
import type { Health } from '../../engine/health.ts'
import type { Orchestrator } from '../../engine/agents/orchestrator.ts'
import type { Call } from '../spec.ts'
import { lateMind } from './late-mind.ts'

export interface WatchDoors extends Required<Pick<DaemonOptions, 'openOrchestrator' | 'serve'>> {
  /** To be called when the daemon has looked once. */
  ready(): void
}

export function openDoors(call: Call): WatchDoors {
  const looked = openSignal()
  let health: Health | null = null
  let shut: () => Promise<void> = async () => {}

  /** Bus and doors are opened with the mind, whose hub they reach. */
  async function load(context: Context, wake: () => void): Promise<Orchestrator> {
    const [{ openMind }, { peopleOver }, { openBesideDaemon }, { readsIn }] = await Promise.all([
      import('../../compose-orchestrator.ts'),
      import('../chat/chat-people.ts'),
      import('../../servers/beside-daemon.ts'),
      import('./daemon-reads.ts'),
    ])
    const mind = openMind(context, wake)
    const { hub, clients } = mind
    const people = peopleOver({ context, wake, hub })
    if (health === null) return people.listening(mind)
    const opened = (door: Pick<Door, 'url' | 'link'>) => sayWhereToLook(call, door)
    const { version } = call.around
    const first = openSignal()
    const reads = readsIn(context)
    const shutDoors = openBesideDaemon({
      context,
      health,
      hub: clients,
      reads,
      version,
      ready: looked.given,
      opened,
      tried: first.give,
    })
    const leave = people.open(health)
    shut = async () => void (await Promise.all([leave(), shutDoors()]))
    await first.given
    return people.listening(mind)
  }

  return {
    ready: looked.give,
    openOrchestrator: (context, wake) => lateMind(() => load(context, wake)),
    serve(_context, of) {
      health = of
      return () => shut()
    },
  }
}

function openSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
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
