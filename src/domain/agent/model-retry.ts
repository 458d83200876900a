/**
 * Why a model did not answer (a closed list, so that callers decide by kind, never by text), what to do then (retry
 * after a wait, pause until a limit resets, compact, or give up), and when a limit ends, as texts say it. Invariant
 * 1: each wait is at least a second, no matter what a server says. Invariant 2: rate and usage limits use up no
 * tries: the wait ends by itself, and budgets and stops end the rest. Invariant 3: of several times in a text, the
 * last one counts; a 12-hour clock without am or pm is ignored.
 */
import { instantsOf, wallOf } from '../schedule/schedule-zone.ts'
import { grownWait } from '../text/grown-wait.ts'

/**
 * - `auth`, `billing`, `forbidden`, `missing` (no such model), `request` (we sent something wrong), `refused_size`
 * (too large): the same call fails again, a person has to act;
 * - `overflow`: the conversation does not fit the window;
 * - `rate`: a rate or usage limit; `retryAfterMs` if the server says when it resets;
 * - `overloaded`, `server`, `network`, `cut` (a broken stream), `silent` (nothing for too long): temporary;
 * - `aborted`: stopped by Neo.
 */
export type ModelErrorKind =
  | 'auth'
  | 'billing'
  | 'forbidden'
  | 'missing'
  | 'request'
  | 'refused_size'
  | 'overflow'
  | 'rate'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'cut'
  | 'silent'
  | 'aborted'

