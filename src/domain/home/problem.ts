/** What is wrong with a file that a person wrote, and what to do about it. */

export type Severity = 'error' | 'warning'

export interface Problem {
  /** Path relative to the home, with `/`. */
  readonly file: string
  /** 1-based; null if the problem is with the whole file. */
  readonly line: number | null
  readonly column: number | null
  /** A file with an `error` is not used; one with a `warning` is. */
  readonly severity: Severity
  /** A short stable name for programs, such as `yaml`, `type` or `unknown-key`. */
  readonly code: string
  /** What is wrong, such as `status: invalid value "done"`. */
  readonly message: string
  /** What to do, such as `Did you mean "completed"?`; may be empty. */
  readonly hint: string
}

/** With a whole file. */
export function fileProblem(
  file: string,
  severity: Severity,
  of: Pick<Problem, 'code' | 'message' | 'hint'>,
): Problem {
  return { file, line: null, column: null, severity, ...of }
}

/** `rooms/a/tasks/b.md:4:9`, as far as line and column are known. */
export function whereOf(problem: Problem): string {
  const line = problem.line === null ? '' : `:${problem.line}`
  const column = problem.line === null || problem.column === null ? '' : `:${problem.column}`
  return `${problem.file}${line}${column}`
}

/** `unknown key "dependson" (line 4); did you mean "depends_on"?` */
export function problemText({ line, message, hint }: Pick<Problem, 'line' | 'message' | 'hint'>): string {
  const place = line === null ? '' : ` (line ${line})`
  return hint === ''
    ? `${message}${place}`
    : `${message}${place}; ${hint.charAt(0).toLowerCase()}${hint.slice(1)}`
}

/** The first problem without its line, for a text that is not a file yet; null without problems. */
export function firstReason(problems: readonly Problem[]): string | null {
  const [first] = problems
  return first === undefined ? null : problemText({ ...first, line: null })
}

/** The first warning of each file, and how many more there are, so that they don't hide errors and other files. */
export function onceAFile(warnings: readonly Problem[]): Problem[] {
  const counts = new Map<string, number>()
  for (const { file } of warnings) counts.set(file, (counts.get(file) ?? 0) + 1)
  return [...counts].flatMap(([file, count]) => {
    const first = warnings.find((one) => one.file === file)
    if (first === undefined || count === 1) return first ?? []
    const more = `${first.hint === '' ? '' : '; '}and ${count - 1} more in this file: neo config check`
    return [{ ...first, hint: `${first.hint}${more}` }]
  })
}
