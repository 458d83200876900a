/** A token bucket for each peer: short bursts up to the whole limit, then an even flow. */
import type { AgentConfig } from './peer.ts'

export interface Bucket {
  /** Requests that are left, with a fraction. */
  readonly left: number
  /** When `left` was counted. */
  readonly at: number
}

export interface Taken {
  readonly state: Bucket
  readonly ok: boolean
  /** When the next request will be allowed; 0 if this one is. */
  readonly retryAfterMs: number
}

/** `state`: undefined for the first request of a peer. A clock that goes back refills nothing and takes nothing. */
export function take(state: Bucket | undefined, now: number, rate: AgentConfig['rate']): Taken {
  const perRequestMs = rate.perMs / rate.requests
  const passedMs = state === undefined ? rate.perMs : Math.max(0, now - state.at)
  const left = Math.min(rate.requests, (state?.left ?? 0) + passedMs / perRequestMs)
  const at = now
  if (left >= 1) return { state: { left: left - 1, at }, ok: true, retryAfterMs: 0 }
  return { state: { left, at }, ok: false, retryAfterMs: Math.ceil((1 - left) * perRequestMs) }
}
