/** Numbers as bars. Invariant: every number above 0 is visible, and no bar is wider than the column. */
import type { Env } from '../spec.ts'

export type Ink = 'blocks' | 'plain'

/** One to seven eighths of a column. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Block characters on a UTF-8 terminal, `#` elsewhere. */
export function inkOf(isTerminal: boolean, env: Env): Ink {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return isTerminal && env['TERM'] !== 'dumb' && /utf-?8/i.test(locale) ? 'blocks' : 'plain'
}

/** `share` is from 0 to 1, of `width` columns. */
export function bar(share: number, width: number, ink: Ink): string {
  if (!(share > 0)) return ''
  const columns = Math.min(1, share) * width
  if (ink === 'plain') return '#'.repeat(Math.max(1, Math.round(columns)))
  const eighths = Math.max(1, Math.round(columns * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
}

/** `950`, `1.2k`, `340k`, `1.5M`: at most three digits. */
export function countText(count: number): string {
  const unit = UNITS.find(({ from }) => count >= from)
  if (unit === undefined) return String(count)
  const scaled = count / unit.of
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit.name}`
}

/** A unit starts where the smaller one would show four digits. */
const UNITS = [
  { of: 1e9, from: 999.5e6, name: 'G' },
  { of: 1e6, from: 999.5e3, name: 'M' },
  { of: 1e3, from: 1e3, name: 'k' },
] as const
