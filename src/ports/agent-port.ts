/**
 * The outside things that agent work needs, beside ports.ts: models, the sandbox, the web, ripgrep, forges.
 * Same promises as there: what a user can cause is a value; models throw ModelError; the rest throws NeoError.
 * Every part loads its library at its first use, so that commands without a model do not pay for it.
 */
import type { ProviderConfig } from '../domain/home/home-config.ts'
import type { Limits } from '../domain/session/limits.ts'
import type { JsonObject, Message, Reply, ToolSpec } from '../domain/agent/model-message.ts'
import type { Forges } from './forge-port.ts'

/** One entry of `providers:` in neo.yaml, `${NAME}` filled in; or one made from the environment. */
export type Provider = ProviderConfig

export interface ModelRequest {
  /** Standing text, the most stable part first: one cache breakpoint after the last. */
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly maxTokens?: number
  /** Words before which the reply ends, where the server can do that. */
  readonly stop?: readonly string[]
  readonly signal: AbortSignal
  /** Text as it streams. */
  readonly onText?: (delta: string) => void
}

export interface Model {
  /** `<provider>/<model>` as in neo.yaml. */
  readonly ref: string
  /** Tokens that conversation and reply may have together; null where not known. */
  readonly window: number | null
  /** Whether pictures may be put before it; absent: no. */
  readonly sees?: 'yes' | 'no'
  /**
   * One call, streamed. Retries nothing: waits are the caller's, so that they are visible. Throws ModelError.
   * With an aborted signal it throws kind `aborted` at once.
   */
  call(request: ModelRequest): Promise<Reply>
}

export interface Models {
  /** Opens a model; no request is made. `wrong` says in one line why it cannot be used (no key, no such provider). */
  open(ref: string, providers: readonly Provider[]): Model | { readonly wrong: string }
  /** Asks the smallest question, to see whether it answers; gives null, or why not. */
  probe(ref: string, providers: readonly Provider[], signal: AbortSignal): Promise<string | null>
}

export interface Confinement {
  /** Folders that may be written, absolute or `~/x`; the first is the workspace's, its use of the disk is limited. */
  readonly write: readonly string[]
  /** Folders and files that may be read beside the system's and `write`, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Paths below `write` that can't be read or changed. Where a link or nothing is there, nothing is done. */
  readonly hide?: readonly string[]
  /**
   * The worktree that `write` begins with: all of it, or a folder in it; then nothing else of it is there.
   * `repository` is what it is a worktree of, for git to read; null: there is no git. `never`: a git folder that is
   * shown in no case.
   */
  readonly worktree?: {
    readonly top: string
    readonly repository: string | null
    readonly never?: string
  }
  /** What it may use; what is not named has a default. Absent: nothing is watched. */
  readonly limits?: Partial<Limits>
  readonly network: 'allow' | 'deny'
  readonly cwd: string
  /** The program whose folders are shown, absolute or on PATH; the one that is started where not given. */
  readonly program?: string
  /** The whole environment of the command, already without keys. */
  readonly env: Readonly<Record<string, string>>
}

export interface Sandbox {
  /** What confines, as in session files: `bubblewrap`; or why nothing can (`wrong`), with what to install. */
  available(): Promise<
    | {
        readonly kind: string
        /** Limits that hold here, and what is open, for people. */
        readonly holds?: readonly string[]
        readonly lacks?: readonly string[]
      }
    | { readonly wrong: string; readonly next: string }
  >
  /**
   * The command line that runs `argv` confined. Call only where `available` gives a kind. To be started with
   * `confinement.env` as its whole environment: secret values are not put on a command line that others can read.
   */
  wrap(argv: readonly [string, ...string[]], confinement: Confinement): readonly [string, ...string[]]
}

/** Where a path below a folder leads, links followed one by one; `path` is relative, with `/`, `''` for the folder. */
export type ResolvedPath =
  | { readonly kind: 'file' | 'folder' | 'missing' | 'other'; readonly path: string }
  /** It leads out, is a loop, … : `why` completes `"x" …`. */
  | { readonly kind: 'refused'; readonly why: string }

/** Says of a real path (relative to the root) why it is not to be touched; null where it may be. */
export type Admit = (real: string) => string | null

/**
 * Files of a session's worktree, where commands of an agent may swap folders for links at any moment. Nothing here
 * ever reads or writes outside `root`, whatever a path or a link says. `path` is relative to `root`; `..` is the
 * folder above what a link led to, as the system takes it.
 */
