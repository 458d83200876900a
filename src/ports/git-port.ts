/** The port of git: the home's repository. Results of the user's doing (conflict, busy) are values. */
import type { Merging } from './merge-port.ts'
import type { LogEntry, Worktrees } from './worktree-port.ts'

/** Git, for the home and for workspaces. One queue per repository: calls may be made at any time, in any number. */
export interface Git extends HomeRepository, Worktrees, Merging {}

export interface HomeRepository {
  /** Absolute git dir of the home (common dir). */
  readonly gitDir: string
  /** Top of the home's work tree, real path. */
  readonly top: string
  /** `branch` null: detached; `commit` null: unborn; `busy`: merge, rebase, … under way. */
  head(): Promise<{
    readonly branch: string | null
    readonly commit: string | null
    readonly busy: string | null
  }>
  /** A git command of the user that runs in the home's work tree (short ones are waited for), and its description. */
  atWork(): Promise<(AtWork & { readonly says: string }) | null>
  /** Blob ids of all files below the given folders or files in `commit`, by path; a map of the caller's own. */
  tree(commit: string, paths: readonly string[]): Promise<Map<string, string>>
  blob(id: string): Promise<Buffer>
  /** Versions of a path on the home's branch, newest first, at most `limit`. */
  versions(
    path: string,
    limit: number,
  ): Promise<readonly { readonly commit: string; readonly blob: string }[]>
  /** Those paths that some commit of the home's branch has. */
  everHad(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** The id that git gives these bytes. */
  blobId(bytes: Buffer): string
  /** The user: git identity, else `$USER <$USER@localhost>`. */
  person(): Promise<Person & { readonly from: 'git' | 'system' }>
  /**
   * One commit on `branch` of the home of just these bytes: private objects, compare-and-swap of the ref, then the
   * user's index is updated for exactly these paths if it still has the old entry. Runs no hooks. Retries when the
   * branch moves. An index update that a lock prevents is done later (`refresh`).
   */
  commit(branch: string, request: CommitRequest): Promise<CommitResult>
  /** Does index updates that had to wait; returns how many still wait. */
  refresh(): Promise<number>
  log(options: {
    readonly grep?: string
    readonly paths?: readonly string[]
    /** ISO 8601, by `committed`, that second included. */
    readonly since?: string
    readonly until?: string
    readonly limit: number
  }): Promise<readonly LogEntry[]>
  /** The home's path by its registered worktrees; null without any. */
  registeredHome(): Promise<string | null>
  /** Packs the home's loose objects if there are many; prunes nothing. */
  maintain(): Promise<'done' | 'nothing'>
  /** Ends helper processes. */
  close(): Promise<void>
}

/** The bytes a commit puts at a path (relative to the repository); null removes the path. */
export type Change = readonly [path: string, bytes: Buffer | null]

export interface Person {
  readonly name: string
  readonly email: string
}

export interface CommitRequest {
  readonly changes: readonly Change[]
  readonly subject: string
  /** Lines between subject and trailers; may be empty. */
  readonly body: string
  readonly trailers: readonly (readonly [key: string, value: string])[]
  readonly author: Person
  readonly beside?: () => Promise<void>
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string; readonly parent: string | null }
  /** The tree would not change. */
  | { readonly kind: 'nothing' }
  /** Merge, rebase, … in progress, HEAD on another branch, or a git command of the user is running: retry later. */
  | { readonly kind: 'busy'; readonly why: string; readonly atWork?: AtWork }

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
