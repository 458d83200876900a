/**
 * When a limit ends, as a program says it in words: `try again in 20s`, `Retry-After: 30`, `resets at 15:30`. Pure.
 * Invariant 1: of several times the last one counts; a clock of 12 hours without am or pm says nothing.
 */
import { instantsOf, wallOf } from '../schedule/schedule-zone.ts'

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

export interface Clock {
  /** Epoch ms. */
  readonly now: number
  /** An IANA name. */
  readonly zone: string
  /** Whether a name of a zone is one. */
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

/** The next time that a clock reads so; null if it is not said which half of the day is meant. */
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
