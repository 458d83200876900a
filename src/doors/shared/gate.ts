/**
 * The hub as doors call it: calls of clients wait for each other here, so that the daemon's own work never waits for
 * more than one of them. Takes a Hub; gives a Hub. Leaves to the Hub: everything that is done.
 * Invariant 1: what waits is bounded; beyond that a call is refused as busy, and nothing is kept of it.
 */
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'

const MOST_WAITING = 1_000

export function openGate(hub: Hub, most: number = MOST_WAITING): Hub {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= most)
      return Promise.reject(new HubError(HUB_CODES.busy, `Cannot call now: ${most} calls wait already`))
    const done = (): void => void waiting--
    const next = waiting++ === 0 ? work() : last.then(work)
    last = next.then(done, done)
    return next
  }
  return {
    call: (principal, method, params) => inTurn(() => hub.call(principal, method, params)),
    subscribe: (principal, of, on) => inTurn(() => hub.subscribe(principal, of, on)),
  }
}
