/**
 * The session: one run of a worker. Three views of it live apart:
 * - SessionFile: what `rooms/<room>/sessions/<id>.md` says, for people;
 * - SessionRecord: what the daemon needs to go on after a kill, `<git dir>/neo/sessions/<id>/record.json`;
 * - Outcome: how it ended, `outcome.json` beside the record, written once.
 * Invariant 1: a record is durable before the task file names the session.
 * Invariant 2: an outcome, once written, never changes.
 */

import type { JsonObject } from '../agent/model-message.ts'
import type { ExecWorker, Limits } from '../home/home-config.ts'
import type { McpServerConfig, Permission } from '../room/room.ts'
import type { OnInterrupt, Review } from '../task/task.ts'

export const SESSION_STATUSES = [
  'starting',
  'running',
  'waiting_for_input',
  'verifying',
  'completed',
  'failed',
  'stopped',
] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

export interface SessionFile {
  readonly id: string
  readonly task: string
  readonly worker: string
  readonly model?: string
  readonly workspace: string
  readonly branch: string
  readonly base: string
  readonly status: SessionStatus
  readonly turns: number
  readonly startedAt: string
  readonly endedAt?: string
  /** What confined it: `none` for a human's runbook. */
  readonly sandbox: string
  /** Which host ran it. */
  readonly runner: string
  readonly body: string
}

/** Where a session works. All paths absolute. */
export interface Place {
  /** Top level of the repository whose branch the session works on. */
  readonly repository: string
  /** `''` for the whole repository, else the folder of the home that is the workspace, e.g. `workspace/files`. */
  readonly folder: string
  /** The branch that the session starts from and merges into. */
  readonly base: string
}

export interface SessionRecord {
  readonly v: 1
  readonly id: string
  readonly taskId: string
  /** Path of the task file at the start, relative to the home. */
  readonly taskPath: string
  readonly taskName: string
  readonly title: string
  readonly room: string
  readonly attempt: number
  readonly worker: string
  readonly place: Place
  readonly branch: string
  /** Commit that the branch starts from; `''` until the worktree is made. */
  readonly from: string
  readonly steps: readonly Step[]
  /** Blocks that look like commands and are not run, in words: the result names them. */
  readonly skipped?: readonly string[]
  readonly setup: readonly string[]
  readonly cleanup: readonly string[]
  readonly verify: readonly string[]
  /** Names (not values) that steps may see from the daemon's environment. */
  readonly env: readonly string[]
  /** Names and values that a template was filled in with; steps get them as environment. */
  readonly params?: Readonly<Record<string, string>>
  readonly envFiles: readonly string[]
  readonly review: Review
  readonly hooks: 'on' | 'off'
  readonly timeoutMs: number
  readonly onInterrupt: OnInterrupt
  readonly startedAt: string
  /** It runs in a session that waits for tasks: its worktree was there before, and stays. */
  readonly seat?: 'yes'
  /** Set for a runbook that a model wrote: approved or not, it runs confined, and reaches no more than this. */
  readonly confined?: Reach
  /** The branch or the worktree that it continues on holds a model's work that nobody has reviewed. */
  readonly over?: 'model'
  /** What an agent or a command-line agent is to do; absent for runbooks. */
  readonly agent?: AgentBrief
}

export interface Reach {
  readonly network: 'allow' | 'deny'
  /** Folders that may be read beside the worktree, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Absent: the defaults of the sandbox. */
  readonly limits?: Partial<Limits>
}

/**
 * Everything that an agent's first request is made of, fixed at its start, so that a resumed session says the same.
 */
