/**
 * The session: one run of a worker, in three places:
 * - SessionFile: `rooms/<room>/sessions/<id>.md`, for people;
 * - SessionRecord: what the daemon needs to continue after a kill, `<git dir>/neo/sessions/<id>/record.json`;
 * - Outcome: how it ended, `outcome.json` beside the record, written once.
 * Invariant 1: a record is durable before the task file names the session.
 * Invariant 2: an outcome, once written, never changes.
 */

import type { JsonObject } from '../agent/model-message.ts'
import type { Limits, Permission } from '../home/home-config.ts'
import type { ContextRef } from '../peer/peer.ts'
import type { OnInterrupt, Review } from '../task/task.ts'
import type { WorkerSetup } from '../task/worker-kinds.ts'

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
  /** The sandbox: `none` for a runbook of a person. */
  readonly sandbox: string
  /** The host that ran it. */
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
  /** Descriptions of blocks that look like commands and don't run, for the result. */
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
  /** Set if it runs in a session that waits for tasks: its worktree existed before, and stays. */
  readonly seat?: 'yes'
  /** Set for a runbook that a model wrote: approved or not, it runs confined to this. */
  readonly confined?: Reach
  /** Set if its branch or worktree contains unreviewed work of a model. */
  readonly over?: 'model'
  /** What an agent or a command-line agent is to do; absent for runbooks. */
  readonly agent?: AgentBrief
  /** What the agent of another home is to do: `worker: peer:<id>`. */
  readonly peer?: PeerBrief
}

export interface PeerBrief {
  readonly agentId: string
  /** The name of a template there. */
  readonly taskType: string
  readonly taskParams: Readonly<Record<string, string>>
  readonly scope: readonly ContextRef[]
}

export interface Reach {
  readonly network: 'allow' | 'deny'
  /** Folders that may be read beside the worktree, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Absent: the defaults of the sandbox. */
  readonly limits?: Partial<Limits>
}

/** Everything in an agent's first request, fixed at its start, so that a resumed session sends the same. */
export interface AgentBrief extends WorkerSetup {
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
  /** Folders that confined commands may read besides their own, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Limits; those that aren't set have defaults. */
  readonly limits?: Partial<Limits>
  /** Problems of the setup that a person should know, such as a skill that can't be read. */
  readonly warnings?: readonly string[]
  /** Model calls at most; null: the task's budget limits them. */
  readonly turns: number | null
  /** The sandbox: `bubblewrap` or `none`. */
  readonly sandbox: string
  /** Depth below the user's task; subagents of subagents have 2, the limit. */
  readonly depth: number
}

/** Something that a session needs, stored in its folder until it is answered. `key` is unique in the session. */
export interface Want {
  readonly key: string
  readonly kind: 'question' | 'approval' | 'memory' | 'spawn'
  /** The question, the reason, the memory's content or the subagent's prompt. */
  readonly text: string
  /** For approvals: the exact action. For memories: type and tags. For subagents: the persona. */
  readonly tool?: string
  readonly arguments?: JsonObject
  /** Id of the ask, or of the task of a subagent; follows from session and key. */
  readonly id: string
}

/** A delivery to a session: an answer to a want, or a message. Delivered once. */
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
      /** Why checks or hooks of the room did not run: then only a person merges the work. */
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
  /** It can't continue now for an outside reason: a spent budget, a model that doesn't answer. Its work is kept. */
  | {
      readonly kind: 'parked'
      readonly by: 'budget' | 'model' | 'filter'
      readonly error: string
      readonly commit: string
      readonly from: string
      readonly endedAt: string
      /** ISO time from which it can continue; absent if that needs a person or a new budget. */
      readonly retryAt?: string
    }
  /** A step was claimed, but has neither an exit code nor a running supervisor. */
  | { readonly kind: 'unknown'; readonly step: string; readonly error: string; readonly endedAt: string }
  | { readonly kind: 'stopped'; readonly why: string; readonly endedAt: string }
