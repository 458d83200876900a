/**
 * What a tool is: one row with its name, its input and what it does, for a model that calls it or a person who types it.
 * Invariant 1: a tool never throws for what a model or a file can cause: that is a result with `isError`. Invariant 2: a
 * tool reads and writes only in the session's worktree, or where the room allows it.
 */
import { z } from 'zod'
import type { JsonObject, ToolSpec } from '../../domain/agent/model-message.ts'
import type { Permission } from '../../domain/home/home-config.ts'
import type { CommandResult } from '../../domain/session/session.ts'
import { modelSchema, readInput } from '../../files/values/input-issues.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Search } from '../../ports/search-port.ts'
import type { Web } from '../../ports/web-port.ts'
import type { WorktreeFiles } from '../../ports/worktree-files-port.ts'

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
  /** A subagent: that it was started, as its result comes as a message; or why it wasn't. */
  spawn(
    key: string,
    prompt: string,
    persona?: string,
  ): Promise<{ readonly text: string } | { readonly wrong: string }>
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

/** Where parameters are in a typed line; others are flags, `--name=VALUE`. */
export interface Typed {
  readonly places?: readonly string[]
  /** All the rest of the line as it is. */
  readonly rest?: string
  /** `-x` for flags. */
  readonly short?: Readonly<Record<string, string>>
}

export interface Tool {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** More for the model: when to use it, limits. */
  readonly docs: string
  /** For a tool of an MCP server: its own JSON Schema of an object; the server checks arguments. */
  readonly input: z.ZodObject | { readonly json: JsonObject }
  readonly typed?: Typed
  /** As typed. */
  readonly examples: readonly string[]
  /** `reads`: may run beside others of the same answer, and again after a crash. */
  readonly effect: 'reads' | 'changes' | 'runs' | 'talks'
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>
}

interface Row<S extends z.ZodRawShape> extends Omit<Tool, 'input' | 'run'> {
  readonly input: S
  run(args: z.output<z.ZodObject<S>>, context: ToolContext): Promise<ToolResult>
}

/** A tool of this program: arguments have the types of the row's input. */
export function tool<S extends z.ZodRawShape>({ input, run, ...row }: Row<S>): Tool {
  return {
    ...row,
    input: z.strictObject(input),
    run: (args, context) => run(args as unknown as z.output<z.ZodObject<S>>, context),
  }
}

/** The tool's description for a model. */
export function specOf({ name, summary, docs, input }: Tool): ToolSpec {
  const description = [summary, docs].filter((text) => text !== '').join('\n')
  return { name, description, schema: 'json' in input ? input.json : modelSchema(input) }
}

/** Reads what a model sent. */
export function readArguments(
  { name, input }: Pick<Tool, 'name' | 'input'>,
  sent: JsonObject,
): { readonly args: JsonObject } | { readonly wrong: string } {
  if ('json' in input) return { args: sent }
  const read = readInput(input, sent)
  return 'wrong' in read ? { wrong: `Cannot call ${name}: ${read.wrong}` } : { args: read.args as JsonObject }
}
