/** The port of sessions' worktrees, of their branches, and of the tracked files of workspaces. */
import type { Place } from '../domain/session/session.ts'

export interface Worktrees {
  /** Repository, folder and base of a workspace path, or why it can't be used. */
  place(
    workspace: string,
    base: string | null,
  ): Promise<Place | { readonly wrong: string; readonly hint: string }>
  /** `asStored`: files whose git filter does not run here; they hold what git stores. */
  addWorktree(
    request: WorktreeRequest,
  ): Promise<{ readonly head: string; readonly asStored?: readonly string[] }>
  /** Switches a worktree to another branch; ignored files stay. `wrong` if it is not clean. */
  reuseWorktree(request: WorktreeRequest): Promise<{ readonly head: string } | { readonly wrong: string }>
  /**
   * Commits what is changed and not ignored in a session's worktree, once, on its branch; top level and branch must
   * be the session's own. Returns the branch's tip. `changed` compares the trees of tip and `from`.
   */
  commitWorktree(request: WorkCommit): Promise<WorkCommitted>
  /** Detaches a worktree from its branch, so that people can check the branch out. */
  detachWorktree(place: Place, dir: string): Promise<void>
  /** Removes a clean worktree, or says why not. Its commits stay reachable. */
  removeWorktree(
    place: Place,
    dir: string,
  ): Promise<{ readonly kind: 'removed' } | { readonly kind: 'kept'; readonly why: string }>
  /** Repairs git's registration of a session's worktree, after the home was moved or the registration was lost. */
  repairWorktree(place: Place, dir: string, branch: string): Promise<void>
  /** Deletes a branch `neo/…` if it is merged into the base. */
  deleteBranch(place: Place, branch: string): Promise<'deleted' | 'kept'>
  /** Deletes a branch `neo/…`; unmerged commits stay under a ref of the session, until `dropAttempt`. */
  retireBranch(
    place: Place,
    of: { readonly branch: string; readonly session: string },
  ): Promise<'deleted' | 'kept'>
  dropAttempt(place: Place, session: string): Promise<void>
  branchState(
    place: Place,
    branch: string,
  ): Promise<
    /** `behind`: missing commits of the base. */
    | { readonly kind: 'open'; readonly ahead: number; readonly behind: number }
    | { readonly kind: 'merged'; readonly commit: string }
    | { readonly kind: 'gone' }
  >
  branchExists(place: Place, branch: string): Promise<boolean>
  /** Diff of base...branch, without external programs. */
  diff(place: Place, branch: string): Promise<string>
  /** Diff of since..branch; null if `since` isn't a commit of the branch's own work. */
  diffSince(place: Place, branch: string, since: string): Promise<string | null>
  /** Commits of the base whose message matches, and that change one of the paths, if there are some; newest first. */
  history(
    place: Place,
    options: { readonly grep?: string; readonly paths?: readonly string[]; readonly limit: number },
  ): Promise<readonly LogEntry[]>
  /** Paths that a commit changed, compared with its first parent; relative to the repository. */
  commitPaths(place: Place, commit: string): Promise<readonly string[]>
  /** What a commit changed, compared with its first parent; of `paths` only, if there are some. */
  commitDiff(place: Place, commit: string, paths: readonly string[]): Promise<string>
  /** Commit of the branch; null if it doesn't exist. */
  tip(place: Place, branch: string): Promise<string | null>
  changedPaths(place: Place, branch: string): Promise<readonly string[]>
  /** Ignored and other uncommitted files of a session's worktree, by path; null if there are too many. */
  uncommitted(place: Place, worktree: string): Promise<readonly UncommittedFile[] | null>
  /** A git filter that is configured for the repository; null for none. */
  filter(place: Place, name: string): Promise<GitFilter | null>
  /** Lets it run over files that models write; false if it no longer has this hash. */
  allowFilter(place: Place, name: string, hash: string): Promise<boolean>
  /** Whether a filter has decrypted files in a session's worktree that git stores encrypted. */
  holdsDecoded(place: Place, worktree: string): Promise<boolean>
  /** Whether the branch, or a base that is a session's branch, has unmerged work of a model. */
  holdsModelWork(place: Place, branch: string): Promise<boolean>
  /** The hooks folder that git would use for this worktree. */
  hooksDir(place: Place, worktree: string): Promise<string>
  /** Symbolic links that the branch adds or changes, with their targets. */
  changedLinks(
    place: Place,
    branch: string,
  ): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** All symbolic links of the branch's newest commit. */
  links(place: Place, branch: string): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** Files and links that the commits of the branch write, each version once; a link's bytes are its target. */
  writtenFiles(place: Place, branch: string): Promise<AsyncIterable<WrittenFile>>
  /**
   * Tracked files of a place's base, relative to its folder; null if the base is gone. Empty if it is still at the commit
   * `unless`. `only`: just these files and folders (`x/`).
   */
  filesAt(place: Place, unless: string, only?: readonly string[]): Promise<TrackedFiles | null>
  /** What the base has at a path of the place's folder; null for nothing. */
  entryAt(place: Place, path: string): Promise<Entry | null>
  /** Null if it is gone. */
  bytesAt(place: Place, id: string): Promise<Buffer | null>
  /** Ends helper processes for a workspace outside the home, until the next read. */
  rest(place: Place): Promise<void>
}

export interface WorktreeRequest {
  readonly place: Place
  /** Folder to make. */
  readonly dir: string
  readonly branch: string
  /** Commit or branch to start from: the base, or the branch itself if work on it continues. */
  readonly from: string
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

/** A file of a session's worktree that is not in its commit. */
export interface UncommittedFile {
  readonly path: string
  readonly kind: 'file' | 'program' | 'link' | 'other'
  /** Hash of its path, kind and bytes, or its link target. */
  readonly sha256: string
}

export interface WrittenFile {
  readonly path: string
  /** Empty for a new file. */
  readonly before: Buffer
  readonly bytes: Buffer
}

export interface GitFilter {
  /** Hash of its name and commands. */
  readonly hash: string
  /** `clean = …`, one a line. */
  readonly settings: readonly string[]
  /** Allowed to run over files that models write. */
  readonly isAllowed: boolean
  /** A file of the repository that its commands name; then it can't be allowed. */
  readonly inside: string | null
}

export interface TrackedFiles {
  readonly commit: string
  readonly files: ReadonlyMap<string, { readonly id: string; readonly size: number }>
}

/** Other: a link, or a repository of its own. */
export interface Entry {
  readonly kind: 'file' | 'folder' | 'other'
  readonly id: string
}

export interface LogEntry {
  readonly commit: string
  readonly at: string
  /** When it came into this history: later than `at` after a rebase. */
  readonly committed: string
  readonly author: string
  readonly subject: string
  /** A commit of several tasks has a key several times. */
  readonly trailers: Readonly<Record<string, readonly string[]>>
}
