/**
 * Which events a question wants. Pure. Invariant 1: an event of a room that the caller does not see is never wanted.
 */
import type { Key, TimelineEvent } from './event.ts'
import { compareKeys } from './event.ts'

export interface Wanted {
  readonly room: string | null
  readonly task: TaskWanted | null
  readonly session: string | null
  readonly actor: string | null
  /** Null: all but `read`. */
  readonly kinds: ReadonlySet<string> | null
  /** Epoch ms, both included. */
  readonly since: number | null
  readonly until: number | null
  /** Only what is before it. */
  readonly before: Key | null
  /** Null stands for the home as a whole. */
  readonly sees: (room: string | null) => boolean
  /** Who asks, as the audit log names them; null: the owner, who alone is told who talks where. */
  readonly viewer: string | null
}

export interface TaskWanted {
  /** Its id first, then the other names that calls may have used. */
  readonly names: ReadonlySet<string>
  /** Null for a task whose file is gone. */
  readonly path: string | null
  readonly sessions: ReadonlySet<string>
}

export function isWanted(wanted: Wanted, event: TimelineEvent, key: Key): boolean {
  const at = Date.parse(event.at)
  if (wanted.since !== null && at < wanted.since) return false
  if (wanted.until !== null && at > wanted.until) return false
  if (wanted.before !== null && compareKeys(key, wanted.before) >= 0) return false
  return isAbout(wanted, event) && isOfKind(wanted, event) && isBy(wanted, event)
}

function isAbout({ room, task, session, sees }: Wanted, event: TimelineEvent): boolean {
  if (!sees(event.room)) return false
  if (room !== null && event.room !== room) return false
  if (session !== null && event.session !== session) return false
  if (task === null) return true
  if (event.task !== null) return task.names.has(event.task)
  return event.session !== null && task.sessions.has(event.session)
}

function isOfKind({ kinds }: Wanted, { kind, source }: TimelineEvent): boolean {
  if (kinds === null) return kind !== 'read'
  return (
    kinds.has(kind) || (kinds.has(source) && kind !== 'read') || (source === 'git' && kinds.has('commit'))
  )
}

/** `neo` is Neo of every room; a name is that of git. */
function isBy({ actor }: Wanted, event: TimelineEvent): boolean {
  if (actor === null || event.actor === actor) return true
  return event.actor.startsWith(`${actor}:`) || event.name?.toLowerCase() === actor.toLowerCase()
}

/** Whether anything else than these kinds is wanted. */
export function wantsMoreThan({ kinds }: Wanted, others: readonly string[]): boolean {
  return kinds === null || [...kinds].some((kind) => !others.includes(kind))
}
