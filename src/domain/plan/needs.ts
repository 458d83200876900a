/** What needs a person now: requests, reviews, own tasks, blocked and failed ones. `neo status` and the page show it. */
import type { Worker } from '../task/task.ts'
import { settingsOf } from '../task/task-settings.ts'
import type { AskFile, Snapshot, TaskFile } from './snapshot.ts'

export interface Needs {
  readonly asks: readonly AskFile[]
  readonly reviews: readonly TaskFile[]
  /** Tasks at work whose worker is a person. */
  readonly yours: readonly TaskFile[]
  /** Those that no request asks about. */
  readonly blocked: readonly TaskFile[]
  readonly failed: readonly TaskFile[]
}

/** Failures older than this are history. */
const RECENT_MS = 7 * 86_400_000

/** @param now epoch ms */
export function needsOf(snapshot: Snapshot, isSeen: (room: string) => boolean, now: number): Needs {
  const files = [...snapshot.tasks.values()].filter(({ room }) => isSeen(room))
  const having = (status: string) => files.filter(({ task }) => task.status === status)
  return {
    asks: openAsks(snapshot, isSeen),
    reviews: having('review'),
    yours: having('in_progress').filter((file) => workerOf(snapshot, file).kind === 'human'),
    blocked: having('blocked').filter(
      ({ task: { neo } }) => neo.blocked !== 'ask' && neo.blocked !== 'interrupted',
    ),
    failed: having('failed').filter(
      ({ task }) => (Date.parse(task.neo.completedAt ?? '') || 0) > now - RECENT_MS,
    ),
  }
}

/** Requests that nobody has decided or answered. */
export function openAsks({ asks }: Snapshot, isSeen: (room: string) => boolean): readonly AskFile[] {
  return [...asks.values()].filter(
    ({ ask, room }) =>
      isSeen(room) && ask.decision === 'pending' && ask.handledAt === undefined && ask.answer === undefined,
  )
}

/** The task's own worker, else its room's, else the home's. */
export function workerOf({ rooms, config }: Snapshot, { task, room }: TaskFile): Worker {
  return settingsOf(task, rooms.get(room)?.room ?? null, config).worker
}
