/** The port of merging a session's branch into its base. */
import type { Place } from '../domain/session/session.ts'

export interface Merging {
  /** Merges by merge-tree and compare-and-swap; if the base is checked out, only over unmodified paths. */
  merge(place: Place, branch: string, message: MergeWords): Promise<MergeResult>
  /** Finishes or reverses a merge that a crash interrupted. Requires the home's lock. */
  mend(): Promise<void>
}

export type MergeResult =
  | { readonly kind: 'merged'; readonly commit: string }
  /** The base has everything. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** The merge would change a path that the user is editing, or git is busy. Nothing was changed. */
  | { readonly kind: 'waits'; readonly why: string }

/** Resolves a merge conflict by rule. Each side is the file's text, null without the file. */
export type Settle = (
  path: string,
  sides: { readonly base: string | null; readonly ours: string | null; readonly theirs: string | null },
) =>
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'conflict' }

export interface MergeWords {
  readonly subject: string
  readonly trailers: readonly (readonly [string, string])[]
  /** For files in conflict; absent: all stay conflicts. */
  readonly settle?: Settle
  /** The only commit of the branch that may be merged; absent: any. */
  readonly tip?: string | null
}
