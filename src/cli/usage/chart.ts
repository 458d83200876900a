/**
 * Figures as bars. Invariant: what is more than nothing shows, and nothing is longer than the width.
 */
import type { Env } from '../spec.ts'

export type Ink = 'blocks' | 'plain'

/** Eighths of a column, from one to seven. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Blocks on a terminal whose texts are UTF-8, `#` elsewhere. */
export function inkOf(isTerminal: 'yes' | 'no', env: Env): Ink {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return isTerminal === 'yes' && env['TERM'] !== 'dumb' && /utf-?8/i.test(locale) ? 'blocks' : 'plain'
}

/** `share` is from 0 to 1, of `width` columns. */
export function bar(share: number, width: number, ink: Ink): string {
  if (!(share > 0)) return ''
  const columns = Math.min(1, share) * width
  if (ink === 'plain') return '#'.repeat(Math.max(1, Math.round(columns)))
  const eighths = Math.max(1, Math.round(columns * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
}

/** `950`, `1.2k`, `340k`, `1.5M`: three figures at most. */
export function countText(count: number): string {
  const unit = UNITS.find(({ from }) => count >= from)
  if (unit === undefined) return String(count)
  const scaled = count / unit.of
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit.name}`
}

/** A unit begins where the one below would show four figures. */
const UNITS = [
  { of: 1e9, from: 999.5e6, name: 'G' },
  { of: 1e6, from: 999.5e3, name: 'M' },
  { of: 1e3, from: 1e3, name: 'k' },
] as const
