/**
 * Text for terminals: escapes control characters, measures and cuts by columns, times and counts. Invariant 1: no control
 * character of a file reaches a terminal: it is shown as `\x1b`, `\n`, `\u202e`, …
 */
/** C0, DEL, C1, line separators, and marks of text direction. */
const CONTROL = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
const PLAIN = /^[\x20-\x7e]*$/
/** Two columns wide in terminals: CJK, Hangul, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u
const NO_WIDTH = /\p{Mn}|\p{Me}|[\u200b-\u200d\u2060]|[\ufe00-\ufe0f]/u

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text on one line, with control characters shown as escapes. */
export function shown(text: string): string {
  return PLAIN.test(text) ? text : text.replace(CONTROL, escaped)
}

/** As `shown`, but line ends and tabs stay. */
export function shownLines(text: string): string {
  return text.replace(CONTROL, (found) => (found === '\n' || found === '\t' ? found : escaped(found)))
}

function escaped(character: string): string {
  const named = NAMED[character]
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/** Width of an escaped text in terminal columns. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

function columnsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** Cuts a text to a number of columns, at a character boundary; `…` marks the cut. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let width = 1
  let kept = ''
  for (const character of text) {
    width += columnsOf(character)
    if (width > columns) break
    kept += character
  }
  return `${kept}…`
}

/** `09:00:05` */
export function clockText(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? at
    : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}

/** `2026-03-01 09:00:05` */
export function dateText(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockText(at)}`
}

/** `5 s`, `3 min`, `2 h`, `4 d` */
export function spanText(ms: number): string {
  if (!(ms >= 0)) return ''
  const seconds = ms / 1000
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** `950`, `1.2k`, `340k`, `1.5M`: at most three digits. */
export function countText(count: number): string {
  const unit = UNITS.find(({ from }) => count >= from)
  if (unit === undefined) return String(count)
  const scaled = count / unit.of
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit.name}`
}

/** A unit starts with the first count that has four digits in the smaller one. */
const UNITS = [
  { of: 1e9, from: 999.5e6, name: 'G' },
  { of: 1e6, from: 999.5e3, name: 'M' },
  { of: 1e3, from: 1e3, name: 'k' },
] as const
