/**
 * The snapshot: an immutable picture of the home's files; and the facts: what files cannot say. Both are plan's only
 * inputs, beside the time.
 */
import type { Ask } from '../ask/ask.ts'
import type { HomeConfig } from '../home/home-config.ts'
import type { Problem } from '../home/problem.ts'
import type { Room } from '../room/room.ts'
import type { Schedule, ScheduleFacts } from '../schedule/schedule.ts'
import type { Delivery, Outcome, SessionRecord, Want } from '../session/session.ts'
import type { Task } from '../task/task.ts'
import type { TurnFact } from './decision.ts'

/**
 * How a file compares with the commit on the home's branch:
 * - `new`: no such path there;
 * - `same`: equal;
 * - `edited`: a person changed it, and its `neo:` block is the committed one (or a person edited that too);
 * - `stale`: it carries an older `neo:` block than ours, or none: an old editor buffer was saved.
 */
export type GitStatus = 'new' | 'same' | 'edited' | 'stale'

export interface TaskFile {
  /** Relative to the home, with `/`: `rooms/shop/tasks/fix-login.md`. */
  readonly path: string
  readonly room: string
  /** Path under `tasks/` without `.md`. */
  readonly name: string
  /** Git blob id of the bytes that were read. */
  readonly hash: string
  readonly gitStatus: GitStatus
  /** Status in the committed version; null without one. */
  readonly committedStatus: Task['status'] | null
  readonly task: Task
}

export interface RoomFile {
  readonly path: string
  /** Folder name. */
  readonly name: string
  readonly hash: string
  readonly gitStatus: GitStatus
  readonly room: Room
}

export interface AskFile {
  readonly path: string
  readonly room: string
  readonly hash: string
  readonly gitStatus: GitStatus
  readonly ask: Ask
}

/** A message to a room's Neo, `rooms/<room>/inbox/<name>.md`. */
export interface InboxFile {
  readonly path: string
  readonly room: string
  readonly name: string
  readonly hash: string
  readonly from: string
  readonly text: string
}

export interface ScheduleFile {
  readonly path: string
  readonly room: string
  readonly name: string
  readonly hash: string
  readonly gitStatus: GitStatus
  readonly schedule: Schedule
}

export interface Snapshot {
  readonly config: HomeConfig
  readonly rooms: ReadonlyMap<string, RoomFile>
  /**
   * By path. Files that cannot be understood are not here but in `problems`, unless a last good version is in force.
   */
  readonly tasks: ReadonlyMap<string, TaskFile>
  /** Those of the tasks that are `isOpen`; absent if nobody keeps them apart. */
  readonly open?: ReadonlyMap<string, TaskFile>
  readonly asks: ReadonlyMap<string, AskFile>
  readonly inbox: ReadonlyMap<string, InboxFile>
  /** Absent where only tasks are asked about. */
  readonly schedules?: ReadonlyMap<string, ScheduleFile>
  /** Task paths that are committed but gone from disk, confirmed by settling and one rescan. */
  readonly deleted: readonly {
    readonly path: string
    readonly taskId: string | null
    readonly room: string
  }[]
  readonly problems: readonly Problem[]
  /** Paths of task files that have an `error` problem now, even if an older version stays in force. */
  readonly invalid: ReadonlySet<string>
  readonly git: GitState
}

export type GitState =
  /** `held`: a git command of the user is at work, in words. Writing is possible, commits and decisions wait. */
  | { readonly kind: 'home'; readonly branch: string; readonly commit: string; readonly held?: string }
  /** HEAD is elsewhere or detached: nothing starts, nothing counts as deleted. `branch`: the one that it should be on, if known. */
  | { readonly kind: 'away'; readonly why: string; readonly branch?: string }
  /** A merge, rebase, cherry-pick, revert or bisect is under way: wait. */
  | { readonly kind: 'busy'; readonly why: string }

export interface SessionFact {
  readonly record: SessionRecord
  /** `live`: a runner of this process drives it; `dormant`: only its record is there; `ended`: it has an outcome. */
  readonly state: 'live' | 'dormant' | 'ended'
  readonly outcome: Outcome | null
  /** A stop was asked for and is being carried out. */
  readonly stopping: boolean
  /** `yes`: its runner does nothing but wait for answers, or for subagents; absent: it works, or nobody knows. */
  readonly idle?: boolean
  /** What an agent waits for or has left to be done. */
  readonly wants?: readonly Want[]
  /** Keys of the messages that were put into its mailbox. */
  readonly heard?: ReadonlySet<string>
  /** What it was answered, by the id of what it wanted: an ask's, a subagent's task's. */
  readonly answers?: ReadonlyMap<string, Delivery>
}

/** The state of the branch of a task in review. */
export type BranchFact =
  | { readonly kind: 'open'; readonly ahead: number }
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'gone' }

export type PullFact =
  /** It is being pushed and opened, or asked for the first time. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'merged'; readonly url: string }
  | { readonly kind: 'closed'; readonly url: string; readonly reason: string }
  /** Tried again from `at` (epoch ms). */
  | { readonly kind: 'failed'; readonly error: string; readonly at: number }

export interface Facts {
  readonly sessions: ReadonlyMap<string, SessionFact>
  /** By task id: the last attempt that was started here, whatever git says since. Absent if nobody keeps it. */
  readonly attempts?: Pick<ReadonlyMap<string, number>, 'get'>
  /** By task id, for tasks in `review`. */
  readonly branches: ReadonlyMap<string, BranchFact>
  /** `neo stop --all` was said, and neither watch nor run has begun since. */
  readonly barred: boolean
  /** Another host is the one that starts work (`daemon.node`). */
  readonly elsewhere: string | null
  /** Worktrees passed `daemon.disk_limit`. */
  readonly diskFull: boolean
  /** Whether the home's own model can be used, and what to say if not. */
  readonly agent: { readonly kind: 'ready' } | { readonly kind: 'none'; readonly error: string }
  /**
   * By task id: why its worker cannot work now (no model, no such command); null: nothing hinders. Else as `agent`
   * says.
   */
  readonly cannot: ReadonlyMap<string, string | null>
  /**
   * By task id: the budget that is spent, and epoch ms at which it counts from zero again; null: a person has to
   * raise it.
   */
  readonly budgets: ReadonlyMap<string, { readonly error: string; readonly at: number | null }>
  /** By task id: the state of the pull request of a task in review, as far as it is known. */
  readonly pulls: ReadonlyMap<string, PullFact>
  /** Whether Neo can take turns at all, which take place, and which causes have had theirs. */
  readonly neo: {
    readonly ready: 'yes' | 'no'
    readonly turns: ReadonlyMap<string, TurnFact>
    readonly woken: Pick<ReadonlySet<string>, 'has'>
    /** Ids of tasks whose end is said in the conversation in which they began: their room hears nothing of it. */
    readonly told?: ReadonlySet<string>
    /** By path of a message: how many of its name are in the archive. */
    readonly earlier?: ReadonlyMap<string, number>
  }
  /** Absent if nobody keeps what ran: then nothing is due. */
  readonly schedules?: ScheduleFacts
  /** SHA-256 of what each pending or approved ask names, as it is now; by ask id. */
  readonly askHashes: ReadonlyMap<string, string>
}
