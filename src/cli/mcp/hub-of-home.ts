/**
 * The hub of a home for hours: that of the daemon while one runs, the files themselves while none does.
 * Takes an open home; gives a Hub. Leaves to hub-line.ts: the daemon's; to rpc/hub-here.ts: the files.
 * Invariant 1: each call goes to whoever is there at that moment; none is carried out twice.
 * Invariant 2: a subscription outlives the daemon: it goes on with the next one, or with the files.
 */
import type { Hub } from '../../hub/hub.ts'
import { type HubHere, hubHere } from '../rpc/hub-here.ts'
import { servedHub } from '../rpc/served.ts'
import type { AtHub } from '../rpc/with-hub.ts'
import { type HubLine, openHubLine } from './hub-line.ts'

export interface HubOfHome extends Hub {
  end(): Promise<void>
}

/** Who is there now; `over` resolves when they are gone, null where they are not before us. */
interface Source {
  readonly hub: Hub
  readonly over: Promise<void> | null
}

export function hubOfHome(at: AtHub): HubOfHome {
  const here: HubHere = hubHere(at)
  let line: Promise<HubLine> | null = null
  let ended = false

  async function source(): Promise<Source> {
    const opened = await line?.catch(() => null)
    if (opened !== null && opened?.isOver() === false) return { hub: opened, over: opened.over }
    const served = servedHub(at)
    if (served === null) return { hub: here, over: null }
    line = openHubLine(served)
    const daemons = await line
    return { hub: daemons, over: daemons.over }
  }

  return {
    call: async (principal, method, params) => (await source()).hub.call(principal, method, params),
    subscribe: (principal, of, on) =>
      outliving(source, { isEnded: () => ended }, (hub, since) =>
        hub.subscribe(principal, { ...of, ...since.had }, (event) => {
          since.had = { since: event.seq }
          return on(event)
        }),
      ),
    async end() {
      ended = true
      const opened = await line?.catch(() => null)
      opened?.close()
      await here.end()
    },
  }
}

type Since = { had: { readonly since?: number } }

/** Subscribes, and once more whenever whom it hears from is gone. What is gone for good is given up. */
async function outliving(
  source: () => Promise<Source>,
  { isEnded }: { readonly isEnded: () => boolean },
  subscribe: (hub: Hub, since: Since) => Promise<() => void>,
): Promise<() => void> {
  const since: Since = { had: {} }
  let stopped = false
  let stop = (): void => {}
  async function attach(): Promise<void> {
    const { hub, over } = await source()
    stop = await subscribe(hub, since)
    if (stopped) return stop()
    void over?.then(async () => {
      if (!stopped && !isEnded()) await attach().catch(() => {})
    })
  }
  await attach()
  return () => {
    stopped = true
    stop()
  }
}
