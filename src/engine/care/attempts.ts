/**
 * Ended attempts that keep a worktree or branch: `<git dir>/neo/attempts/<session>.json`, one file each. Invariants: 1.
 * the note is on disk before the session's record is removed; 2. what can't be removed (uncommitted changes) stays, with
 * the reason.
 */

import { join } from 'node:path'
import { whyOf } from '../../domain/home/error.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Place, SessionRecord } from '../../domain/session/session.ts'
import { expired, type Kept } from '../../domain/task/retention.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import { openIdleSessions } from '../agents/idle-sessions.ts'
import type { Context } from '../context.ts'

interface Note {
  readonly v: 1
  readonly session: string
  readonly task: string
  readonly room: string
  readonly place: Place
  readonly branch: string
  /** Epoch ms. */
  readonly endedAt: number
  /** Its worktree and branch are gone; its commits are kept by a ref. */
  readonly retired?: true
}

export type AttemptsOf = Pick<Context, 'home' | 'dir' | 'world'> & {
  readonly look: Pick<Context['look'], 'config'>
}

function fileOf({ dir }: Pick<Context, 'dir'>, session: string): string {
  return join(dir, 'attempts', `${session}.json`)
}

export function noteAttempt(context: Context, record: SessionRecord): void {
  const { id: session, taskId: task, room, place, branch } = record
  const note: Note = { v: 1, session, task, room, place, branch, endedAt: context.world.clock.now() }
  context.world.files.writeJson(fileOf(context, session), note)
}

export function forgetAttempt(context: Pick<Context, 'dir' | 'world'>, session: string): void {
  context.world.files.removeTree(fileOf(context, session))
}

export interface Attempt extends Kept {
  readonly room: string
  readonly branch: string
  readonly place: Place
}

/** Oldest first, including what an earlier version left without a note. */
export async function keptAttempts(context: AttemptsOf, snapshot: Snapshot): Promise<readonly Attempt[]> {
  const { world, home, dir } = context
  const notes = new Map(notesIn(context).map((note) => [note.session, note]))
  for (const name of world.files.names(join(home, '.neo', 'worktrees'))) {
    if (isLive(context, name) || notes.has(name) || openIdleSessions({ world, dir }).get(name) !== null)
      continue
    const note = await noteOfFile(context, snapshot, name)
    if (note !== null) notes.set(name, note)
  }
  return [...notes.values()]
    .filter(({ retired }) => retired !== true)
    .map((note) => ({ ...note, bytes: bytesOf(context, note.session), state: stateOf(snapshot, note) }))
    .toSorted((a, b) => a.endedAt - b.endedAt)
}

function notesIn(context: Pick<Context, 'dir' | 'world'>): readonly Note[] {
  const { files } = context.world
  return files.names(join(context.dir, 'attempts')).flatMap((name) => {
    const note = files.readJson(join(context.dir, 'attempts', name)) as Note | null
    return note?.v === 1 && name === `${note.session}.json` ? [note] : []
  })
}

/** From the session's file in its room. */
async function noteOfFile(
  { world, home }: AttemptsOf,
  snapshot: Snapshot,
  session: string,
): Promise<Note | null> {
  if (!/^s-[a-z0-9]+$/.test(session)) return null
  for (const room of snapshot.rooms.keys()) {
    const path = `rooms/${room}/sessions/${session}.md`
    const read = world.files.read(join(home, path), MOST_BYTES)
    const file = read.kind === 'file' ? readSession(path, read.bytes) : null
    if (file?.kind !== 'ok') continue
    const { workspace, base, branch, task, endedAt } = file.value
    const place = await world.git.place(workspace, base === '' ? null : base)
    if ('wrong' in place) return null
    return { v: 1, session, task, room, place, branch, endedAt: Date.parse(endedAt ?? '') || 0 }
  }
  return null
}

const MOST_BYTES = 4 * 1024 * 1024

function bytesOf({ world, home }: AttemptsOf, session: string): number {
  const root = join(home, '.neo', 'worktrees', session)
  if (world.files.stat(root, 'folder') === null) return 0
  return world.files.scan(root, () => true).reduce((sum, { size }) => sum + size, 0)
}

/** `needed`: the branch of a task in review, or of one to be continued. */
function stateOf(snapshot: Snapshot, { task: id, branch }: Note): Kept['state'] {
  const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.id === id)
  if (file === undefined) return 'open'
  if (file.task.status === 'completed') return 'done'
  const isOver = file.task.status === 'failed' || file.task.status === 'cancelled'
  return file.task.neo.branch === branch && !isOver ? 'needed' : 'open'
}

export interface Cleared {
  readonly session: string
  readonly why: string
  readonly bytes: number
  /** `kept`: it could not be removed, for the reason in `why`. */
  readonly kind: 'removed' | 'kept'
}

/** Removes what is over the limits; `plan`: only says what it would remove. */
export async function clearAttempts(
  context: AttemptsOf,
  snapshot: Snapshot,
  mode: 'clear' | 'plan' = 'clear',
): Promise<readonly Cleared[]> {
  const { retention } = context.look.config()
  const kept = new Map((await keptAttempts(context, snapshot)).map((one) => [one.session, one]))
  const cleared: Cleared[] = []
  const now = context.world.clock.now()
  for (const { session, why } of expired([...kept.values()], retention, now)) {
    const attempt = kept.get(session)
    if (attempt === undefined) continue
    const bytes = attempt.bytes
    const stays = mode === 'plan' ? null : await retire(context, attempt)
    cleared.push(
      stays === null
        ? { session, why, bytes, kind: 'removed' }
        : { session, why: stays, bytes, kind: 'kept' },
    )
  }
  if (mode === 'clear') await dropOld(context, now - retention.refsMs)
  return cleared
}

/** A later attempt has completed the task: removes the earlier ones, or retries later. */
export async function clearSuperseded(context: AttemptsOf, task: string): Promise<void> {
  for (const note of notesIn(context)) {
    if (note.task === task && note.retired !== true && !isLive(context, note.session))
      await retire(context, note)
  }
}

function isLive({ world, dir }: Pick<Context, 'world' | 'dir'>, session: string): boolean {
  return world.files.readJson(join(dir, 'sessions', session, 'record.json')) !== null
}

/** Null once worktree and branch are removed, else why not. */
async function retire(context: AttemptsOf, attempt: Omit<Note, 'v'>): Promise<string | null> {
  const { git, files } = context.world
  const { session, task, room, place, branch, endedAt } = attempt
  try {
    const removed = await git.removeWorktree(place, join(context.home, '.neo', 'worktrees', session))
    if (removed.kind === 'kept') return removed.why
    await git.retireBranch(place, { branch, session })
  } catch (error) {
    return whyOf(error)
  }
  const note: Note = { v: 1, session, task, room, place, branch, endedAt, retired: true }
  files.writeJson(fileOf(context, session), note)
  return null
}

/** Drops old commits of removed attempts. */
async function dropOld(context: AttemptsOf, before: number): Promise<void> {
  for (const note of notesIn(context)) {
    if (note.retired !== true || note.endedAt >= before) continue
    await context.world.git.dropAttempt(note.place, note.session).catch(() => {})
    forgetAttempt(context, note.session)
  }
}
