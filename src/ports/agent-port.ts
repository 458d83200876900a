/**
 * What agents need from outside: models, the sandbox, worktree files, the web, search, forges, MCP servers. Models throw
 * ModelError. Every part loads its library at first use, so that commands without a model don't pay for it.
 */

import type { JsonObject, Message, Reply, ToolSpec } from '../domain/agent/model-message.ts'
import type { ProviderConfig } from '../domain/home/home-config.ts'
import type { Limits } from '../domain/session/limits.ts'
import type { Forges } from './forge-port.ts'

/** One entry of `providers:` in neo.yaml, `${NAME}` filled in; or one made from the environment. */
export type Provider = ProviderConfig

export interface ModelRequest {
  /** System prompt, the most stable part first: one cache breakpoint after the last. */
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly maxTokens?: number
  /** Stop sequences, if the server supports them. */
  readonly stop?: readonly string[]
  readonly signal: AbortSignal
  /** Text as it streams. */
  readonly onText?: (delta: string) => void
}

export interface Model {
  /** `<provider>/<model>` as in neo.yaml. */
  readonly ref: string
  /** Context window in tokens; null if unknown. */
  readonly window: number | null
  /** Whether it accepts images; absent: no. */
  readonly sees?: boolean
  /**
   * One call, streamed, without retries: the caller waits, so that waits are visible. Throws ModelError, of kind `aborted`
   * for an aborted signal.
   */
  call(request: ModelRequest): Promise<Reply>
}

export interface Models {
  /** Opens a model without a request. `wrong`: why it can't be used, in one line (no key, unknown provider). */
  open(ref: string, providers: readonly Provider[]): Model | { readonly wrong: string }
  /** Sends the smallest request; null if it was answered, else why not. */
  probe(ref: string, providers: readonly Provider[], signal: AbortSignal): Promise<string | null>
}

export interface Confinement {
  /** Writable folders, absolute or `~/x`; the first is the workspace's, with a disk limit. */
  readonly write: readonly string[]
  /** Further readable folders and files, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Paths below `write` that can't be read or changed; links and missing paths are skipped. */
  readonly hide?: readonly string[]
  /**
   * The worktree of the first folder in `write`; if that is a subfolder, the rest is hidden. `repository`: readable for
   * git; null: no git. `never`: a git folder that is always hidden.
   */
  readonly worktree?: {
    readonly top: string
    readonly repository: string | null
    readonly never?: string
  }
  /** Resource limits, each with a default. Absent: no limits. */
  readonly limits?: Partial<Limits>
  readonly network: 'allow' | 'deny'
  readonly cwd: string
  /** The program whose folders are readable, absolute or on PATH; default: the one that is started. */
  readonly program?: string
  /** The whole environment of the command, without keys. */
  readonly env: Readonly<Record<string, string>>
}

export interface Sandbox {
  /** The sandbox's name as in session files (`bubblewrap`), or why there is none and what to install. */
  available(): Promise<
    | {
        readonly kind: string
        /** Limits that work here, and those that don't, for people. */
        readonly holds?: readonly string[]
        readonly lacks?: readonly string[]
      }
    | { readonly wrong: string; readonly next: string }
  >
  /**
   * The command line that runs `argv` confined, if `available` has a kind. Start it with `confinement.env` as its whole
   * environment: secret values must not be on a command line, which other users can read.
   */
  wrap(argv: readonly [string, ...string[]], confinement: Confinement): readonly [string, ...string[]]
}

/** What a path below a folder resolves to, with links followed one by one; `path` is relative, `''` for the folder. */
export type ResolvedPath =
  | { readonly kind: 'file' | 'folder' | 'missing' | 'other'; readonly path: string }
  /** It leads out, is a loop, …; `why` completes `"x" …`. */
  | { readonly kind: 'refused'; readonly why: string }

/** Why a real path (relative to the root) must not be touched; null if it may be. */
export type Admit = (real: string) => string | null

/**
 * Files of a session's worktree, in which an agent's commands may replace folders with links at any moment. Nothing is
 * ever read or written outside `root`. `path` is relative to `root`; `..` is the parent of a link's target, as the system
 * resolves it.
 */
export interface Worktree {
  look(root: string, path: string): ResolvedPath
  /** `admit` gets the real path, with the file's folder held open. */
  read(
    root: string,
    path: string,
    options: { readonly maxBytes: number; readonly admit: Admit },
  ):
    | { readonly kind: 'file'; readonly path: string; readonly bytes: Buffer }
    | { readonly kind: 'folder' | 'missing' | 'other'; readonly path: string }
    | { readonly kind: 'refused'; readonly why: string }
  /**
   * Replaces the whole file or nothing; makes parent folders; keeps the mode of an existing file. `change` returns the
   * new bytes for the old ones (null: no file), or why not. A file that changed in the meantime is refused.
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
  /** The body was longer than the limit. */
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
  /** Absolute folder; links are not followed. */
  readonly root: string
  readonly pattern: string
  readonly fixed: boolean
  readonly ignoreCase: boolean
  readonly globs: readonly string[]
  readonly context: number
  /** Relative to root; '' for all. */
  readonly path: string
  readonly maxLines: number
  readonly ms: number
  readonly signal: AbortSignal
}

export interface Search {
  /** Matching lines as `path:line:text`, limited in time and number. `wrong`: why the pattern is bad. */
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

/** An MCP server, with every `${NAME}` filled in. */
export type McpServer =
  | {
      readonly name: string
      readonly kind: 'stdio'
      readonly argv: readonly [string, ...string[]]
      /** Added to PATH, HOME and the like, which are all that it gets of the daemon's environment. */
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
  /** Its server declares that it changes nothing. */
  readonly readOnly: boolean
}

/** A tool that can't be offered to models. */
export interface SkippedTool {
  readonly name: string
  readonly why: string
}

export interface McpConnection {
  readonly tools: readonly McpTool[]
  readonly leftOut: readonly SkippedTool[]
  /**
   * One call, with its result as text. A server that died is restarted once. Errors, a timeout and an aborted signal are
   * results with `isError`; it never throws.
   */
  call(
    of: { readonly tool: string; readonly args: JsonObject },
    limits: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly isError: boolean }>
  /** Ends the connection, and the process of a stdio server. Resolves within some seconds. */
  close(): Promise<void>
}

export interface McpClients {
  /** Opens the servers in parallel: by name, the connection, or in one line why it can't be used. */
  open(
    servers: readonly McpServer[],
    options: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, McpConnection | { readonly wrong: string }>>
}

export interface AgentWorld {
  readonly models: Models
  readonly sandbox: Sandbox
  readonly tree: Worktree
  readonly web: Web
  readonly search: Search
  readonly forges: Forges
  /** Absent in programs and tests without MCP servers. */
  readonly mcp?: McpClients
}
