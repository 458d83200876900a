/** One change of a file of the home, and the largest file that Neo reads. */

/** Larger files are refused: no task file that a person writes comes near it. */
export const MAX_BYTES = 1024 * 1024

export interface FileChange {
  /** Relative to the home. */
  readonly path: string
  /** Git blob id of the present bytes; null: the file must not exist. */
  readonly before: string | null
  /** The new text; null removes the file. */
  readonly after: string | null
}
