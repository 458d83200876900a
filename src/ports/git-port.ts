/**
 * What the port `Git` (ports.ts) gives: how a commit and a merge went, and which git command of a person is at work.
 * Invariant 1: what a person can cause is a value here, never an error.
 */
import type { Place } from '../domain/session/session.ts'

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

/**
 * Settles a conflict of a merge by rule. Each side is the file's text, null where it is not there; `conflict`: it stays one.
 */
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
  /** For files that git finds in conflict; absent: all stay so. */
  readonly settle?: Settle
}

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

export interface WorkCommit {
  readonly place: Place
  readonly dir: string
  readonly branch: string
  /** Commit or branch that the work is compared with. */
  readonly from: string
  readonly subject: string
  readonly trailers: readonly (readonly [string, string])[]
  /** If all that has changed is left out: a refusal, or the branch as it is. Default: `refused`. */
  readonly leftOut?: 'refused' | 'listed'
}

export type WorkCommitted =
  /** `leftOut`: what was not committed and stays in the worktree, each with the reason; absent for nothing. */
  | {
      readonly kind: 'ok'
      readonly commit: string
      readonly changed: 'yes' | 'no'
      readonly leftOut?: readonly { readonly path: string; readonly why: string }[]
    }
  /** `filter`: the git filter that `path` would have to go through, and that does not run over such work. */
  | {
      readonly kind: 'refused'
      readonly why: string
      readonly filter?: string
      readonly path?: string
    }
