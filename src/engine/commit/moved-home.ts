/**
 * Follows what was moved by hand. A home: records, notes and worktrees are repaired, also if git lost the registration
 * of worktrees; only paths at or below the old path change, and a second run changes nothing. A room: its sessions go to
 * its new folder. Invariants: 1. a session whose room still exists stays there, wherever its task went; 2. the room is
 * found by its id, else by the task.
 */
import { join } from 'node:path'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { neoBlockOf } from '../../files/merge/merge-stale.ts'
import type { World } from '../../ports/world.ts'
import type { Context } from '../context.ts'

/** Requires the home's lock. Returns the old path; null if the home was not moved. */
export async function repairMovedHome(
  world: Pick<World, 'files' | 'git'>,
  home: string,
): Promise<string | null> {
  const { files, git } = world
  const dir = join(git.gitDir, 'neo')
  const now = git.top
  const noted = files.readJson(join(dir, 'home.json')) as { readonly path?: unknown } | null
  const was = typeof noted?.path === 'string' ? noted.path : await git.registeredHome()
  if (noted?.path !== now) files.writeJson(join(dir, 'home.json'), { path: now })
  const isMoved = was !== null && was !== now
  for (const path of recordsIn(world, dir)) {
    const record = files.readJson(path) as Pick<SessionRecord, 'place' | 'branch'> | null
    if (typeof record?.place?.repository !== 'string') continue
    const repository = isMoved ? under(record.place.repository, was, now) : record.place.repository
    const place = { ...record.place, repository }
    if (repository !== record.place.repository) files.writeJson(path, { ...record, place })
    // A missing workspace is reported by the session that needs it.
    await git
      .repairWorktree(place, join(home, '.neo', 'worktrees', idOf(path)), record.branch)
      .catch(() => {})
  }
  return isMoved ? was : null
}

export function reportMove(context: Pick<Context, 'emit'>, was: string | null): void {
  if (was !== null)
    context.emit({ kind: 'notice', text: `this home was moved from ${was}; its sessions continue here` })
}

/** The home was moved or deleted while the daemon runs: nothing may be written at the old path. */
export function isHomeGone({ world, home, emit }: Pick<Context, 'world' | 'home' | 'emit'>): boolean {
  if (world.files.stat(world.git.gitDir, 'folder') !== null) return false
  emit({ kind: 'trouble', text: `${home} was moved or deleted; stopping. Start neo watch at the new path` })
  return true
}

/** Rethrows, unless the home is gone. */
export function ignoreIfGone(context: Pick<Context, 'world' | 'home' | 'emit'>): (error: unknown) => void {
  return (error) => {
    if (!isHomeGone(context)) throw error
  }
}

function recordsIn({ files }: Pick<World, 'files'>, dir: string): readonly string[] {
  const sessions = files.names(join(dir, 'sessions')).map((id) => join(dir, 'sessions', id, 'record.json'))
  const attempts = files.names(join(dir, 'attempts')).map((name) => join(dir, 'attempts', name))
  return [...sessions, ...attempts]
}

function idOf(path: string): string {
  return /([^/]+)(?:\/record)?\.json$/.exec(path)?.[1] ?? ''
}

function under(path: string, was: string, now: string): string {
  return path === was || path.startsWith(`${was}/`) ? now + path.slice(was.length) : path
}

export async function followRooms(context: Context, snapshot: Snapshot): Promise<void> {
  const { world, home, sessions } = context
  for (const { record } of sessions.facts().values()) {
    if (world.files.stat(join(home, 'rooms', record.room), 'folder') !== null) continue
    const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.id === record.taskId)
    const room = (await roomById(context, snapshot, record)) ?? file?.room ?? null
    if (room === null || room === record.room) continue
    sessions.moved(record.id, { room, ...taskIn(record, room, file) })
  }
}

/** The room with the id of the old folder's ROOM.md in HEAD. */
async function roomById(
  { world, look }: Context,
  { rooms }: Snapshot,
  { room }: SessionRecord,
): Promise<string | null> {
  const blob = look.tree().get(`rooms/${room}/ROOM.md`)
  if (blob === undefined) return null
  const id = neoBlockOf((await world.git.blob(blob)).toString('utf8'))?.['id']
  if (id === undefined) return null
  return [...rooms.values()].find((one) => one.room.neo.id === id)?.name ?? null
}

function taskIn(
  { taskPath, taskName, room: old }: SessionRecord,
  room: string,
  file: TaskFile | undefined,
): Pick<SessionRecord, 'taskPath' | 'taskName'> {
  if (file !== undefined) return { taskPath: file.path, taskName: file.name }
  return { taskPath: taskPath.replace(`rooms/${old}/`, () => `rooms/${room}/`), taskName }
}
