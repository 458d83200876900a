/**
 * A subscription that outlives its source: when a daemon ends, it continues with the next source. Invariant 1: it is
 * retried with growing waits until it succeeds: a daemon that is ending is neither there nor gone for a while. Invariant
 * 2: it gives up on what never comes back (room not found, permission denied); if the first attempt fails, the caller
 * gets the error.
 */
import { HUB_CODES, type Hub, HubError } from '../hub/hub.ts'

/** The hub to use now; `closed` resolves when it is gone, `null` if it stays as long as this process. */
export interface Source {
  readonly hub: Hub
  readonly closed: Promise<void> | null
}

/** The sequence number of the last event, kept by the subscriber. */
export interface Progress {
  since?: number
}

export interface LastingSubscription {
  source(): Promise<Source>
  subscribe(hub: Hub, progress: Progress): Promise<() => void>
  isEnded(): boolean
  /** Calls once after so many milliseconds. */
  after(ms: number, run: () => void): unknown
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

export async function lastingSubscription({
  source,
  subscribe,
  isEnded,
  after,
}: LastingSubscription): Promise<() => void> {
  const progress: Progress = {}
  let stopped = false
  let stop = (): void => {}

  async function attach(): Promise<void> {
    const { hub, closed } = await source()
    stop = await subscribe(hub, progress)
    if (stopped) return stop()
    void closed?.then(again)
  }

  async function again(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !stopped && !isEnded(); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await attach()
      } catch (error) {
        if (isPermanent(error)) return
      }
      await new Promise<void>((resolve) => void after(wait, resolve))
    }
  }

  await attach()
  return () => {
    stopped = true
    stop()
  }
}

function isPermanent(error: unknown): boolean {
  if (!(error instanceof HubError)) return false
  return (
    error.code === HUB_CODES.missing || error.code === HUB_CODES.denied || error.code === HUB_CODES.params
  )
}
