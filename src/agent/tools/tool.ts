/**
 * What a tool is: a command with a name, parameters, help and examples, that a model calls or a person types. Invariant
 * 1: a tool never throws for what a model or a file can cause: that is a result with `isError`. Invariant 2: a tool
 * reads and writes only in the session's worktree, or where the room allows it.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import type { Permission } from '../../domain/room/room.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Search } from '../../ports/search-port.ts'
import type { Web } from '../../ports/web-port.ts'
import type { WorktreeFiles } from '../../ports/worktree-files-port.ts'

export interface Param {
  /** As in the schema, snake_case. */
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'strings'
  readonly doc: string
  readonly required: 'yes' | 'no'
  /** How it is typed: in its place, as `--name` (`-x` with `short`), or all the rest of the line as it is. */
  readonly typed: 'positional' | 'flag' | 'rest'
  readonly short?: string
  /** The allowed values, if they are limited. */
  readonly allowed?: readonly string[]
  readonly least?: number
  readonly most?: number
}

/** Arguments after they were checked against the tool's parameters. */
export type Arguments = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface ToolResult {
  /** What the model sees; longer than the limit it is cut by the caller, and the whole kept beside the transcript. */
  readonly text: string
  readonly isError: boolean
  /** The whole text, if `text` was cut in the middle; it is saved beside the transcript. */
  readonly whole?: string
  /** The session is over after this call: one line, and what there is to say beyond it (`''` for nothing). */
  readonly finished?: { readonly result: string; readonly details?: string }
}

export interface Permissions {
  readonly shell: Permission
  readonly network: Permission
  /** Globs relative to the workspace; empty: everything in it. */
  readonly write: readonly string[]
}

/** What a session can do beside its files; each may wait for a person or another session. */
export interface Services {
  remember(what: {
    readonly text: string
    readonly tags: readonly string[]
    readonly type: string
  }): Promise<string>
  recall(query: string, limit: number): Promise<string>
  /** Files of the workspace that are about something, best first, relative to its folder; null if none are known. */
  files?(
    query: string,
    limit: number,
  ): Promise<readonly { readonly path: string; readonly about: string }[] | null>
  report(what: {
    readonly text: string
    readonly percent: number | null
    /** Items of the task's checklist. */
    readonly done: readonly string[]
  }): Promise<string>
  /** Waits until a person has answered. `key` names the question within the session, so that it is put once. */
  ask(key: string, question: string): Promise<string>
  /** Requests approval for one thing; `no` with the reason. `settled`: whether a person has allowed it in another way. */
  approve(
    key: string,
    what: { readonly tool: string; readonly arguments: JsonObject; readonly reason: string },
    settled?: () => Promise<boolean>,
  ): Promise<{ readonly verdict: 'yes' } | { readonly verdict: 'no'; readonly why: string }>
  /** A subagent: that it was started; its result comes as a message. */
  spawn(key: string, prompt: string): Promise<string>
  /** Text of a skill, or of a file of it; or why it can't be read. */
  skill(name: string, file: string | null): Promise<{ readonly text: string } | { readonly wrong: string }>
}

export interface ToolContext {
  /** Top of the session's worktree (real path). */
  readonly root: string
  /** The workspace's folder in it (real path): relative paths start here. */
  readonly cwd: string
  /** Id of this call, unique within the session: `[a-zA-Z0-9_-]`. */
  readonly call: string
  readonly permissions: Permissions
  /** Whether the worktree is one of a home, whose rooms, people and rules an agent does not see. */
  readonly home?: 'yes' | 'no'
  /** The worktree's files; tools use no other way to them. */
  readonly tree: WorktreeFiles
  readonly files: Files
  readonly search: Search
  readonly web: Web
  readonly services: Services
  /**
   * Runs a command line confined, once: called again with the same `call` after a crash it gives the result of the
   * first run, or null if it is unknown how it ended.
   */
  readonly run: (command: {
    readonly line: string
    readonly timeoutMs: number
  }) => Promise<{ readonly result: CommandResult; readonly output: string } | null>
  readonly signal: AbortSignal
}

export interface Tool {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** More for the model: when to use it, limits. */
  readonly docs: string
  readonly params: readonly Param[]
  /** For a tool of an MCP server: its own JSON Schema of an object, instead of `params`; its own server checks arguments. */
  readonly schema?: JsonObject
  /** As typed. */
  readonly examples: readonly string[]
  /** `reads`: may run beside others of the same answer, and again after a crash. */
  readonly effect: 'reads' | 'changes' | 'runs' | 'talks'
  run(args: Arguments, context: ToolContext): Promise<ToolResult>
}
