/**
 * The session: one run of a worker. Three views of it live apart:
 *  - SessionFile: what `rooms/<room>/sessions/<id>.md` says, for people;
 *  - SessionRecord: what the daemon needs to go on after a kill, `<git dir>/neo/sessions/<id>/record.json`;
 *  - Outcome: how it ended, `outcome.json` beside the record, written once.
 * Invariant 1: a record is durable before the task file names the session.
 * Invariant 2: an outcome, once written, never changes.
 */
import type { OnInterrupt, Review } from './task.ts'

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
  readonly setup: readonly string[]
  readonly cleanup: readonly string[]
  readonly verify: readonly string[]
  /** Names (not values) that steps may see from the daemon's environment. */
  readonly env: readonly string[]
  readonly envFiles: readonly string[]
  readonly review: Review
  readonly hooks: 'on' | 'off'
  readonly timeoutMs: number
  readonly onInterrupt: OnInterrupt
  readonly startedAt: string
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
  /** null where it did not exit by itself. */
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
      /** Commit at the tip of the session's branch; equal to `from` where nothing changed. */
      readonly commit: string
      readonly from: string
      readonly changed: 'yes' | 'no'
      readonly checks: readonly CommandResult[]
      readonly result: string
      readonly endedAt: string
    }
  | {
      readonly kind: 'failed'
      readonly why: 'step' | 'setup' | 'verify' | 'timeout' | 'place' | 'hook'
      readonly error: string
      readonly commit: string
      readonly from: string
      readonly checks: readonly CommandResult[]
      readonly endedAt: string
      /** The end of the failing command's output, at most 4 KiB, redacted; for the session file. `error` is one line. */
      readonly tail?: string
    }
  /** A step was claimed, and neither its exit code nor a living supervisor can be found. */
  | { readonly kind: 'unknown'; readonly step: string; readonly error: string; readonly endedAt: string }
  | { readonly kind: 'stopped'; readonly why: string; readonly endedAt: string }
