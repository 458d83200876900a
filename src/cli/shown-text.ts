/**
 * Text for terminals: escapes control characters, and measures and cuts by columns. Invariant 1: no control character of
 * a file reaches a terminal: it is shown as `\x1b`, `\n`, `\u202e`, …
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
