/**
 * Maintenance while nothing runs, once in `retention.every`: ended attempts, old files, temporary files, loose git
 * objects. Invariants: 1. never while a session works, an intent waits, or a git command of the user runs; 2. packing,
 * which may take long, blocks neither rounds nor clients; 3. an error is shown in `neo status` and retried at the next
 * time; 4. files are removed from the tree, not from history: only ended tasks that equal their committed version, and
 * at most MOST files in one commit.
 */
import { join } from 'node:path'
import { whyOf } from '../../domain/home/error.ts'
import { isWantedFolder } from '../../domain/home/home-paths.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { grouped } from '../../domain/task/depends.ts'
import { ENDED } from '../../domain/task/task.ts'
import { counted } from '../../domain/text/counted.ts'
import { dueAgain } from '../../domain/text/grown-wait.ts'
import type { FileChange } from '../commit/journal.ts'
import { transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { subjectOf } from '../effects/commit-words.ts'
import type { Health } from '../health.ts'
import type { RoundResult } from '../round.ts'
import { clearAttempts } from './attempts.ts'

/** A commit that people can still read, and a moment's work. */
const MOST = 500

/** Returns how many files were removed. */
async function trim(context: Context, snapshot: Snapshot): Promise<number> {
  let gone = dropLocal(context)
  const rooms = [...snapshot.rooms.keys()]
  gone += await remove(context, { changes: oldTasks(context, snapshot), of: 'ended task' })
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
function oldTasks(context: Context, { tasks, rooms }: Snapshot): readonly FileChange[] {
  const { scheduled } = context.look.config().retention
  const ended = [...tasks.values()].filter(
    ({ room, task }) =>
      rooms.has(room) && task.neo.createdBy?.startsWith('schedule:') === true && ENDED.has(task.status),
  )
  const bySchedule = grouped(ended, ({ room, task }) => `${room} ${task.neo.createdBy}`)
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

interface CareKeeper {
  /** Cleans if it is due and nothing runs. */
  after(round: RoundResult): Promise<void>
  /** Epoch ms of the next time; null: as soon as nothing runs. */
  next(): number | null
}

export function openCareKeeper(context: Context, health: Health): CareKeeper {
  const { world, look } = context
  const file = join(context.dir, 'care.json')
  const said = world.files.readJson(file) as { readonly at?: unknown } | null
  let last = typeof said?.at === 'number' ? said.at : world.clock.now()

  let packing = false
  const sayTrouble = (error: unknown) => health.trouble('care', whyOf(error))

  /** In the background: after thousands of commits it takes minutes. */
  function pack(): void {
    if (packing) return
    packing = true
    void world.git
      .maintain()
      .catch(sayTrouble)
      .finally(() => {
        packing = false
      })
  }

  const due = () => dueAgain(last, look.config().retention.everyMs, world.clock.now())
  return {
    next: () => (due() > world.clock.now() ? due() : null),
    async after(round) {
      if (world.clock.now() < due() || !isAtRest(round)) return
      last = world.clock.now()
      try {
        world.files.writeJson(file, { at: last })
        await context.exclusive(() => clean(context, round))
        health.well('care')
        pack()
      } catch (error) {
        sayTrouble(error)
      }
    },
  }
}

function isAtRest({ snapshot, facts, waiting }: RoundResult): boolean {
  const { git } = snapshot
  const works = [...facts.sessions.values()].some(({ state }) => state !== 'ended')
  const thinks = [...facts.neo.turns.values()].some(({ kind }) => kind === 'busy')
  return git.kind === 'home' && git.held === undefined && waiting === 0 && !works && !thinks
}

async function clean(context: Context, { snapshot }: RoundResult): Promise<void> {
  const cleared = (await clearAttempts(context, snapshot)).filter(({ kind }) => kind === 'removed').length
  const gone = await trim(context, snapshot)
  sweepTemps(context)
  if (cleared + gone === 0) return
  const text = `removed ${counted(cleared, 'ended attempt')} and ${counted(gone, 'old file')}`
  context.emit({ kind: 'clean', text })
}

export function sweepTemps({ world, home, dir }: Pick<Context, 'world' | 'home' | 'dir'>): void {
  world.files.sweep(home, mayHoldTemps)
  world.files.sweep(dir)
}

/** Includes folders that Neo writes without looking at them: session files, transcripts, memory. */
function mayHoldTemps(folder: string): boolean {
  return (
    isWantedFolder(folder) ||
    /^(rooms\/[^/]+\/(sessions|transcripts|inbox\/archive)|workspace\/(memory|scopes\/.+))$/.test(folder) ||
    /^\.neo(\/cache(\/.+)?)?$/.test(folder)
  )
}
