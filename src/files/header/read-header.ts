/**
 * What reading gives: the result types of every reader, and how a flaw of a text becomes a problem of a file.
 */
import type { Problem } from '../../domain/home/problem.ts'
import { placeOf } from './fence.ts'

export type Read<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
  /** Someone is still writing: an empty file, a header that is still open, an open code fence. */
  | { readonly kind: 'unfinished'; readonly why: string }

/** What is wrong with a text, at an offset. */
export interface Flaw {
  readonly code: string
  readonly offset: number
  readonly message: string
  readonly hint: string
}

/** The problem of a file that a flaw of its text is. */
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
