/**
 * The words of a review in a task's text. Invariant 1: words of a rejection never become steps of a runbook: they stand
 * as a quote.
 */

export interface Rejection {
  readonly name: string
  readonly attempt: number | undefined
  readonly message: string
}

/** The body with the reviewer's words at its end. */
export function withReview(body: string, { name, attempt, message }: Rejection): string {
  const quote = message
    .trim()
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
  const of = attempt === undefined ? '' : ` of attempt ${attempt}`
  return `${body.trimEnd()}\n\n## Review\n\n${name}${of}:\n\n${quote}\n`
}
