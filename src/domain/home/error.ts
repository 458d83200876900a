/**
 * NeoError: a failure that should not happen, with a code from a closed list. Failures that users, models and peers
 * can cause are values; only the command line turns them into this, to end with an exit code and a three-line
 * message.
 */

export const EXIT_CODES = {
  failed: 1,
  usage: 2,
  config: 2,
  held: 3,
  missing: 4,
  refused: 5,
  disk: 1,
  git: 1,
  internal: 1,
} as const
export type NeoErrorCode = keyof typeof EXIT_CODES

export class NeoError extends Error {
  override readonly name = 'NeoError'
  /**
   * @param code decides the exit code
   * @param message `Action: what is and what should be`, capital first, no final period
   * @param more `why` and `next` lines for the terminal, and the cause
   */
  constructor(
    readonly code: NeoErrorCode,
    message: string,
    readonly more: { readonly why?: string; readonly next?: string; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
  }
}

/** The message of a thrown value. */
export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
