/**
 * ModelError: why a model did not answer, in a closed list of kinds, so that callers decide by kind and never by text.
 */

/**
 * - `auth`, `billing`, `forbidden`, `missing` (no such model), `request` (we sent something wrong), `refused_size` (too
 * large): the same call fails again, a person has to act;
 * - `overflow`: the conversation does not fit the window;
 * - `rate`: a rate or usage limit; `retryAfterMs` if the server told when it resets;
 * - `overloaded`, `server`, `network`, `cut` (a stream that broke off), `silent` (nothing came for too long): pass by;
 * - `aborted`: we stopped it ourselves.
 */
export type ModelErrorKind =
  | 'auth'
  | 'billing'
  | 'forbidden'
  | 'missing'
  | 'request'
  | 'refused_size'
  | 'overflow'
  | 'rate'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'cut'
  | 'silent'
  | 'aborted'

export class ModelError extends Error {
  override readonly name = 'ModelError'
  constructor(
    readonly kind: ModelErrorKind,
    /** One line, with the server's own words, without keys. */
    message: string,
    readonly more: {
      readonly status?: number
      readonly retryAfterMs?: number
      readonly requestId?: string
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
  }
}