export interface AgentBrief {
  /** `<provider>/<model>`; '' for command-line agents that choose their own. */
  readonly model: string
  /** Standing text, the most stable part first. */
  readonly system: readonly string[]
  /** The task, as the first message. */
  readonly prompt: string
  /** The task's body at the start: a later edit of it reaches the agent as a message. */
  readonly body: string
  readonly permissions: {
    readonly shell: Permission
    readonly network: Permission
    /** Globs relative to the workspace; empty: everything in it. */
    readonly write: readonly string[]
  }
  /** Servers of tools, by name, keys not filled in, and what the room says of their tools; absent: none. */
  readonly mcp?: {
    readonly servers: Readonly<Record<string, McpServerConfig>>
    /** Null: the room says nothing; what reads is allowed, the rest asks. */
    readonly permission: Permission | null
  }
  /** Folders that confined commands may read beside their own, absolute or `~/x`. */
  readonly read: readonly string[]
  /** What they may use; what is not named has a default. */
  readonly limits?: Partial<Limits>
  /** What a person should know of how it was set up, such as a skill that cannot be read. */
  readonly warnings?: readonly string[]
  /** For `exec:<name>`. */
  readonly exec?: ExecWorker
  /** Model calls at most. */
  readonly turns: number
  /** What confines it: `bubblewrap`, or `none`. */
  readonly sandbox: string
  /** How deep this session is below the user's task: subagents of subagents end at 2. */
  readonly depth: number
}

/**
 * Something a session needs from outside, kept in its folder until it is answered. `key` is unique in the session.
 */
export interface Want {
  readonly key: string
  readonly kind: 'question' | 'approval' | 'memory' | 'spawn'
  /** The question, the reason, the memory's content or the subagent's prompt. */
  readonly text: string
  /** For approvals: what exactly is wanted. For memories: type and tags. */
  readonly tool?: string
  readonly arguments?: JsonObject
  /** Id of the ask, or of the task of a subagent; follows from session and key. */
  readonly id: string
}

/** What came in for a session: an answer to a want, or a message. Handed to it once. */
export interface Delivery {
  /** The want's key; for messages a key of their own. */
  readonly key: string
  readonly kind: 'answer' | 'message'
  readonly from: string
  readonly text: string
  /** For approvals. */
  readonly verdict?: 'yes' | 'no'
}

/** One fenced block of a runbook. */
export interface Step {
  readonly shell: 'sh' | 'bash'
  readonly name: string
  readonly script: string
  readonly timeoutMs?: number
  readonly continueOnError: 'yes' | 'no'
  /** 1-based line of the task file, for messages. */
  readonly line: number
}

export interface CommandResult {
  readonly command: string
  /** null if it did not exit by itself. */
  readonly exitCode: number | null
  /** `timeout` and `output-limit` are the runner's stops. */
  readonly ended: 'exit' | 'timeout' | 'output-limit' | 'stopped'
  /** The end of its output, at most 4 KiB, redacted. */
  readonly tail: string
  readonly ms: number
}

export type Outcome =
  | {
      readonly kind: 'done'
      /** Commit at the tip of the session's branch; equal to `from` if nothing changed. */
      readonly commit: string
      readonly from: string
      readonly changed: 'yes' | 'no'
      readonly checks: readonly CommandResult[]
      readonly result: string
      /** The long form, for the session file. */
      readonly report?: string
      /** Why checks or hooks did not run, though the room wants them: only a person merges such work. */
      readonly unchecked?: string
      readonly endedAt: string
    }
  | {
      readonly kind: 'failed'
      readonly why: 'step' | 'setup' | 'verify' | 'timeout' | 'place' | 'hook' | 'agent' | 'model' | 'budget'
      readonly error: string
      readonly commit: string
      readonly from: string
      readonly checks: readonly CommandResult[]
      readonly endedAt: string
      /**
       * The end of the failing command's output, at most 4 KiB, redacted; for the session file. `error` is one line.
       */
      readonly tail?: string
    }
  /**
   * It cannot go on now, through no fault of its own: a budget is spent, a model does not answer. Its work is kept.
   */
  | {
      readonly kind: 'parked'
      readonly by: 'budget' | 'model' | 'filter'
      readonly error: string
      readonly commit: string
      readonly from: string
      readonly endedAt: string
      /** ISO time from which it may go on; absent if only a person or a new budget helps. */
      readonly retryAt?: string
    }
  /** A step was claimed, and neither its exit code nor a living supervisor can be found. */
  | { readonly kind: 'unknown'; readonly step: string; readonly error: string; readonly endedAt: string }
  | { readonly kind: 'stopped'; readonly why: string; readonly endedAt: string }
