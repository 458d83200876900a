/** Durations (`250ms`, `30s`, `5m`, `2h`, `1d`, and sums such as `1h30m`) and sizes (`5GB`) as people write them. */
import { type Shape, text } from './shape.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SIMPLE = /^(\d{1,9})(ms|s|m|h|d)$/
const DURATION = /^(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m|h|d))+$/
/** Ten years; more is a typing error. */
const LONGEST = 10 * 366 * 86_400_000
const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
  TIB: 1024 ** 4,
}
const SIZE = /^(\d{1,9}(?:\.\d{1,6})?) ?([KMGT]?I?B)$/i

/** Milliseconds, rounded; null for an invalid duration and for more than ten years. */
export function durationMs(value: string): number | null {
  if (value === '0') return 0
  const [, only, its] = SIMPLE.exec(value) ?? []
  if (its !== undefined) return withinLimit(Number(only) * (UNITS[its] ?? 0))
  if (!DURATION.test(value)) return null
  let ms = 0
  for (const [, amount, unit] of value.matchAll(/([\d.]+)(ms|s|m|h|d)/g))
    ms += Number(amount) * (UNITS[unit ?? ''] ?? 0)
  return withinLimit(Math.round(ms))
}

function withinLimit(ms: number): number | null {
  return ms > LONGEST ? null : ms
}

/** Null for an invalid size. */
export function sizeBytes(value: string): number | null {
  const [, amount, unit] = SIZE.exec(value) ?? []
  const factor = SIZES[unit?.toUpperCase() ?? '']
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor)
}

export const duration: Shape<string> = text(
  'a duration such as 30s, 5m or 2h',
  (value) => durationMs(value) !== null,
)

export const size: Shape<string> = text('a size such as 500MB or 5GB', (value) => sizeBytes(value) !== null)

/** Milliseconds of a value that the shape `duration` gave; undefined stays undefined. */
export function msOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : (durationMs(value) ?? 0)
}

/** Bytes of a value that the shape `size` gave; undefined stays undefined. */
export function bytesOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : (sizeBytes(value) ?? 0)
}
