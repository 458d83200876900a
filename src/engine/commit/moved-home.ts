/**
 * Repairs records, notes and worktrees after a home was moved while sessions were running, or after git lost the
 * registration of worktrees. Only paths at or below the old path change; a second run changes nothing.
 */
import { join } from 'node:path'
import type { Place } from '../../domain/session/session.ts'
import type { Context } from '../context.ts'
import type { World } from '../../ports/world.ts'

interface Named {
  readonly place: Place
  readonly branch: string
}

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
    const record = files.readJson(path) as Named | null
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
