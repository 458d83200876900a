/**
 * Which tasks plan looks at, whether a pending one may start now, and what it waits for. Invariant 1: nothing is ever
 * decided about a task that is not open: it is committed as it is, has its own id, has ended or is a draft, and has
 * no session.
 * Invariant 2: nothing starts, ends or leaves the machine in a room whose settings can't be read.
 */
import type { Facts, Snapshot, TaskFile } from '../plan/snapshot.ts'
import { findTask, findUnread, type TaskIndex } from './depends.ts'
import { ENDED } from './task.ts'

export type Readiness =
  | { readonly kind: 'ready' }
  /** `at`: epoch ms from which it may be ready without any other event. */
  | { readonly kind: 'waits'; readonly on: string; readonly at?: number }

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly index: TaskIndex
  readonly now: number
}

export function readiness(file: TaskFile, scene: Scene): Readiness {
  const room = scene.snapshot.rooms.get(file.room)?.room
  if (room !== undefined && room.status !== 'active') return waits(`room ${file.room} is ${room.status}`)
  if (scene.facts.barred) return waits('everything is stopped; start it with neo watch or neo run')
  if (scene.facts.elsewhere !== null) return waits(`work starts only on ${scene.facts.elsewhere}`)
  const blocked = dependencies(file, scene)
  if (blocked !== null) return waits(blocked)
  const retryAt = file.task.neo.retryAt === undefined ? Number.NaN : Date.parse(file.task.neo.retryAt)
  if (retryAt > scene.now)
    return { kind: 'waits', on: `the next attempt at ${file.task.neo.retryAt}`, at: retryAt }
  if (scene.facts.diskFull) return waits('disk space: worktrees exceed daemon.disk_limit')
  return { kind: 'ready' }
}

/** The first dependency that holds the task back, in words; null if none does. */
function dependencies(file: TaskFile, scene: Scene): string | null {
  for (const name of file.task.dependsOn) {
    const found = findTask(scene.index, name, file.room)
    if (found.kind === 'none') {
      const isThere = findUnread(scene.snapshot.invalid, name, file.room) !== null
      return isThere ? `${name}: can't read its file` : `${name}: task not found`
    }
    if (found.kind === 'many') return `${name}: more than one task has this name`
    const { status } = found.file.task
    if (status === 'completed') continue
    return ENDED.has(status) ? `${name} is ${status}` : `${name} (${status})`
  }
  return null
}

function waits(on: string): Readiness {
  return { kind: 'waits', on }
}

/** False if the file alone shows that there is nothing to do about it. */
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

/** Why nothing continues in the room; null if its settings can be read. */
export function unreadRoom(
  { rooms, invalid }: Pick<Snapshot, 'rooms' | 'invalid'>,
  room: string,
): string | null {
  const path = `rooms/${room}/ROOM.md`
  return !rooms.has(room) && invalid.has(path) ? `${path}, which is unreadable or was deleted` : null
}
