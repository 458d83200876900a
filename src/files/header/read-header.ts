/**
 * The results of readers, how a flaw of a text becomes a problem of a file, and the offsets of header and body.
 * Splits as gray-matter does (a property test), but refuses what gray-matter guesses: other languages after the
 * fence, and lines that only start like a fence.
 */
import type { Problem } from '../../domain/home/problem.ts'

export type Read<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
  /** Someone is still writing: an empty file, a header that is still open, an open code fence. */
  | { readonly kind: 'unfinished'; readonly why: string }

export interface Flaw {
  readonly code: string
  readonly offset: number
  readonly message: string
  readonly hint: string
}

export function problemAt(file: string, text: string, flaw: Flaw): Problem {
  const { line, column } = placeOf(text, flaw.offset)
  return { file, line, column, severity: 'error', code: flaw.code, message: flaw.message, hint: flaw.hint }
}

/** `ok` without errors, else `bad` with errors first. */
export function readResult<T>(value: T, problems: readonly Problem[]): Read<T> {
  if (problems.length === 0) return { kind: 'ok', value, warnings: problems }
  const errors = problems.filter((problem) => problem.severity === 'error')
  if (errors.length === 0) return { kind: 'ok', value, warnings: problems }
  return {
    kind: 'bad',
    problems: [...errors, ...problems.filter((problem) => problem.severity === 'warning')],
  }
}

export const BOM = '\ufeff'

export type Split =
  | { readonly kind: 'none'; readonly bodyFrom: number }
  | {
      readonly kind: 'header'
      /** Offset of the first header line, and of the closing fence. */
      readonly from: number
      readonly to: number
      readonly bodyFrom: number
    }
  | { readonly kind: 'open' }
  /** A line starts with `---` but isn't a fence. */
  | { readonly kind: 'refused'; readonly offset: number; readonly found: string }

/** Splits a text at its `---` fences. */
export function splitHeader(text: string): Split {
  const start = text.startsWith(BOM) ? 1 : 0
  if (!text.startsWith('---', start) || text[start + 3] === '-') return { kind: 'none', bodyFrom: start }
  const from = lineEnd(text, start)
  if (!isFence(text, start, from)) return { kind: 'refused', offset: start, found: lineAt(text, start) }
  const close = text.startsWith('---', from) ? from : text.indexOf('\n---', from - 1) + 1
  if (close === 0 || from === text.length) return { kind: 'open' }
  const bodyFrom = lineEnd(text, close)
  if (!isFence(text, close, bodyFrom)) return { kind: 'refused', offset: close, found: lineAt(text, close) }
  return { kind: 'header', from, to: close, bodyFrom }
}

/** Offset after the line break of the line at `offset`. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}

/** Offset of the first character of the line at `offset`. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}

/** The line that starts at `offset`, without its line break. */
export function lineAt(text: string, offset: number): string {
  return text.slice(offset, lineEnd(text, offset)).replace(/\r?\n$/, '')
}

/** 1-based line and column (in characters) of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', start)) {
    line++
    start = at + 1
  }
  const column = [...text.slice(start, offset)].length + 1
  return { line, column: start === 0 && text.startsWith(BOM) && offset > 0 ? column - 1 : column }
}

/** The line break of the first line; `\n` without one. */
export function eolOf(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n')
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n'
}

/** True if the text between the offsets is only `---` and blanks. */
function isFence(text: string, start: number, end: number): boolean {
  for (let at = start + 3; at < end; at++) {
    const char = text[at]
    if (char !== ' ' && char !== '\t' && char !== '\r' && char !== '\n') return false
  }
  return true
}
