/**
 * What calls of clients pass before the hub of a daemon: they wait for each other here, so that the daemon's own work
 * never waits for more than one of them. Invariant 1: what waits is bounded; beyond that a call is refused as busy, and
 * nothing is kept of it. Invariant 2: who waits for something other than the home leaves, and the next one passes.
 * Invariant 3: what ends a wait does not wait for calls that may be the ones waiting: stops have a way of their own.
 */
import { HUB_CODES, HubError } from '../hub.ts'

/** Carried out when its turn has come; `leave` lets the next one pass before it is done. */
export type Passing<T> = (leave: () => void) => Promise<T>

export interface Gate {
  /** Rejects with HubError `busy` where too many are inside. */
  pass<T>(method: string, passing: Passing<T>): Promise<T>
}

const MOST_INSIDE = 1_000

/** Calls that end what others wait for. */
const STOPS: ReadonlySet<string> = new Set(['context.stop', 'scope.stop', 'session.stop'])

export function isStop(method: string): boolean {
  return STOPS.has(method)
}

export function openGate(most: number = MOST_INSIDE): Gate {
  const [usual, stops] = [openWay(most), openWay(most)]
  return { pass: (method, passing) => (isStop(method) ? stops : usual)(passing) }
}

function openWay(most: number): <T>(passing: Passing<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve()
  /** Those that have left and are not done count too. */
  let inside = 0
  let before = 0
  return async (passing) => {
    if (inside >= most)
      throw new HubError(HUB_CODES.busy, `Too many calls: ${most} are waiting already; try again in a moment`)
    const turn = before === 0 ? null : last
    inside++
    before++
    let leave = (): void => {}
    last = new Promise((resolve) => {
      leave = () => {
        before--
        leave = () => {}
        resolve()
      }
    })
    try {
      if (turn !== null) await turn
      return await passing(() => leave())
    } finally {
      leave()
      inside--
    }
  }
}
