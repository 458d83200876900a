/**
 * The runs of workers, for sums. A room keeps its last session files only; of older runs, the last one of each task is
 * known from the task. Invariant 1: a file that did not change is not read again.
 */
import { join } from 'node:path'
import type { Run } from '../../domain/budget/usage-table.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { SessionFile } from '../../domain/session/session.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import type { ScanEntry } from '../../ports/files-port.ts'
import type { HubEnv } from '../env.ts'
import { roomNames } from './find-in-home.ts'

interface Known {
  readonly mtimeMs: number
  readonly size: number
  /** Null if it can't be read, or is no run yet. */
  readonly run: Run | null
}

const read = new WeakMap<Context, Map<string, Known>>()

export function runsIn(
  { context }: HubEnv,
  snapshot: Snapshot,
  isSeen: (room: string) => boolean,
): readonly Run[] {
  const rooms = roomNames(snapshot).filter(isSeen)
  const kept = rooms.flatMap((room) => keptRuns(context, room))
  const known = new Set(kept.map(({ session }) => session))
  const older = [...snapshot.tasks.values()].flatMap(({ room, task: { neo, status, model } }) => {
    if (neo.session === undefined || neo.startedAt === undefined) return []
    if (known.has(neo.session) || !isSeen(room)) return []
    const ms = neo.completedAt === undefined ? null : between(neo.startedAt, neo.completedAt)
    const of = { at: neo.startedAt, room, session: neo.session, model: model ?? null }
    return [{ ...of, ms, failed: status === 'failed' }]
  })
  return [...kept, ...older]
}

function keptRuns(context: Context, room: string): readonly Run[] {
  const folder = join(context.home, 'rooms', room, 'sessions')
  const files = context.world.files.scan(
    folder,
    (path, is) => is === 'file' && path.endsWith('.md') && path !== 'README.md',
  )
  return files.flatMap((file) => runOf(context, { room, folder, file }) ?? [])
}

function runOf(
  context: Context,
  { room, folder, file }: { readonly room: string; readonly folder: string; readonly file: ScanEntry },
): Run | null {
  const all = read.get(context) ?? new Map<string, Known>()
  read.set(context, all)
  const path = join(folder, file.path)
  const before = all.get(path)
  if (before?.mtimeMs === file.mtimeMs && before.size === file.size) return before.run
  const found = context.world.files.read(path, MAX_BYTES, 'scanned')
  const session = found.kind === 'file' ? readSession(path, found.bytes) : null
  const run = session?.kind === 'ok' ? asRun(room, session.value) : null
  if (all.size >= MOST_KNOWN) all.clear()
  all.set(path, { mtimeMs: file.mtimeMs, size: file.size, run })
  return run
}

const MOST_KNOWN = 50_000

function asRun(room: string, { id, model, startedAt, endedAt, status, task }: SessionFile): Run | null {
  if (startedAt === '' || task === '') return null
  const ms = endedAt === undefined ? null : between(startedAt, endedAt)
  return { at: startedAt, room, session: id, model: model ?? null, ms, failed: status === 'failed' }
}

function between(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from))
}
