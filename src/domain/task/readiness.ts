/** Whether a pending task may start now, and if not, what it waits for. Pure. */
import type { Facts, Snapshot, TaskFile } from '../plan/snapshot.ts'
import { ENDED } from './task.ts'
import { findTask, findUnread, type TaskIndex } from './depends.ts'

export type Readiness =
  | { readonly kind: 'ready' }
  /** `at`: epoch ms from which it may be ready without any other event. */
  | { readonly kind: 'waits'; readonly on: string; readonly at?: number }

export interface Scene {
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
