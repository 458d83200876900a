/**
 * What the port `Git` (ports.ts) gives: how a commit and a merge went, and which git command of a person is at work.
 * Invariant 1: what a person can cause is a value here, never an error.
 */
export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string; readonly parent: string | null }
  /** The tree would not change. */
  | { readonly kind: 'nothing' }
  /** Merge, rebase, … under way, HEAD not on the home's branch, or a git command of a person at work: try later. */
  | { readonly kind: 'busy'; readonly why: string; readonly atWork?: AtWork }

export type MergeResult =
  | { readonly kind: 'merged'; readonly commit: string }
  /** The branch has nothing that base lacks. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** A person is working on a path that the merge would change, or git is busy. Nothing was changed. */
  | { readonly kind: 'waits'; readonly why: string }

/** A git command of a person that would fail, or go wrong, if the branch moved under it. */
export interface AtWork {
  readonly pid: number
  /** `commit`, `rebase`, … */
  readonly verb: string
  /** Epoch ms. */
  readonly since: number
  /** Epoch ms from which it is not waited for any more. */
  readonly until: number
  /** `moved`: it refuses, or takes away, what is changed and not committed. */
  readonly files: 'kept' | 'moved'
}
