/** The port for signing commits. */

/**
 * `auto`: if the user's git settings ask for it; a failure makes an unsigned commit and a warning. `required`: a commit
 * that can't be signed is not made.
 */
export type SignMode = 'auto' | 'never' | 'required'

export interface Signing {
  /** For all further commits. */
  use(mode: SignMode): void
  /** Why the last commit was not signed although it should be; null: no trouble. */
  trouble(): string | null
}
