/**
 * The hub of a home for hours: that of the daemon while one runs, the files themselves while none does.
 * Takes an open home; gives a Hub. Leaves to hub-line.ts: the daemon's; to rpc/hub-here.ts: the files.
 * Invariant 1: each call goes to whoever is there at that moment; none is carried out twice.
 * Invariant 2: a subscription outlives the daemon: it goes on with the next one, or with the files.
 */
import type { Hub, HubEvent } from '../../hub/hub.ts'
import { hubHere } from '../rpc/hub-here.ts'
import { servedHub } from '../rpc/served.ts'
import type { AtHub } from '../rpc/with-hub.ts'
import { type HubLine, openHubLine } from './hub-line.ts'

export interface HubOfHome extends Hub {
  end(): Promise<void>
}

export function hubOfHome(at: AtHub): HubOfHome {
  const here = hubHere(at)
  let line: Promise<HubLine> | null = null
  let ended = false

  /** The daemon's hub as it is served now; null where none is. */
  async function daemons(): Promise<HubLine | null> {
    const opened = await line?.catch(() => null)
    if (opened !== null && opened?.isOver() === false) return opened
    const served = servedHub(at)
    if (served === null) return null
    line = openHubLine(served)
    return await line
  }

  const hub: Hub = {
    call: async (principal, method, params) =>
      await ((await daemons()) ?? here).call(principal, method, params),
    async subscribe(principal, of, on) {
      let stopped = false
      let stop = (): void => {}
      let since = of.since
      const take = (event: HubEvent) => {
        since = event.seq
        return on(event)
      }
      async function attach(): Promise<void> {
        const found = await daemons()
        const wanted = { channel: of.channel, ...(since === undefined ? {} : { since }) }
        stop = await (found ?? here).subscribe(principal, wanted, take)
        if (stopped) return stop()
        void found?.over.then(async () => {
          // What is gone with the daemon is not followed any more.
          if (!stopped && !ended) await attach().catch(() => {})
        })
      }
      await attach()
      return () => {
        stopped = true
        stop()
      }
    },
  }
  return {
    ...hub,
    async end() {
      ended = true
      const opened = await line?.catch(() => null)
      opened?.close()
      await here.end()
    },
  }
}
