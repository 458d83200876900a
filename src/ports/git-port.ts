/**
 * Results of the port `Git` for commits and merges, and which git command of the user is running. What a user can cause
 * is a value here, never an error.
 */
import type { Place } from '../domain/session/session.ts'

export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string; readonly parent: string | null }
  /** The tree would not change. */
  | { readonly kind: 'nothing' }
  /** Merge, rebase, … in progress, HEAD on another branch, or a git command of the user is running: retry later. */
  | { readonly kind: 'busy'; readonly why: string; readonly atWork?: AtWork }

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
}

/** A git command of the user that would fail, or go wrong, if the branch moved. */
export interface AtWork {
  readonly pid: number
  /** `commit`, `rebase`, … */
  readonly verb: string
  /** Epoch ms. */
  readonly since: number
  /** Epoch ms until which Neo waits for it. */
  readonly until: number
  /** `moved`: it refuses, or removes, uncommitted changes. */
  readonly files: 'kept' | 'moved'
}

export interface WorkCommit {
  readonly place: Place
  readonly dir: string
  readonly branch: string
  /** Commit or branch to compare the work with. */
  readonly from: string
  readonly subject: string
  readonly trailers: readonly (readonly [string, string])[]
  /** If every changed file is left out: refuse, or return the branch unchanged. Default: `refused`. */
  readonly leftOut?: 'refused' | 'listed'
}

export type WorkCommitted =
  /** `leftOut`: files that were not committed and stay in the worktree, with reasons. */
  | {
      readonly kind: 'ok'
      readonly commit: string
      readonly changed: boolean
      readonly leftOut?: readonly { readonly path: string; readonly why: string }[]
    }
  /** `filter`: the git filter of `path`, which may not run over this work. */
  | {
      readonly kind: 'refused'
      readonly why: string
      readonly filter?: string
      readonly path?: string
    }
