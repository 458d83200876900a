/**
 * What to do when a model did not answer: wait and ask again, pause until a limit resets, compact, or give up. Invariant
 * 1: no wait is shorter than a second, so that nothing spins, whatever a server says. Invariant 2: rate and usage limits
 * burn no tries: the wait ends by itself, and budgets and stops end the rest.
 */
import type { ModelErrorKind } from './model-error.ts'

export interface ModelFailure {
  readonly kind: ModelErrorKind
  readonly retryAfterMs?: number
}

export type AfterModelError =
  /** Ask again after `ms`. */
  | { readonly do: 'wait'; readonly ms: number }
  /** A wait that people have to see: a limit that resets in `ms`. */
  | { readonly do: 'pause'; readonly ms: number }
  /** Make the conversation shorter, then ask again. */
  | { readonly do: 'compact' }
  | { readonly do: 'give up' }

const SECOND_MS = 1000
/** 2 s, 6 s, 18 s, 54 s: a minute and a half is what a restart of a server or a router takes. */
const FIRST_WAIT_MS = 2 * SECOND_MS
const MOST_WAIT_MS = 60 * SECOND_MS
/** Calls in a row that may fail by troubles that pass, the first one included. */
const MOST_TRIES = 5
/** Where a limit says no reset: half a minute at first, as the usual window of a rate is a minute. */
const FIRST_PAUSE_MS = 30 * SECOND_MS
const MOST_UNTOLD_PAUSE_MS = 15 * 60 * SECOND_MS
/** The longest window of usage that is known is a week; what is said beyond it is a mistake. */
const MOST_TOLD_PAUSE_MS = 8 * 24 * 3600 * SECOND_MS

/**
 * `tries`: calls in a row that failed in this way, this one included; 1 at the first. An overflow counts its compactions:
 * the second one in a row says that compacting did not help.
 */
export function afterModelError(error: ModelFailure, tries: number): AfterModelError {
  switch (error.kind) {
    case 'rate':
      return { do: 'pause', ms: pauseOf(error.retryAfterMs, tries) }
    case 'overflow':
      return tries <= 1 ? { do: 'compact' } : { do: 'give up' }
    case 'overloaded':
    case 'server':
    case 'network':
    case 'cut':
    case 'silent':
      return tries >= MOST_TRIES ? { do: 'give up' } : passing(error.retryAfterMs, tries)
    case 'auth':
    case 'billing':
    case 'forbidden':
    case 'missing':
    case 'request':
    case 'refused_size':
    case 'aborted':
      return { do: 'give up' }
  }
}

/** What the server asks for holds if it is longer than our own wait; beyond a minute it is a pause. */
function passing(told: number | undefined, tries: number): AfterModelError {
  const own = growing({ first: FIRST_WAIT_MS, factor: 3, most: MOST_WAIT_MS }, tries)
  const ms = Math.max(own, sane(told) ?? 0)
  return ms > MOST_WAIT_MS ? { do: 'pause', ms: Math.min(ms, MOST_TOLD_PAUSE_MS) } : { do: 'wait', ms }
}

function pauseOf(told: number | undefined, tries: number): number {
  const reset = sane(told)
  if (reset === null) return growing({ first: FIRST_PAUSE_MS, factor: 2, most: MOST_UNTOLD_PAUSE_MS }, tries)
  return Math.min(Math.max(reset, SECOND_MS), MOST_TOLD_PAUSE_MS)
}

function growing(
  { first, factor, most }: { readonly first: number; readonly factor: number; readonly most: number },
  tries: number,
): number {
  const steps = Math.max(0, tries - 1)
  return Math.min(most, first * factor ** Math.min(steps, 30))
}

function sane(told: number | undefined): number | null {
  return told === undefined || !Number.isFinite(told) || told < 0 ? null : Math.ceil(told)
}
