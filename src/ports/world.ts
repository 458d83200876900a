/**
 * World: everything outside that the program uses, as interfaces with their promises. adapters/ implements them,
 * compose.ts builds them, and tests wrap them to make the n-th call fail. Paths are absolute unless a name says otherwise.
 * Invariants: 1. what a user can cause (missing file, changed file, conflict) is a value, not an error; 2. what throws is
 * a NeoError that names the path or command.
 */
import type { CommandResult, Place } from '../domain/session/session.ts'
import type { AgentWorld } from './agent-port.ts'
import type { HomeRemote } from './remote-port.ts'
import type { BranchReader } from './branch-port.ts'
import type { AtWork, CommitResult, MergeResult, MergeWords, WorkCommit, WorkCommitted } from './git-port.ts'
import type { Signing } from './signing-port.ts'
import type { IndexStores, SentenceModel, TrackedReader } from './index-port.ts'

export interface World {
  readonly files: Files
  readonly git: Git
  readonly clock: Clock
  readonly random: Random
  readonly processes: Processes
  readonly watcher: Watcher
  /** Models and what agents need; absent in programs and tests that run no agents. */
  readonly agent?: AgentWorld
  /** The remote of the home, for `daemon.sync`. */
  readonly remote?: HomeRemote
  readonly signing?: Signing
  /** The search index; absent in programs and tests that search by words alone. */
  readonly index?: IndexStores
  /** Ranks the first hits of a search; absent in tests. */
  readonly sentences?: SentenceModel
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once after `ms` (any length, also over 24 days); returns what cancels it. */
  after(ms: number, call: () => void): () => void
}

export interface Random {
  /** `<prefix>-` and 6 characters of base 36. */
  id(prefix: 't' | 'r' | 's' | 'a'): string
}

export interface Stat {
  readonly size: number
  readonly mtimeMs: number
  readonly ino: number
  readonly ctimeMs?: number
}

export type ReadResult =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly stat: Stat }
  | { readonly kind: 'missing' }
  /** A folder, FIFO, socket, device, link loop, a link that leads out, a file over `maxBytes`, unreadable. */
  | { readonly kind: 'refused'; readonly why: string }

export type SaveResult =
  | { readonly kind: 'saved'; readonly hash: string }
  /** The file is not what `expect` says; nothing was written. `hash` is null if it is missing. */
  | { readonly kind: 'changed'; readonly hash: string | null }

