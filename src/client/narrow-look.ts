/**
 * Calls that need only a part of the home: with 10,000 tasks, reading the whole home takes most of the time. A call about
 * one task needs that task and its room; a search, which has its own index, needs the names of rooms. Invariants: 1. a
 * task that is new, has no id or is a link needs the whole home: it may be a copy of another one; 2. a search needs the
 * whole home if a room has no ROOM.md: such a room exists by its tasks alone.
 */
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { kindOf } from '../domain/home/home-paths.ts'

const OF_ONE_TASK: ReadonlySet<string> = new Set(
  ['update', 'start', 'retry', 'cancel', 'complete', 'fail', 'delete'].map((verb) => `task.${verb}`),
)

interface Asked {
  readonly method: string
  readonly params: unknown
}

const SEARCH = 'memory.search'

export function narrowPaths(home: string, { method, params }: Asked): readonly string[] | null {
  if (method === SEARCH) return roomFiles(home)
  const { taskId, roomId, updates, dependsOn } = (params ?? {}) as Readonly<Record<string, unknown>>
  const dependencies = dependsOn ?? ((updates ?? {}) as Readonly<Record<string, unknown>>)['dependsOn']
  if (dependencies !== undefined) return null
  const path = OF_ONE_TASK.has(method) && typeof taskId === 'string' ? taskId : null
  const known = path === null ? null : kindOf(path)
  const room = method === 'task.create' && typeof roomId === 'string' ? roomId : known?.room
  if (room === undefined || (path !== null && known?.kind !== 'task')) return null
  const paths = [`rooms/${room}/ROOM.md`, ...(path === null ? [] : [path])]
  return paths.every((one) => isAsNamed(home, one)) ? paths : null
}

function roomFiles(home: string): readonly string[] | null {
  try {
    const folders = readdirSync(join(home, 'rooms'), { withFileTypes: true }).filter((one) => !one.isFile())
    const paths = folders.map(({ name }) => `rooms/${name}/ROOM.md`)
    return paths.every((one) => isAsNamed(home, one)) ? paths : null
  } catch {
    return null
  }
}

/** True if these paths are all that the call needs. */
export function suffices(snapshot: Snapshot, { method, params }: Asked): boolean {
  if (method === 'task.create' || method === SEARCH) return true
  const { taskId } = params as { readonly taskId: string }
  const file = snapshot.tasks.get(taskId)
  if (file === undefined || file.task.neo.id === undefined) return false
  const isKnown = file.gitStatus === 'same' || file.gitStatus === 'edited'
  return isKnown && (method !== 'task.update' || file.task.dependsOn.length === 0)
}

/** True if the file is there and no link is on the way to it. */
function isAsNamed(home: string, path: string): boolean {
  try {
    return realpathSync(join(home, path)) === join(realpathSync(home), path)
  } catch {
    return false
  }
}
