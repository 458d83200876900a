/**
 * World: every outside thing that the program touches, as interfaces with their promises.
 * Adapters in adapters/ keep these promises; compose.ts is the only place that builds them; tests wrap them to make
 * the n-th call fail. Paths are absolute unless a name says otherwise.
 * Invariant 1: nothing here throws for what a user can cause (missing file, changed file, conflict): that is a value.
 * Invariant 2: what throws is a NeoError with the failing path or command in its text.
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
  /** The index of memory; absent in programs and tests that search by words alone. */
  readonly index?: IndexStores
  /** Puts the first hits of a search in a better order; absent in tests. */
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
  /** The file is not what `expect` said; nothing was written. `hash` is null where it is missing. */
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
  /** A part of a file of ours, at most `bytes` long; empty at its end, null without such a file. */
  readPart(path: string, offset: number, bytes: number): Buffer | null
  /**
   * Replaces the whole file or nothing: temp file beside it, write, size check, fsync, rename, fsync of the folder.
   * Keeps the mode of an existing file. Makes missing parent folders. `expect`: git blob id of the present bytes, or
   * null for "must not exist". Throws NeoError (code `disk`) on ENOSPC, …; then the old bytes stand, and no temp file.
   */
  save(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`; a new file's fsyncs, else the folder's, wait for `sync`: until then a power cut may tear a new file. */
  saveLater(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** As `save`; mode 600, in folders of mode 700. */
  savePrivate(path: string, bytes: Buffer, expect: string | null): SaveResult
  /** Removes a file if it is what `expect` says. */
  remove(path: string, expect: string): SaveResult
  /** Appends one whole line, with fdatasync before it returns (`later`: at `sync`); repairs a torn last line first. */
  append(path: string, line: string, sync?: 'now' | 'later'): void
  /** What `wanted` lets in below `root`, links not followed. A `named` folder is walked, and an entry. `isLink`: if known. */
  scan(root: string, wanted: Wanted): readonly ScanEntry[]
  /** JSON, mode 600 in folders of mode 700, under the git dir; durable (`later`: at `sync`). Null where missing or broken. */
  readJson(path: string): unknown
  writeJson(path: string, value: unknown, sync?: 'later'): void
  /** Resolves when what was to be synced later (at or below these paths) is on the disk. A moment later it is anyhow. */
  sync(below?: readonly string[]): Promise<void>
  /** Names in a folder; empty where it is missing. */
  names(dir: string): readonly string[]
  /** Of a plain file (or folder); null for anything else, links too, and for nothing. Throws where it may not be looked at. */
  stat(path: string, kind?: 'file' | 'folder'): Stat | null
  /** Removes temp files of ours below `root` that a crash left; only folders that `enter` lets in. Gives how many. */
  sweep(root: string, enter?: (folder: string) => boolean): number
  /** Removes a folder (or file) of ours under the git dir or `.neo/`, whole. */
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
  /** Commit or branch to start from: the base, or the branch itself where it exists and work goes on on it. */
  readonly from: string
}

export interface LogEntry {
  readonly commit: string
  readonly at: string
  /** When it came into this history: later than `at` where it was rebased. */
  readonly committed: string
  readonly author: string
  readonly subject: string
  /** A key may be there several times: a commit of many tasks names each. */
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
  /**
   * The git command of a person that is at work in the home's work tree, after a moment's wait for a short one; with the
   * words for it. Null for none.
   */
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
  /** The person whose home this is: git identity, else `$USER <$USER@localhost>`. */
  person(): Promise<Person & { readonly from: 'git' | 'system' }>
  /**
   * One commit on `branch` of the home of just these bytes: private objects, compare-and-swap of the ref, then the
   * user's index is brought up for exactly these paths where it still has the old entry. Runs no hooks. Retries
   * when the branch moves. A refresh of the index that the lock prevents is kept and done later (`refresh`).
   */
  commit(branch: string, request: CommitRequest): Promise<CommitResult>
  /** Does index refreshes that had to wait. Gives how many still wait. */
  refresh(): Promise<number>
  log(options: {
    readonly grep?: string
    readonly paths?: readonly string[]
    /** ISO 8601, by `committed`, that second included. */
    readonly since?: string
    readonly until?: string
    readonly limit: number
  }): Promise<readonly LogEntry[]>

  /** Finds the place of a workspace path; a value that says what is wrong where it cannot be used. */
  place(
    workspace: string,
    base: string | null,
  ): Promise<Place | { readonly wrong: string; readonly hint: string }>
  /** `asStored`: files whose filter does not run here; they hold what git stores, not what the filter makes of it. */
  addWorktree(
    request: WorktreeRequest,
  ): Promise<{ readonly head: string; readonly asStored?: readonly string[] }>
  /** Puts a worktree of ours on another branch, what git ignores left in it; `wrong` where it is not clean. */
  reuseWorktree(request: WorktreeRequest): Promise<{ readonly head: string } | { readonly wrong: string }>
  /**
   * Commits what is changed and not ignored in a session's worktree, once, on its branch; top level and branch must
   * be the session's own. Gives the branch's tip. `changed` compares tree of tip and `from`.
   */
  commitWorktree(request: WorkCommit): Promise<WorkCommitted>
  /** Detaches a worktree from its branch, so that people can check the branch out. */
  detachWorktree(place: Place, dir: string): Promise<void>
  /** Removes a clean worktree of ours; says why not otherwise. Its commits stay reachable. */
  removeWorktree(
    place: Place,
    dir: string,
  ): Promise<{ readonly kind: 'removed' } | { readonly kind: 'kept'; readonly why: string }>
  /** Deletes a branch of ours (`neo/…`) if it is merged into base or equals `expect`. */
  deleteBranch(place: Place, branch: string): Promise<'deleted' | 'kept'>
  /** Deletes a branch of ours; commits that are not merged stay under a ref of the session, until `dropAttempt`. */
  retireBranch(
    place: Place,
    of: { readonly branch: string; readonly session: string },
  ): Promise<'deleted' | 'kept'>
  dropAttempt(place: Place, session: string): Promise<void>
  branchState(
    place: Place,
    branch: string,
  ): Promise<
    /** `behind`: commits of the base that it lacks. */
    | { readonly kind: 'open'; readonly ahead: number; readonly behind: number }
    | { readonly kind: 'merged'; readonly commit: string }
    | { readonly kind: 'gone' }
  >
  branchExists(place: Place, branch: string): Promise<boolean>
  /** Merges by merge-tree and compare-and-swap; base checked out: only over paths that nobody works on. */
  merge(place: Place, branch: string, message: MergeWords): Promise<MergeResult>
  /** Diff of base...branch, without external programs. */
  diff(place: Place, branch: string): Promise<string>
  changedPaths(place: Place, branch: string): Promise<readonly string[]>
  /** Finishes or reverses a merge that a crash cut off. For whoever holds the home's lock: others may be merging. */
  mend(): Promise<void>
  /** Puts right what git knows of a session's worktree: after the home was moved, or its registration was lost. */
  repairWorktree(place: Place, dir: string, branch: string): Promise<void>
  /** The home that worktrees name in git; null: there is none. */
  registeredHome(): Promise<string | null>
  /** Packs the home's loose objects where there are many; prunes nothing. */
  maintain(): Promise<'done' | 'nothing'>
  /** Ends living helper processes. */
  close(): Promise<void>
}

export interface StepRequest {
  /** Folder of this step under the git dir: claim, out, exit. The claim in it decides that it starts once. */
  readonly dir: string
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Marks every process of the session, so that a stop finds all of them. */
  readonly session: string
  /** Epoch ms at which the runner stops it. */
  readonly deadline: number
  /** The runner also stops it when its command has run for so long: counted from the command's start, never early. */
  readonly limitMs?: number
  readonly outputLimit: number
}

export type StepResult =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  /** Claimed, but neither exit code nor living supervisor: nobody knows what it did. */
  | { readonly kind: 'unknown' }

export interface Processes {
  /**
   * Starts the step, or picks it up where it is (running or ended) when `dir` holds its claim. Resolves when it has
   * ended. Aborting `signal` stops the whole tree (≤ 5 s) and resolves with `ended: 'stopped'`. Aborting with the
   * reason `leave` lets it run and resolves never-started or running steps as `unknown` without writing anything.
   */
  step(request: StepRequest, signal: AbortSignal): Promise<StepResult>
  /** Kills every process of a session, by group and by mark; resolves when none is left or after 5 s, with the rest. */
  killSession(session: string, stepDirs: readonly string[]): Promise<number>
  /** pid, start time and boot id of this process. */
  self(): ProcessId
  alive(id: ProcessId): boolean
}

export interface ProcessId {
  readonly pid: number
  /** Opaque text that differs when a pid is used again; '' where the platform has none. */
  readonly startTime: string
  readonly bootId: string
}

export interface Watcher {
  /**
   * Hints that something changed at or below a path (relative to the home); never exact, may miss, may repeat. `trouble`
   * is told when watching does not work; rescans then carry the load; `well` when it works again. Returns what stops it.
   */
  watch(
    home: string,
    on: { hint(path: string): void; trouble(why: string): void; ready(): void; well?(): void },
  ): () => Promise<void>
}
