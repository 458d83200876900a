/** Prints a failure as up to three lines on stderr, and picks the exit code. */
import { EXIT_CODES, NeoError, whyOf } from '../domain/home/error.ts'
import { type Problem, whereOf } from '../domain/home/problem.ts'
import type { Output } from './output.ts'

/** Ended by SIGINT, SIGTERM or SIGHUP: the exit code that shells use. */
export const INTERRUPTED = 130

export function explain(error: unknown, out: Pick<Output, 'error' | 'progress'>): number {
  out.progress(null)
  if (error instanceof NeoError) {
    out.error('neo', error.message)
    const { why, next } = error.more
    if (why !== undefined && !error.message.includes(why)) out.error('why', why)
    if (next !== undefined) out.error('next', next)
    return EXIT_CODES[error.code]
  }
  if (error instanceof Error && DISK.has((error as NodeJS.ErrnoException).code ?? '')) {
    out.error('neo', `Cannot read or write a file: ${error.message}`)
    out.error('next', 'free some disk space or correct the permissions, then run the command again')
    return EXIT_CODES.disk
  }
  out.error('neo', `Unexpected error: ${whyOf(error)}`)
  out.error('why', `this is a bug in Neo${placeOf(error)}`)
  out.error('next', 'run neo doctor; if it finds nothing, report the error with the command that you typed')
  return EXIT_CODES.internal
}

/** Errors of the system that are no bug of Neo, wherever they are thrown. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO'])

/** Where the error was thrown, for a bug report. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /^\s*at (.*)$/m.exec(error.stack ?? '')?.[1] : undefined
  return frame === undefined ? '' : ` (at ${frame})`
}

/** The error of a command that needs a file which can't be read. */
export function brokenFile(action: string, problems: readonly Problem[]): NeoError {
  const [first] = problems
  if (first === undefined) return new NeoError('failed', `${action}: the file cannot be read`)
  return new NeoError('failed', `${action}: ${whereOf(first)}: ${first.message}`, {
    next: first.hint === '' ? 'neo config check' : first.hint,
  })
}

/** An error of a file as a whole. */
export function wholeFile(file: string, message: string, hint = ''): Problem {
  return { file, line: null, column: null, severity: 'error', code: 'kind', message, hint }
}

export function usage(message: string, next: string): NeoError {
  return new NeoError('usage', message, { next })
}
