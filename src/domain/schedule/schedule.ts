/**
 * The schedule: what is to be done again and again, or once at a time; `rooms/<room>/schedules/<name>.md`. Invariant
 * 1: a slot is an instant (epoch ms) at which a schedule is due; whatever a clock does, it is used up once.
 */

/** What a cron expression allows, as lists of numbers; days also as `L`, `L-2`, `15W`, `LW`, `5L`, `5#2`. */
export interface CronFields {
  readonly second: readonly number[]
  readonly minute: readonly number[]
  readonly hour: readonly number[]
  readonly dayOfMonth: readonly (number | string)[]
  readonly month: readonly number[]
  readonly dayOfWeek: readonly (number | string)[]
}

export type When =
  /** `fields` is null if only the form of the expression was checked: then it is never due. */
  | { readonly kind: 'cron'; readonly cron: string; readonly fields: CronFields | null }
  | { readonly kind: 'every'; readonly everyMs: number }
  /**
   * As written. `wall` is its reading as if it were UTC, which it is where `fixed`; else the schedule's zone says.
   */
  | { readonly kind: 'at'; readonly at: string; readonly wall: number; readonly isFixed: boolean }

/** Values of the header that go into each task as they are: `worker: shell`, `verify: [...]`. */
export type TaskSettings = Readonly<Record<string, unknown>>

export interface Schedule {
  /** From the header; otherwise the heading of the body or the file name is used. */
  readonly title?: string
  readonly when: When
  readonly timezone?: string
  /** What becomes of slots that came while nothing could run. */
  readonly catchUp: 'latest' | 'all' | 'none'
  /** What becomes of a slot that comes while the task of an earlier one has not ended. */
  readonly overlap: 'skip' | 'queue' | 'all'
  readonly kind: 'task' | 'message'
  readonly template?: string
  readonly params: Readonly<Record<string, string>>
  readonly settings: TaskSettings
  readonly status: 'active' | 'paused' | 'done'
  readonly neo: { readonly id?: string; readonly createdAt?: string; readonly createdBy?: string }
  readonly body: string
}

/** What is known of a schedule's past; kept beside the repository, one a schedule id. */
export interface Mark {
  /** The rule and zone of this mark; another rule starts a new mark. */
  readonly rule: string
  /** Slots up to here are dealt with. */
  readonly upTo: number
  /** The last slots that ran, oldest first: they never run again, also when the clock goes back. */
  readonly fired: readonly number[]
  /** Slots up to here may have run and are no longer listed. */
  readonly floor: number
  /** Slots that wait for an earlier one's task to end. */
  readonly queue: readonly number[]
  /** The last runs that were skipped: how many, and when that was noticed. */
  readonly skipped?: { readonly count: number; readonly at: number }
}

export interface ScheduleFacts {
  /** By schedule id. */
  readonly marks: ReadonlyMap<string, Mark>
  /** Epoch ms from which on this process has been there: what came before was missed. */
  readonly since: number
  /** Whether this process stays until the next slot; `neo run` does not. */
  readonly waits: 'yes' | 'no'
}
