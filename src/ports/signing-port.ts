/**
 * The port for signatures of commits: how they are made from now on, and whether they can be.
 */

/**
 * `auto`: if the person's settings ask for it, and unsigned with a trouble where that fails; `required`: a commit that cannot
 * be signed is not made.
 */
export type SignMode = 'auto' | 'never' | 'required'

export interface Signing {
  /** From now on. */
  use(mode: SignMode): void
  /** Why the last commit that was to be signed was not; null: nothing is wrong. */
  trouble(): string | null
}
