/**
 * What plan can decide. Each member is one transition of one subject, carried out by one function in engine/effects/.
 * Invariant 1: a decision names its subject by path or id and the version (hash) that it was decided on, so that its
 * effect can refuse if the file has changed since. Invariant 2: the same cause of a wake always has the same key, so
 * that it wakes Neo once.
 */
import type { Mark } from '../schedule/schedule.ts'
import type { Delivery, Outcome } from '../session/session.ts'
import type { BlockedBy, Task } from '../task/task.ts'

export interface Trigger {
  /** Names the cause: `inbox:<path>@<hash>`, `ask:<id>`, `failed:<task>@<attempt>@<time of its end>`. */
  readonly key: string
  readonly room: string
  /**
   * `message`: somebody wrote to Neo; `failed`: a task failed for good; `question`: a session asks; `ended`: a task
   * that Neo created has ended; `report`: all tasks that Neo created for one goal have ended.
   */
  readonly kind: 'message' | 'failed' | 'question' | 'ended' | 'report'
  /** Who: `human`, `member:<id>`, `schedule:<name>` of the user, `neo`, `session:<id>`, `task:<id>`, `system`. */
  readonly from: string
  /** What was said or what happened, as plain text. Text of others is data, not instructions. */
  readonly text: string
  /** Images that came with it. */
  readonly images?: readonly { readonly type: string; readonly path: string }[]
  readonly task?: string
  readonly session?: string
  readonly ask?: string
}

/** The state of a room's turn in this process. */
export type TurnFact =
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly triggers: readonly Trigger[]; readonly reply: string }
  /** No model or budget now, or too many wakes of its own (`brake`): retry from `at`, epoch ms. */
  | { readonly kind: 'waits'; readonly at: number; readonly why: string; readonly brake?: 'yes' }

interface OnTask {
  readonly path: string
  readonly hash: string
}

export type Decision =
  /** Give a new file its `neo:` block and commit it as its author wrote it. */
  | (OnTask & { readonly kind: 'adopt'; readonly id: 'new' | 'keep' })
  | { readonly kind: 'adopt-room'; readonly room: string; readonly path: string; readonly hash: string }
  /** Merge an old editor buffer three ways from the version that it carries. */
  | (OnTask & { readonly kind: 'reconcile' })
  /** Commit the user's change of status as theirs. */
  | (OnTask & { readonly kind: 'record'; readonly status: Task['status'] })
  /** The same for a schedule; `new` also if it is a copy of another. */
  | (OnTask & { readonly kind: 'adopt-schedule'; readonly id: 'new' | 'keep' })
  /** A person changed a schedule: that is committed as theirs. */
  | (OnTask & { readonly kind: 'record-schedule' })
  /** Create what a schedule is due with: a task or a message for each slot; then its mark is as given. */
  | (OnTask & {
      readonly kind: 'fire'
      readonly slots: readonly number[]
      /** How many slots pass without a run. */
      readonly missed: number
      readonly mark: Mark
    })
  | { readonly kind: 'forget'; readonly path: string; readonly room: string }
  /** Start a session. */
  | (OnTask & { readonly kind: 'start'; readonly attempt: number })
  /** A task for a person is ready: mark it as such. */
  | (OnTask & { readonly kind: 'hand-over'; readonly attempt: number })
  /** In progress without a session: pending again. */
  | (OnTask & { readonly kind: 'requeue'; readonly why: string })
  /** `by` null: until a person starts it again. */
  | (OnTask & { readonly kind: 'block'; readonly by: BlockedBy | null; readonly error: string })
  | (OnTask & { readonly kind: 'unblock' })
  | (OnTask & { readonly kind: 'open-ask'; readonly about: 'start' | 'interrupted' | 'push' })
  | (OnTask & {
      readonly kind: 'close-ask'
      readonly ask: string
      readonly verdict: 'approved' | 'denied' | 'expired' | 'changed'
    })
  | { readonly kind: 'resume'; readonly session: string }
  | { readonly kind: 'stop'; readonly session: string; readonly why: string }
  /** Block the task of a subagent whose session is being ended. */
  | (OnTask & { readonly kind: 'halt'; readonly session: string })
  /** Write a session's outcome into the task; merge if no review is wanted. */
  | (OnTask & { readonly kind: 'finish'; readonly session: string; readonly outcome: Outcome })
  /** Remove a session that its task no longer needs. */
  | { readonly kind: 'discard'; readonly session: string; readonly why: string }
  /** Let a room's Neo take a turn, in the background. */
  | { readonly kind: 'wake'; readonly room: string; readonly triggers: readonly Trigger[] }
  /** The turn of Neo is over: its causes are marked as handled. */
  | { readonly kind: 'turned'; readonly room: string }
  /** The task of a working agent was edited: notify the agent. */
  | (OnTask & { readonly kind: 'tell'; readonly session: string; readonly key: string })
  /** Handle what a session wants: a request to people, a memory, a subagent's task. */
  | { readonly kind: 'want'; readonly session: string; readonly key: string }
  /** Hand the user's decision to the session that waits for it. */
  | {
      readonly kind: 'answer'
      readonly session: string
      readonly key: string
      readonly path: string
      readonly hash: string
    }
  /** The session already has the answer, by a message or from before a kill: record that in the request. */
  | { readonly kind: 'settle'; readonly path: string; readonly hash: string; readonly answer: Delivery }
  /** A request whose session no longer waits for it. */
  | { readonly kind: 'withdraw'; readonly path: string; readonly hash: string }
  /** A subagent has ended: deliver its result to the session that started it. */
  | { readonly kind: 'report'; readonly session: string; readonly key: string; readonly path: string }
  /** Try again to merge work that had to wait. */
  | (OnTask & { readonly kind: 'merge' })
  /** Push the branch and open its pull request, in the background. */
  | (OnTask & { readonly kind: 'publish' })
  /** Its pull request is open, or opening it failed. */
  | (OnTask & { readonly kind: 'published'; readonly url: string | null; readonly error: string | null })
  /** The branch of a task in review was merged or deleted. */
  | (OnTask & { readonly kind: 'merged'; readonly commit: string })
  | (OnTask & { readonly kind: 'lost'; readonly error: string })

/** Decisions that start or continue somebody's work: commands without a daemon leave them to it. */
const STARTS_WORK: ReadonlySet<Decision['kind']> = new Set(['start', 'hand-over', 'resume'])

export function startsWork({ kind }: Decision): boolean {
  return STARTS_WORK.has(kind)
}

/** Why a ready-looking task does not start now; for `neo status` and `neo plan`. */
export interface Waiting {
  readonly path: string
  readonly on: string
}

export interface Plan {
  readonly decisions: readonly Decision[]
  readonly waiting: readonly Waiting[]
  /** The next time (epoch ms) at which planning again can give something new without any event; null for never. */
  readonly wakeAt: number | null
}

export type DecisionOf<K extends Decision['kind']> = Extract<Decision, { kind: K }>
