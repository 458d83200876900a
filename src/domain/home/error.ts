/**
 * NeoError: what should not happen, with a code from a closed list. What users, models and peers can cause is a value
 * elsewhere; only the command line turns values into this to end with an exit code and the three-line message.
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

/** What was thrown, as text. */
export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