export interface Worktree {
  look(root: string, path: string): ResolvedPath
  /** `admit` is asked about the real path, with the file's folder held open. */
  read(
    root: string,
    path: string,
    options: { readonly maxBytes: number; readonly admit: Admit },
  ):
    | { readonly kind: 'file'; readonly path: string; readonly bytes: Buffer }
    | { readonly kind: 'folder' | 'missing' | 'other'; readonly path: string }
    | { readonly kind: 'refused'; readonly why: string }
  /**
   * Replaces the whole file or nothing, parents made; an existing file keeps its mode. `change` gives the new bytes
   * for the old ones (null: no file), or says why not. A file that changed meanwhile is refused and left as it is.
   */
  write(
    root: string,
    path: string,
    options: {
      readonly maxBytes: number
      readonly admit: Admit
      readonly change: (old: Buffer | null) => Buffer | { readonly refused: string }
    },
  ):
    | { readonly kind: 'written'; readonly path: string; readonly before: 'file' | 'missing' }
    | { readonly kind: 'refused'; readonly why: string }
}

export interface Fetched {
  readonly url: string
  readonly status: number
  readonly type: string
  readonly text: string
  /** True where the body was longer than the limit. */
  readonly cut: boolean
}

export interface Web {
  /**
   * GET with every hop checked (public addresses only, pinned), size and time limited.
   * `refused`: not allowed or not reachable, with the reason in one line.
   */
  fetch(
    url: string,
    limits: { readonly bytes: number; readonly ms: number; readonly signal: AbortSignal },
  ): Promise<Fetched | { readonly refused: string }>
}

export interface SearchRequest {
  /** Absolute folder; nothing above it is read, links are not followed. */
  readonly root: string
  readonly pattern: string
  readonly fixed: 'yes' | 'no'
  readonly ignoreCase: 'yes' | 'no'
  readonly globs: readonly string[]
  readonly context: number
  /** Relative to root; '' for all. */
  readonly path: string
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

export interface Search {
  /** Matching lines as `path:line:text`; ended by limits, never hung by a pattern. `wrong`: a bad pattern, and why. */
  grep(
    request: SearchRequest,
  ): Promise<{ readonly lines: readonly string[]; readonly cut: boolean } | { readonly wrong: string }>
  /** Files that ignore rules keep, relative to root, sorted. */
  files(
    root: string,
    request: {
      readonly globs: readonly string[]
      readonly path: string
      readonly max: number
      readonly signal: AbortSignal
    },
  ): Promise<{ readonly paths: readonly string[]; readonly cut: boolean } | { readonly wrong: string }>
}

/** A server of tools (Model Context Protocol), ready to be started or called: every `${NAME}` is filled in. */
export type McpServer =
  | {
      readonly name: string
      readonly kind: 'stdio'
      readonly argv: readonly [string, ...string[]]
      /** Beside PATH, HOME and the like; nothing else of the daemon's environment. */
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
    }
  | {
      readonly name: string
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

export interface McpTool {
  /** As its server calls it. */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly schema: JsonObject
  /** Its server says that it changes nothing. */
  readonly readOnly: 'yes' | 'no'
}

/** A tool that no model could be told of. */
export interface SkippedTool {
  readonly name: string
  readonly why: string
}

export interface McpConnection {
  readonly tools: readonly McpTool[]
  readonly leftOut: readonly SkippedTool[]
  /**
   * One call, its result as text. A server that died is started once more before it. What goes wrong, a time that is
   * over and an aborted signal are results with `isError`; it never throws and never hangs.
   */
  call(
    of: { readonly tool: string; readonly args: JsonObject },
    limits: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly isError: 'yes' | 'no' }>
  /** Ends the connection, and the process of a stdio server. Resolves within some seconds. */
  close(): Promise<void>
}

export interface McpClients {
  /** Opens the servers beside each other; by name, what each gives, or in one line why it cannot be used. */
  open(
    servers: readonly McpServer[],
    options: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, McpConnection | { readonly wrong: string }>>
}

/** What `World` has beside files and git for agent work. */
export interface AgentWorld {
  readonly models: Models
  readonly sandbox: Sandbox
  readonly tree: Worktree
  readonly web: Web
  readonly search: Search
  readonly forges: Forges
  /** Absent in programs and tests without servers of tools. */
  readonly mcp?: McpClients
}
