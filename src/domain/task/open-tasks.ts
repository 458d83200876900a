/**
 * Which tasks plan looks at: all that something may be decided about, out of many thousand that have ended. Pure.
 * Invariant 1: nothing is ever decided about a task that is left out: it is committed as it is, has an id of its
 * own, has ended or is a draft, and no session is its.
 */
import type { Facts, Snapshot, TaskFile } from '../plan/snapshot.ts'
import { ENDED } from './task.ts'
import type { TaskIndex } from './depends.ts'

/** False if the file alone says that there is nothing to do about it. */
export function isOpen({ gitStatus, task }: TaskFile): boolean {
  const rests = task.status === 'draft' || ENDED.has(task.status)
  return !rests || gitStatus !== 'same' || task.neo.id === undefined
}

/** The open tasks of the snapshot; all tasks if it does not list them. */
export function openTasks({ open, tasks }: Pick<Snapshot, 'open' | 'tasks'>): Iterable<TaskFile> {
  return (open ?? tasks).values()
}

/** The open tasks, those that share an id, and those of the sessions that there are. */
export function tasksToLookAt(
  snapshot: Pick<Snapshot, 'open' | 'tasks'>,
  facts: Pick<Facts, 'sessions'>,
  index: TaskIndex,
): Iterable<TaskFile> {
  const { open, tasks } = snapshot
  if (open === undefined) return tasks.values()
  const found = new Set(open.values())
  for (const id of index.originals.keys()) for (const file of index.byId.get(id) ?? []) found.add(file)
  for (const { record } of facts.sessions.values()) {
    const own = tasks.get(record.taskPath)
    if (own?.task.neo.id === record.taskId) found.add(own)
    else for (const file of index.byId.get(record.taskId) ?? []) found.add(file)
  }
  return found
}
