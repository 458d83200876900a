/**
 * The hub of a home for hours: that of the daemon while one runs, the files themselves while none does. Invariant 1:
 * each call goes to whoever is there at that moment; none is carried out twice. Invariant 2: a subscription outlives the
 * daemon: it goes on with the next one, or with the files.
 */
import type { Hub } from '../../hub/hub.ts'
import { type HubHere, hubHere } from '../rpc/hub-here.ts'
import { servedHub } from '../rpc/served.ts'
import type { AtHub } from '../rpc/with-hub.ts'
import { type HubLine, openHubLine } from './hub-line.ts'
import { outliving, type Source } from './outliving.ts'

export interface HubOfHome extends Hub {
  end(): Promise<void>
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
      outliving({
        source,
        isEnded: () => ended,
        after: (ms, run) => at.world.clock.after(ms, run),
        subscribe: (hub, had) =>
          hub.subscribe(principal, { ...of, ...had }, (event) => {
            had.since = event.seq
            return on(event)
          }),
      }),
    async end() {
      ended = true
      const opened = await line?.catch(() => null)
      opened?.close()
      await here.end()
    },
  }
}
