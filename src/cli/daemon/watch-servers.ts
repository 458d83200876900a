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
import { lazyOrchestrator } from './lazy-orchestrator.ts'

export interface WatchServers extends Required<Pick<DaemonOptions, 'openOrchestrator' | 'serve'>> {
  /** Call it after the daemon's first look. */
  ready(): void
}

export function openWatchServers(call: Call): WatchServers {
  const looked = openLatch()
  let health: Health | null = null
  let close: () => Promise<void> = async () => {}

  /** Loads the orchestrator, and opens channels and servers in front of its hub. */
  async function load(context: Context, wake: () => void): Promise<Orchestrator> {
    const [{ openMind }, { watchChannels }, { openBesideDaemon }, { readsIn }] = await Promise.all([
      import('../../compose-orchestrator.ts'),
      import('./watch-channels.ts'),
      import('../../servers/beside-daemon.ts'),
      import('./daemon-reads.ts'),
    ])
    const orchestrator = openMind(context, wake)
    const { hub, clients } = orchestrator
    const channels = watchChannels({ context, wake, hub })
    if (health === null) return channels.withChannels(orchestrator)
    const opened = (server: Pick<Door, 'url' | 'link'>) => printAddress(call, server)
    const { version } = call.around
    const first = openLatch()
    const reads = readsIn(context)
    const closeServers = openBesideDaemon({
      context,
      health,
      hub: clients,
      reads,
      version,
      ready: looked.given,
      opened,
      tried: first.give,
    })
    const closeChannels = channels.open(health)
    close = async () => void (await Promise.all([closeChannels(), closeServers()]))
    await first.given
    return channels.withChannels(orchestrator)
  }

  return {
    ready: looked.give,
    openOrchestrator: (context, wake) => lazyOrchestrator(() => load(context, wake)),
    serve(_context, of) {
      health = of
      return () => close()
    },
  }
}

function openLatch(): { readonly given: Promise<void>; readonly give: () => void } {
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
