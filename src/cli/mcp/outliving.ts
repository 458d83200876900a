/**
 * A subscription that outlives whom it hears from: when they are gone it goes on with who is there then. Invariant 1: it
 * is tried again, with growing waits, until it holds: a daemon that ends is neither there nor gone for a while.
 * Invariant 2: what is gone for good (no such room, no right to it) is given up; a first one that fails is the caller's
 * to hear.
 */
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'

/** Who is there now; `over` resolves when they are gone, null where they are not before us. */
export interface Source {
  readonly hub: Hub
  readonly over: Promise<void> | null
}

/** The number of the last event that was had, kept by who subscribes. */
export interface Had {
  since?: number
}

export interface Outliving {
  source(): Promise<Source>
  subscribe(hub: Hub, had: Had): Promise<() => void>
  isEnded(): boolean
  /** Calls once after so many milliseconds. */
  after(ms: number, run: () => void): unknown
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

export async function outliving({ source, subscribe, isEnded, after }: Outliving): Promise<() => void> {
  const had: Had = {}
  let stopped = false
  let stop = (): void => {}

  async function attach(): Promise<void> {
    const { hub, over } = await source()
    stop = await subscribe(hub, had)
    if (stopped) return stop()
    void over?.then(again)
  }

  async function again(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !stopped && !isEnded(); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await attach()
      } catch (error) {
        if (isForGood(error)) return
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

function isForGood(error: unknown): boolean {
  if (!(error instanceof HubError)) return false
  return (
    error.code === HUB_CODES.missing || error.code === HUB_CODES.denied || error.code === HUB_CODES.params
  )
}