export interface ScanEntry extends Stat {
  /** Relative to the scanned root, with `/`. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'other'
}
export type Wanted = (path: string, is: 'file' | 'folder', isLink: boolean) => boolean | 'named'

export interface Files {
  /** Never blocks on a FIFO, never reads more than `maxBytes`. `scanned`: a scan has just seen a plain file there. */
  read(path: string, maxBytes: number, kind?: 'scanned'): ReadResult
  /** At most `bytes` of a file; empty at its end, null without such a file. */
  readPart(path: string, offset: number, bytes: number): Buffer | null
  /**
   * Replaces the whole file or nothing: temp file beside it, write, size check, fsync, rename, fsync of the folder.
   * Keeps the mode of an existing file. Makes missing parent folders. `expect`: git blob id of the present bytes, or
   * null for "must not exist". Throws NeoError (code `disk`) on ENOSPC, …; then the old file stays, without a temp file.
   */
  save(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`, but fsyncs (of a new file, else of the folder) wait for `sync`: a power cut may tear a new file. */
  saveLater(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`; mode 600, in folders of mode 700. */
  savePrivate(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** Removes a file if it is what `expect` says. */
  remove(path: string, expect: string): SaveResult
  /** Appends one whole line, with fdatasync before it returns (`later`: at `sync`); repairs a torn last line first. */
  append(path: string, line: string, sync?: 'now' | 'later'): void
  /** Entries below `root` for which `wanted` is true; links are not followed. A `named` folder is walked and listed. */
  scan(root: string, wanted: Wanted): readonly ScanEntry[]
  /** JSON, mode 600 in folders of mode 700, under the git dir; durable (`later`: at `sync`). Null if missing or broken. */
  readJson(path: string): unknown
  writeJson(path: string, value: unknown, sync?: 'later'): void
  /** Resolves when `later` writes at or below these paths are on disk, where they also get by themselves soon. */
  sync(below?: readonly string[]): Promise<void>
  /** Names in a folder; empty if it is missing. */
  names(dir: string): readonly string[]
  /** Of a plain file (or folder); null for anything else, links included. Throws if access is denied. */
  stat(path: string, kind?: 'file' | 'folder'): Stat | null
  /** Removes Neo's temp files that a crash left below `root`, in folders that `enter` allows; returns how many. */
  sweep(root: string, enter?: (folder: string) => boolean): number
  /** Removes a folder or file under the git dir or `.neo/`. */
  removeTree(dir: string): void
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

export interface WorktreeRequest {
  readonly place: Place
  /** Folder to make. */
  readonly dir: string
  readonly branch: string
  /** Commit or branch to start from: the base, or the branch itself if work on it continues. */
  readonly from: string
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

/** Git, for the home and for workspaces. One queue per repository: calls may be made at any time, in any number. */
export interface Git extends TrackedReader, BranchReader {
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
  /** Blob ids of all files below the given folders or files in `commit`, by path. */
  tree(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>>
  blob(id: string): Promise<Buffer>
  /** Versions of a path on the home's branch, newest first, at most `limit`. */
  versions(
    path: string,
    limit: number,
  ): Promise<readonly { readonly commit: string; readonly blob: string }[]>
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
  /** Merges by merge-tree and compare-and-swap; if the base is checked out, only over unmodified paths. */
  merge(place: Place, branch: string, message: MergeWords): Promise<MergeResult>
  /** Diff of base...branch, without external programs. */
  diff(place: Place, branch: string): Promise<string>
  changedPaths(place: Place, branch: string): Promise<readonly string[]>
  /** Finishes or reverses a merge that a crash interrupted. Requires the home's lock. */
  mend(): Promise<void>
  /** Repairs git's registration of a session's worktree, after the home was moved or the registration was lost. */
  repairWorktree(place: Place, dir: string, branch: string): Promise<void>
  /** The home's path by its registered worktrees; null without any. */
  registeredHome(): Promise<string | null>
  /** Packs the home's loose objects if there are many; prunes nothing. */
  maintain(): Promise<'done' | 'nothing'>
  /** Ends helper processes. */
  close(): Promise<void>
}

export interface StepRequest {
  /** Folder of this step under the git dir: claim, out, exit. The claim makes it start once. */
  readonly dir: string
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Marks every process of the session, so that a stop finds all of them. */
  readonly session: string
  /** Epoch ms at which the runner stops it. */
  readonly deadline: number
  /** The runner also stops it when its command has run this long, from the command's own start. */
  readonly limitMs?: number
  readonly outputLimit: number
}

export type StepResult =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  /** Claimed, without an exit code or a living supervisor: what it did is unknown. */
  | { readonly kind: 'unknown' }

export interface Processes {
  /**
   * Starts the step, or attaches to it (running or ended) if `dir` holds its claim. Resolves when it has ended. Aborting `signal` stops the whole tree (≤ 5 s) and resolves with `ended: 'stopped'`. Aborting with the
   * reason `leave` lets it run and resolves never-started or running steps as `unknown` without writing anything.
   */
  step(request: StepRequest, signal: AbortSignal): Promise<StepResult>
  /** Kills every process of a session, by group and by mark; resolves when none is left, or after 5 s, with how many. */
  killSession(session: string, stepDirs: readonly string[]): Promise<number>
  /** pid, start time and boot id of this process. */
  self(): ProcessId
  alive(id: ProcessId): boolean
}

export interface ProcessId {
  readonly pid: number
  /** Opaque text that differs when a pid is reused; '' if the platform has none. */
  readonly startTime: string
  readonly bootId: string
}

export interface Watcher {
  /**
   * Hints that something changed at or below a path (relative to the home); may miss and repeat. `trouble`: watching
   * doesn't work and rescans replace it; `well`: it works again. Returns what stops it.
   */
  watch(
    home: string,
    on: { hint(path: string): void; trouble(why: string): void; ready(): void; well?(): void },
  ): () => Promise<void>
}
