/**
 * Removes files from the tree, not from history, by the settings of `retention`: old transcripts, and ended tasks of
 * schedules beyond a number. Local transcripts are deleted. Invariants: 1. only ended tasks that equal their committed
 * version are removed; 2. one commit removes at most MOST files; the next time continues.
 */
import { join } from 'node:path'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { ENDED } from '../../domain/task/task.ts'
import { counted } from '../../domain/text/counted.ts'
import { type Context, NEO } from '../context.ts'
import { subjectOf } from '../effects/commit-words.ts'
import type { FileChange } from '../commit/file-change.ts'
import { transact } from '../commit/transact.ts'

/** A commit that people can still read, and a moment's work. */
const MOST = 500

/** Returns how many files were removed. */
export async function trim(context: Context, snapshot: Snapshot): Promise<number> {
  let gone = dropLocal(context)
  const rooms = [...snapshot.rooms.keys()]
  const tasks = rooms.flatMap((room) => oldTasks(context, snapshot, room))
  gone += await remove(context, { changes: tasks, of: 'ended task' })
  const transcripts = rooms.flatMap((room) => oldTranscripts(context, room))
  gone += await remove(context, { changes: transcripts, of: 'transcript' })
  return gone
}

async function remove(
  context: Context,
  { changes, of }: { readonly changes: readonly FileChange[]; readonly of: string },
): Promise<number> {
  const due = changes.slice(0, MOST)
  if (due.length === 0) return 0
  const rooms = [...new Set(due.map(({ path }) => path.split('/')[1] ?? ''))]
  const what = `remove ${counted(due.length, `old ${of}`)}`
  const done = await transact(context, {
    kind: 'trim',
    changes: due,
    subject: rooms.length === 1 ? subjectOf(rooms[0] ?? '', what) : `neo: ${what}`,
    trailers: [...rooms.map((room) => ['Neo-Room', room] as const), ['Neo-Event', 'trim']],
    author: NEO,
  })
  return done === 'lost' ? 0 : due.length
}

/** Oldest first; the newest of each schedule stay. */
function oldTasks(context: Context, snapshot: Snapshot, room: string): readonly FileChange[] {
  const { scheduled } = context.look.config().retention
  const bySchedule = new Map<string, TaskFile[]>()
  for (const file of snapshot.tasks.values()) {
    const by = file.task.neo.createdBy ?? ''
    if (file.room !== room || !by.startsWith('schedule:') || !ENDED.has(file.task.status)) continue
    bySchedule.set(by, [...(bySchedule.get(by) ?? []), file])
  }
  return [...bySchedule.values()].flatMap((files) =>
    files
      .toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1))
      .slice(scheduled)
      .filter(({ path, hash }) => context.look.tree().get(path) === hash)
      .map(({ path, hash }) => ({ path, before: hash, after: null })),
  )
}

function endOf({ task }: TaskFile): string {
  return task.neo.completedAt ?? task.neo.createdAt ?? ''
}

function oldTranscripts({ world, home, look }: Context, room: string): readonly FileChange[] {
  const folder = `rooms/${room}/transcripts`
  const before = world.clock.now() - look.config().retention.transcriptsMs
  return world.files.names(join(home, folder)).flatMap((name): FileChange[] => {
    const path = `${folder}/${name}`
    const blob = look.tree().get(path)
    const stat = name.endsWith('.jsonl') ? world.files.stat(join(home, path)) : null
    return blob === undefined || stat === null || stat.mtimeMs >= before
      ? []
      : [{ path, before: blob, after: null }]
  })
}

/** Transcripts that were never committed, except those of open sessions. */
function dropLocal({ world, dir, look, sessions }: Context): number {
  const root = join(dir, 'transcripts')
  const before = world.clock.now() - look.config().retention.transcriptsMs
  const old = world.files.names(root).filter((name) => {
    const stat = name.endsWith('.jsonl') ? world.files.stat(join(root, name)) : null
    return stat !== null && stat.mtimeMs < before && !sessions.facts().has(name.slice(0, -'.jsonl'.length))
  })
  for (const name of old) world.files.removeTree(join(root, name))
  return old.length
}
