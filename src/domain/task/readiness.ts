/**
 * Which tasks plan looks at, whether a pending one may start now, and what it waits for. Invariant 1: nothing is ever
 * decided about a task that is not open: it is committed as it is, has its own id, has ended or is a draft, and has
 * no session.
 * Invariant 2: nothing starts, ends or leaves the machine in a room whose settings can't be read.
 */
import type { RoomStatus } from '../room/room.ts'
import type { Facts, Snapshot, TaskFile } from '../plan/snapshot.ts'
import { findTask, findUnread, type TaskIndex } from './depends.ts'
import { ENDED } from './task.ts'

export type Readiness =
  | { readonly kind: 'ready' }
  /** `at`: epoch ms from which it may be ready without any other event. */
  | { readonly kind: 'waits'; readonly on: string; readonly at?: number }

/** The facts that tell whether something may start. */
export type StartFacts = Pick<Facts, 'sessions' | 'barred' | 'elsewhere' | 'diskFull'>

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: StartFacts
  readonly index: TaskIndex
  readonly now: number
}

/** What keeps a pending task from starting. */
export type Blocker =
  | { readonly kind: 'room'; readonly status: RoomStatus }
  /** Everything was stopped. */
  | { readonly kind: 'stopped' }
  /** Another host is the one that starts work. */
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'task'; readonly name: string; readonly file: TaskFile }
  /** A dependency that isn't one task. */
  | { readonly kind: 'name'; readonly name: string; readonly why: string }
  /** `at`: epoch ms. */
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'disk' }

export function readiness(file: TaskFile, scene: Scene): Readiness {
  const [first] = blockersOf(file, scene)
  if (first === undefined) return { kind: 'ready' }
  const on = textOf(first, file)
  return first.kind === 'time' ? { kind: 'waits', on, at: first.at } : { kind: 'waits', on }
}

/** All of them, the one that is named first in front. */
export function* blockersOf({ room: name, task }: TaskFile, scene: Scene): Generator<Blocker> {
  const { snapshot, facts, now } = scene
  const room = snapshot.rooms.get(name)?.room
  if (room !== undefined && room.status !== 'active') yield { kind: 'room', status: room.status }
  if (facts.barred) yield { kind: 'stopped' }
  if (facts.elsewhere !== null) yield { kind: 'host', host: facts.elsewhere }
  for (const other of task.dependsOn) {
    const blocker = dependency(other, name, scene)
    if (blocker !== null) yield blocker
  }
  const retryAt = task.neo.retryAt === undefined ? Number.NaN : Date.parse(task.neo.retryAt)
  if (retryAt > now) yield { kind: 'time', at: retryAt }
  if (facts.diskFull) yield { kind: 'disk' }
}

function dependency(name: string, room: string, { index, snapshot }: Scene): Blocker | null {
  const found = findTask(index, name, room)
  if (found.kind === 'one')
    return found.file.task.status === 'completed' ? null : { kind: 'task', name, file: found.file }
  if (found.kind === 'many') return { kind: 'name', name, why: 'more than one task has this name' }
  const isThere = findUnread(snapshot.invalid, name, room) !== null
  return { kind: 'name', name, why: isThere ? "can't read its file" : 'task not found' }
}

/** Completes "waits for". If only a person ends the wait, with the command. */
function textOf(blocker: Blocker, { room, task }: TaskFile): string {
  switch (blocker.kind) {
    case 'room':
      return `room ${room}, which is ${blocker.status}: neo room resume ${room}`
    case 'stopped':
      return 'neo watch or neo run: everything was stopped'
    case 'host':
      return `host ${blocker.host}, which alone starts work`
    case 'task': {
      const { status } = blocker.file.task
      return ENDED.has(status)
        ? `${blocker.name}, which is ${status}: neo task retry ${blocker.name}`
        : `${blocker.name} (${status})`
    }
    case 'name':
      return `${blocker.name}: ${blocker.why}`
    case 'time':
      return `the next attempt at ${task.neo.retryAt}`
    case 'disk':
      return 'disk space (worktrees exceed daemon.disk_limit): neo clean'
  }
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