export class ModelError extends Error {
  override readonly name = 'ModelError'
  constructor(
    readonly kind: ModelErrorKind,
    /** One line with the server's text, without keys. */
    message: string,
    readonly more: {
      readonly status?: number
      readonly retryAfterMs?: number
      readonly requestId?: string
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
  }
}

interface ModelFailure {
  readonly kind: ModelErrorKind
  readonly retryAfterMs?: number
}

export type AfterModelError =
  /** Retry after `ms`. */
  | { readonly do: 'wait'; readonly ms: number }
  /** A limit that resets in `ms`; people see this wait. */
  | { readonly do: 'pause'; readonly ms: number }
  /** Compact the conversation, then retry. */
  | { readonly do: 'compact' }
  | { readonly do: 'give up' }

const SECOND_MS = 1000
/** 2 s, 6 s, 18 s, 54 s: a restart of a server or router takes up to a minute and a half. */
const FIRST_WAIT_MS = 2 * SECOND_MS
const MOST_WAIT_MS = 60 * SECOND_MS
/** Limit of calls in a row that fail temporarily. */
const MOST_TRIES = 5
/** First wait for a limit without a time of reset: the usual window of a rate is a minute. */
const FIRST_PAUSE_MS = 30 * SECOND_MS
const MOST_UNTOLD_PAUSE_MS = 15 * 60 * SECOND_MS
/** The longest known window of usage is a week; a longer time is a mistake. */
const MOST_TOLD_PAUSE_MS = 8 * 24 * 3600 * SECOND_MS

/**
 * `tries`: calls in a row that failed in this way, this one included; 1 at the first. An overflow counts its
 * compactions: the second one in a row says that compacting did not help.
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

/** Uses the server's time if it is longer; more than a minute is a pause. */
function passing(told: number | undefined, tries: number): AfterModelError {
  const own = grownWait({ first: FIRST_WAIT_MS, factor: 3, most: MOST_WAIT_MS }, tries)
  const ms = Math.max(own, sane(told) ?? 0)
  return ms > MOST_WAIT_MS ? { do: 'pause', ms: Math.min(ms, MOST_TOLD_PAUSE_MS) } : { do: 'wait', ms }
}

function pauseOf(told: number | undefined, tries: number): number {
  const reset = sane(told)
  if (reset === null) return grownWait({ first: FIRST_PAUSE_MS, most: MOST_UNTOLD_PAUSE_MS }, tries)
  return Math.min(Math.max(reset, SECOND_MS), MOST_TOLD_PAUSE_MS)
}

function sane(told: number | undefined): number | null {
  return told === undefined || !Number.isFinite(told) || told < 0 ? null : Math.ceil(told)
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/, 1],
  [/^s/, 1_000],
  [/^m/, 60_000],
  [/^h/, 3_600_000],
  [/^d/, 86_400_000],
]
const UNIT = '(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)'
const AMOUNT = `\\d{1,7}(?:\\.\\d{1,6})?\\s{0,2}${UNIT}(?![a-z])`
const SPAN = `${AMOUNT}(?:(?:,|\\s|\\band\\b){0,4}${AMOUNT}){0,3}`
const AGAIN = '(?:try(?:ing)?(?: it)? again|retry(?:ing)?|resets?|available(?: again)?|wait(?:ing)?|back)'
/** `try again in 6m0s`, `please wait 30 seconds`, `limit resets in 2 hours and 5 minutes`. */
const WAIT = new RegExp(`\\b${AGAIN}(?: (?:in|after|for|about|another)){0,2}:? (${SPAN})`, 'gi')
/** `Retry-After: 30`, `"retry_after_ms": 500`, `retryDelay: "34s"`; a number alone is in seconds. */
const FIELD =
  /\bretry[-_ ]?(?:after|delay|in)([-_]?(?:ms|milliseconds|s|seconds))?["'\\]*\s?[:=]\s?["'\\]*(\d{1,7}(?:\.\d{1,6})?)\s?(ms|s|m|h)?(?![a-z0-9:])/gi
/** `resets at 15:30`, `try again at 3:14 PM`, `resets 3pm (Europe/Berlin)`. */
const CLOCK =
  /\b(?:try again|retry|resets?|available(?: again)?)(?: (?:at|on|after))?:? (\d{1,2})(?::(\d{2}))?(?::\d{2})?(?: ?([ap])\.?m\b\.?)?(?: ?\(?(UTC|GMT|Z|[A-Z][A-Za-z_]{2,20}\/[A-Za-z_/+-]{2,30})\b\)?)?/gi
/** `resets at 2026-03-01T15:30:00Z`. */
const INSTANT =
  /\b(?:try again|retry|resets?|until)(?:[-_ ]?(?:at|on|after))?["'\\]*:? ?["'\\]*(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))/gi
/** `usage limit reached|1746820800`. */
const EPOCH = /\blimit reached\|(\d{10})\b/gi
const MOST_LETTERS = 4_000

interface Clock {
  /** Epoch ms. */
  readonly now: number
  /** An IANA name. */
  readonly zone: string
  /** True for a valid name of a zone. */
  readonly isZone: (name: string) => boolean
}

/** Epoch ms. */
export function toldTime(words: string, clock: Clock): number | null {
  const text = words.slice(-MOST_LETTERS)
  const found: { readonly at: number; readonly time: number }[] = []
  const look = (pattern: RegExp, timeOf: (match: RegExpExecArray) => number | null) => {
    for (const match of text.matchAll(pattern)) {
      const time = timeOf(match)
      if (time !== null && Number.isFinite(time)) found.push({ at: match.index, time })
    }
  }
  look(WAIT, ([, span = '']) => clock.now + spanOf(span))
  look(FIELD, ([, named = '', count = '', unit]) => {
    const of = unit ?? (named.replace(/^[-_]/, '') || 's')
    return clock.now + Number(count) * unitOf(of)
  })
  look(CLOCK, (match) => clockTime(match, clock))
  look(INSTANT, ([, instant = '']) => Date.parse(instant.replace(' ', 'T')))
  look(EPOCH, ([, seconds]) => Number(seconds) * 1_000)
  return found.toSorted((a, b) => a.at - b.at).at(-1)?.time ?? null
}

function spanOf(span: string): number {
  const parts = span.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * unitOf(unit), 0)
}

function unitOf(unit: string): number {
  return UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? Number.NaN
}

/** The next time that a clock shows this; null if am or pm is missing. */
function clockTime([, hours = '', minutes, half, named]: RegExpExecArray, clock: Clock): number | null {
  const hour = Number(hours)
  const minute = Number(minutes ?? 0)
  const isWhole =
    half === undefined ? minutes !== undefined && (hour > 12 || hours.startsWith('0')) : hour >= 1
  if (!isWhole || hour > (half === undefined ? 23 : 12) || minute > 59) return null
  const zone = named === undefined ? clock.zone : /^(?:UTC|GMT|Z)$/i.test(named) ? 'UTC' : named
  if (!clock.isZone(zone)) return null
  const late = half?.toLowerCase() === 'p' ? 12 : 0
  const ofDay = ((half === undefined ? hour : (hour % 12) + late) * 60 + minute) * 60_000
  const midnight = Math.floor(wallOf(clock.now, zone) / DAY_MS) * DAY_MS
  const times = [0, DAY_MS].flatMap((days) => instantsOf(midnight + days + ofDay, zone))
  return times.find((time) => time > clock.now) ?? null
}

const DAY_MS = 86_400_000
