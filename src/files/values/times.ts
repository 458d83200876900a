/**
 * Times in files: ISO 8601 with an offset or `Z`, or a local time or date in the zone of the home. A local time that
 * a clock change skips has the offset before the change; one that comes twice is the first.
 */
import { offsetAt } from '../../domain/schedule/schedule-zone.ts'
import { type Shape, text } from './shape.ts'

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?$/i

export const time: Shape<string> = text(
  'a time such as 2026-03-01T09:00:00Z, or a date such as 2026-03-01',
  (value) => isOurs(value) || partsOf(value) !== null,
)

export const zoneName: Shape<string> = text('a time zone such as Europe/Paris', isZone)

/** True for a date without a time of day. */
export function isDate(value: string): boolean {
  return value.length === 10 && partsOf(value) !== null
}

/** True for a time with an offset or `Z`, which means the same in every zone. */
export function hasOffset(value: string): boolean {
  return typeof partsOf(value)?.offsetMs === 'number'
}

/** The instant that a time, local time or date (its first moment) in `zone` means: `2026-03-01T09:00:00Z`. */
export function instantOf(value: string, zone: string): string | null {
  if (isOurs(value)) return value
  const parts = partsOf(value)
  if (parts === null) return null
  const ms = parts.offsetMs === null ? fromLocal(parts.wallMs, zone) : parts.wallMs - parts.offsetMs
  return isoOf(ms)
}

/** The same of a value that may be absent; undefined if it is, and for no time. */
export function utcOf(value: string | undefined, zone = 'UTC'): string | undefined {
  return value === undefined ? undefined : (instantOf(value, zone) ?? undefined)
}

/** `2026-03-01T09:00:00Z`: whole seconds, as in files that Neo writes. */
export function isoSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** `2026-03-01T09:00:00Z`, with a fraction only if it isn't zero. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/**
 * True for a name that Intl knows. Listed names need no formatter: the first one costs a third of a bare `node`
 * start.
 */
export function isZone(name: string): boolean {
  if (name === 'UTC' || name === 'Etc/UTC' || Intl.supportedValuesOf('timeZone').includes(name)) return true
  try {
    offsetAt(0, name)
    return true
  } catch {
    return false
  }
}

/**
 * The fast path for times as Neo writes them, `2026-03-01T09:00:00Z`; false means that the value needs the full
 * check.
 */
function isOurs(value: string): boolean {
  if (value.length !== 20 || value[4] !== '-' || value[7] !== '-' || value[10] !== 'T') return false
  if (value[13] !== ':' || value[16] !== ':' || value[19] !== 'Z') return false
  const century = two(value, 0)
  const [month, day] = [two(value, 5), two(value, 8)]
  if (!(century >= 19 && two(value, 2) >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28))
    return false
  return two(value, 11) < 24 && two(value, 14) < 60 && two(value, 17) < 60
}

/** The number of two digits; NaN, which fails every comparison, for anything else. */
function two(value: string, at: number): number {
  const [tens, ones] = [value.charCodeAt(at) - 48, value.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

interface Parts {
  /** Local time, as if it were UTC. */
  readonly wallMs: number
  readonly offsetMs: number | null
}

function partsOf(value: string): Parts | null {
  const match = TIME.exec(value)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const fraction = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const wallMs = Date.UTC(
    year ?? 0,
    (month ?? 1) - 1,
    day ?? 1,
    hour ?? 0,
    minute ?? 0,
    second ?? 0,
    fraction,
  )
  const back = new Date(wallMs)
  const isReal =
    back.getUTCMonth() + 1 === month && back.getUTCDate() === day && back.getUTCFullYear() === year
  if (!isReal || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return null
  const offsetMs = match[8] === undefined ? null : offsetOf(match[8])
  return offsetMs === undefined ? null : { wallMs, offsetMs }
}

/** Milliseconds east of UTC; undefined if out of range. */
function offsetOf(written: string): number | undefined {
  if (written.toUpperCase() === 'Z') return 0
  const digits = written.replace(':', '')
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5))
  if (minutes > 18 * 60 || Number(digits.slice(3, 5)) > 59) return undefined
  return (digits.startsWith('-') ? -minutes : minutes) * 60_000
}

function fromLocal(wallMs: number, zone: string): number {
  const before = wallMs - offsetAt(wallMs - 86_400_000, zone)
  if (before + offsetAt(before, zone) === wallMs) return before
  const after = wallMs - offsetAt(wallMs + 86_400_000, zone)
  return after + offsetAt(after, zone) === wallMs ? after : before
}
