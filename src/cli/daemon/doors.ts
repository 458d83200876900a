/**
 * The servers of `neo watch`, in front of the hub. Invariant 1: they load after the daemon's first look, so that they
 * don't delay it. Invariant 2: the daemon acts only when clients can connect: many new files don't delay the servers.
 * Invariant 3: a sign-in link is printed on a terminal only, because others may read a log file.
 */
import type { Door } from '../../servers/open-servers.ts'
import type { Context } from '../../engine/context.ts'
import type { DaemonOptions } from '../../engine/daemon.ts'
import type { Health } from '../../engine/health.ts'
import type { Orchestrator } from '../../engine/agents/orchestrator.ts'
import type { Call } from '../spec.ts'
import { lateMind } from './late-mind.ts'

export interface WatchDoors extends Required<Pick<DaemonOptions, 'openOrchestrator' | 'serve'>> {
  /** Call it after the daemon's first look. */
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
    const opened = (door: Pick<Door, 'url' | 'link'>) => printAddress(call, door)
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

function printAddress({ out, around }: Call, { url, link }: Pick<Door, 'url' | 'link'>): void {
  if (out.mode === 'json') {
    out.event({ schemaVersion: 1, kind: 'event', data: { kind: 'page', text: url } })
    return
  }
  const text = around.stdout.isTTY
    ? `Page: ${link()} (works once, within ten minutes)`
    : `Page: ${url} (sign in with neo open)`
  out.note({ text, style: 'dim' })
}
