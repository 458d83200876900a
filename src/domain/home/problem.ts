/**
 * A problem is what is wrong with a file that a person wrote, said so that they can mend it.
 */

export type Severity = 'error' | 'warning'

export interface Problem {
  /** Path relative to the home, with `/`. */
  readonly file: string
  /** 1-based; null where the whole file is meant. */
  readonly line: number | null
  readonly column: number | null
  /** An `error` keeps the file out of work; a `warning` does not. */
  readonly severity: Severity
  /** A short stable name: `yaml`, `fence`, `type`, `unknown-key`, `cycle`, `size`, `depth`, `conflict`, `kind`, `encoding`, `id`. */
  readonly code: string
  /** What is and what should be, e.g. `status is "done", want one of draft, pending, …`. */
  readonly message: string
  /** What to do, e.g. `Write status: completed`. */
  readonly hint: string
}

/** Shows where a problem is: `rooms/a/tasks/b.md:4:9`, leaving out what is not known. */
export function whereOf(problem: Problem): string {
  const line = problem.line === null ? '' : `:${problem.line}`
  const column = problem.line === null || problem.column === null ? '' : `:${problem.column}`
  return `${problem.file}${line}${column}`
}
