/**
 * The servers of `neo watch`, in front of the hub. Invariant 1: they load after the daemon's first look, so that they
 * don't delay it. Invariant 2: the daemon acts only when clients can connect: many new files don't delay the servers.
 * Invariant 3: a sign-in link is printed on a terminal only, because others may read a log file.
 * Invariant 4: the orchestrator loads once, at its first use, so that it does not delay the daemon's first look; an error
 * while loading comes back at each use, and the round reports it. Invariant 5: messages that arrive before it is loaded
 * wait for it.
 */

import type { ReadName } from '../../client/hub-client.ts'
import type { Orchestrator, ScopeOrchestrator } from '../../engine/agents/orchestrator.ts'
import type { Context } from '../../engine/context.ts'
import type { DaemonOptions } from '../../engine/daemon.ts'
import type { Health } from '../../engine/health.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { Reads } from '../../servers/http/rpc-route.ts'
import type { RunningServers } from '../../servers/open-servers.ts'
import type { Call } from '../spec.ts'

interface WatchServers extends Required<Pick<DaemonOptions, 'openOrchestrator' | 'serve'>> {
  /** Call it after the daemon's first look. */
  ready(): void
}

export function openWatchServers(call: Call): WatchServers {
  const looked = openLatch()
  let health: Health | null = null
  let close: () => Promise<void> = async () => {}

  /** Loads the orchestrator, and opens channels and servers in front of its hub. */
  async function load(context: Context, wake: () => void): Promise<Orchestrator> {
    const [{ openMind }, { watchChannels }, { openBesideDaemon }] = await Promise.all([
      import('../../compose-orchestrator.ts'),
      import('./watch-channels.ts'),
      import('../../servers/beside-daemon.ts'),
    ])
    const orchestrator = openMind(context, wake)
    const { hub, clients } = orchestrator
    const channels = watchChannels({ context, wake, hub })
    if (health === null) return channels.withChannels(orchestrator)
    const opened = (server: Pick<RunningServers, 'url' | 'link'>) => printAddress(call, server)
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

function printAddress({ out, around }: Call, { url, link }: Pick<RunningServers, 'url' | 'link'>): void {
  if (out.mode === 'json') {
    out.event({ schemaVersion: 1, kind: 'event', data: { kind: 'page', text: url } })
    return
  }
  const text = around.stdout.isTTY
    ? `Page: ${link()} (works once, within ten minutes)`
    : `Page: ${url} (sign in with neo open)`
  out.note({ text, style: 'dim' })
}

type Read = (context: Context) => Promise<unknown>

const READS: Readonly<Record<ReadName, Read>> = {
  status: async (context) => {
    const { gather } = await import('../status/gather.ts')
    const { seenIn } = await import('../../engine/look-once.ts')
    return gather(context, await settled(context, seenIn), toldIn(context))
  },
  plan: async (context) => {
    const { planData } = await import('../status/show-plan.ts')
    const { aheadIn } = await import('../../engine/look-once.ts')
    return planData(context, await settled(context, aheadIn), toldIn(context))
  },
}

function readsIn(context: Context): Reads {
  return async (name) => {
    if (!Object.hasOwn(READS, name))
      throw new HubError(HUB_CODES.method, `Cannot read "${name}": this daemon doesn't know it`)
    return await READS[name as ReadName](context)
  }
}

/** Troubles, as the daemon knows them. */
function toldIn({ troubles }: Context) {
  return [...troubles].map(([part, { why, needs }]) => ({ part, why, needs }))
}

/** Between rounds: a picture in the middle of one shows half of a change. */
async function settled<T>(context: Context, see: (context: Context) => Promise<T | null>): Promise<T> {
  const found = await context.exclusive(() => see(context))
  if (found === null)
    throw new HubError(HUB_CODES.busy, 'Cannot tell now: a file that was just saved settles')
  return found
}

/** @param load called once, at the first turn or round */
export function lazyOrchestrator(load: () => Promise<Orchestrator>): Orchestrator {
  let loading: Promise<Orchestrator> | null = null
  let loaded: Orchestrator | null = null
  const get = async (): Promise<Orchestrator> => {
    loading ??= load()
    loaded = await loading
    return loaded
  }
  return {
    turn: async (room, triggers, signal) => (await get()).turn(room, triggers, signal),
    closed: () => loaded?.closed() ?? [],
    scopes: lazyScopes(get, () => loaded),
    saw: (snapshot) => loaded?.saw(snapshot),
    afterRound: async (snapshot) => (await get()).afterRound(snapshot),
    close: () => loaded?.close(),
  }
}

function lazyScopes(get: () => Promise<Orchestrator>, loaded: () => Orchestrator | null): ScopeOrchestrator {
  return {
    async talk(turn, signal) {
      const { scopes } = await get()
      return (
        scopes?.talk(turn, signal) ?? { kind: 'waits', reply: '', why: 'conversations are not available' }
      )
    },
    renew: async (scope) => (await get()).scopes?.renew(scope),
    stop: (scope) => loaded()?.scopes?.stop(scope) ?? 'idle',
    closed: (scope) => loaded()?.scopes?.closed(scope) ?? [],
    // Before it is loaded, there is nothing to drop.
    drop: async (scope) => loaded()?.scopes?.drop(scope),
  }
}
