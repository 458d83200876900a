/**
 * Distils a room: its conversation since the watermark becomes facts and notes, results of tasks become memories, in one
 * commit. Call it in the Context's line. Invariants: 1. the watermark moves after the commit and lines name their source, so
 * that a kill duplicates nothing; 2. a file that a person is editing is not overwritten, but retried; 3. a room that fails
 * waits 30 s, up to 10 min.
 */

import { join } from 'node:path'
import { type ResultMemory, resultMemory } from '../../domain/memory/distill-lines.ts'
import { distill, type Said } from '../../domain/memory/distill-rules.ts'
import type { InboxFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { fileSlugOf } from '../../domain/task/slug.ts'
import { counted } from '../../domain/text/counted.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { subjectOf } from '../../engine/effects/commit-words.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { readDocument } from '../../files/header/document.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import { isoSecond } from '../../files/values/times.ts'
import { changesOf, openTexts } from './distill-files.ts'
import {
  failedAgain,
  type Heard,
  heardSince,
  isWaitingSource,
  markOf,
  NO_FAILURE,
  type RoomMark,
  saveMark,
  waitingSource,
  whenOf,
} from './read-transcripts.ts'

export interface DistillReport {
  readonly room: string
  /** `waits`: the home is away, or a file is being edited: again later. */
  readonly kind: 'done' | 'nothing' | 'waits'
  readonly facts: number
  readonly notes: number
  readonly results: number
  readonly refused: readonly string[]
}

const MOST_BYTES = 8 * 1024 * 1024
const MOST_KEYS = 5_000
const MOST_RESULTS = 20

/** What there is to distil in a room, by rule, without doing it. */
export function heardIn(context: Context, snapshot: Snapshot, room: string): Heard {
  const { home, dir, world, look } = context
  const at = { home, dir, files: world.files, room, timezone: look.config().timezone }
  const mark = markOf(context, room)
  const heard = heardSince(at, mark)
  const waited = new Set(mark.waited)
  const isNews = ({ source, also = source }: Said) => !waited.has(source) && !waited.has(also)
  return { ...heard, said: [...heard.said, ...waitingIn(context, snapshot, room)].filter(isNews) }
}

/** Distils now. Failures are noted in the room's mark and thrown. */
export async function distillRoom(
  context: Context,
  snapshot: Snapshot,
  room: string,
): Promise<DistillReport> {
  const mark = markOf(context, room)
  try {
    return await run(context, snapshot, { room, mark })
  } catch (error) {
    saveMark(context, room, { ...mark, ...failedAgain(context, mark, error) })
    throw error
  }
}

async function run(
  context: Context,
  snapshot: Snapshot,
  { room, mark }: { readonly room: string; readonly mark: RoomMark },
): Promise<DistillReport> {
  const heard = heardIn(context, snapshot, room)
  const texts = openTexts(context, room, heard.said)
  const made = distill(heard.said, texts)
  const results = resultsOf(context, snapshot, { room, mark })
  const changes = [...changesOf(texts, made), ...results.map(({ change }) => change)]
  const report = {
    room,
    facts: made.facts,
    notes: made.noted,
    results: results.length,
    refused: made.refused,
  }
  if (changes.length > 0) {
    const says = `${counted(made.facts, 'fact')}, ${counted(made.noted, 'note')}, ${counted(results.length, 'result')}`
    const done = await transact(context, {
      kind: 'distill',
      changes,
      subject: subjectOf(room, 'distill', says),
      trailers: [
        ['Neo-Room', room],
        ['Neo-Event', 'distill'],
      ],
      author: NEO,
    })
    if (done === 'lost') return { ...report, kind: 'waits' }
    context.emit({ kind: 'remember', text: `distilled: ${says}`, room })
  }
  const keys = [...mark.results, ...results.map(({ key }) => key)].slice(-MOST_KEYS)
  const heardNow = heard.said.map(({ source }) => source).filter(isWaitingSource)
  const waited = [...mark.waited, ...heardNow].slice(-MOST_KEYS)
  saveMark(context, room, { ...heard.watermark, results: keys, waited, ...NO_FAILURE })
  return { ...report, kind: changes.length > 0 ? 'done' : 'nothing' }
}

interface Result {
  readonly key: string
  readonly change: FileChange
}

/** Memories of tasks that have ended since; each attempt of a task once. */
function resultsOf(
  context: Context,
  { tasks }: Snapshot,
  { room, mark }: { readonly room: string; readonly mark: RoomMark },
): readonly Result[] {
  const done = new Set(mark.results)
  const own = [...tasks.values()].filter(
    (file) => file.room === room && file.task.neo.completedAt !== undefined,
  )
  const fresh = own.filter(({ task }) => !done.has(`${task.neo.id}@${task.neo.attempt ?? 1}`))
  return fresh
    .flatMap((file) => {
      const memory = resultMemory(file.task, handOverOf(context, file))
      return memory === null ? [] : [{ file, memory }]
    })
    .slice(0, MOST_RESULTS)
    .flatMap(({ file, memory }) => fileOf(context, file, memory))
}

function handOverOf({ home, world }: Context, { room, task }: TaskFile): string {
  const { session } = task.neo
  if (session === undefined) return ''
  const path = `rooms/${room}/sessions/${session}.md`
  const read = world.files.read(join(home, path), MOST_BYTES)
  const file = read.kind === 'file' ? readSession(path, read.bytes) : null
  return file?.kind === 'ok' ? file.value.body.trim() : ''
}

/** One file a task: a later attempt replaces what an earlier one said. */
function fileOf(
  context: Context,
  { room, task, path: source }: TaskFile,
  memory: ResultMemory,
): readonly Result[] {
  const { world, home } = context
  const id = task.neo.id ?? ''
  const path = `rooms/${room}/memories/result-${fileSlugOf(memory.title).slice(0, 60) || 'task'}--${id}.md`
  const read = world.files.read(join(home, path), MOST_BYTES)
  const header = {
    type: 'task_result',
    ...(task.labels.length === 0 ? {} : { tags: [...task.labels] }),
    importance: memory.importance,
    neo: {
      id: `m-${id.slice(2)}`,
      created_at: task.neo.completedAt ?? isoSecond(world.clock.now()),
      created_by: 'neo',
      ...(task.neo.session === undefined ? {} : { session: task.neo.session }),
      task: id,
      source,
    },
  }
  const after = renderDocument(header, `${redact(memory.text)}\n`)
  const before = read.kind === 'file' ? world.git.blobId(read.bytes) : null
  return [{ key: memory.key, change: { path, before, after } }]
}

const MOST_MESSAGE_BYTES = 256 * 1024
/** Of one run; what is left comes with the next. */
const MOST_SAID = 2_000

/**
 * Messages that wait in the inbox of a room without a model; with one, its conversation holds them. The line of a
 * transcript that holds such a message later names the same source (`also`), so that it is heard once.
 */
function waitingIn(context: Context, snapshot: Snapshot, room: string): readonly Said[] {
  const model = snapshot.rooms.get(room)?.room?.model ?? context.look.config().model
  if (model !== 'rules') return []
  return [...snapshot.inbox.values()]
    .filter(({ room: of, from }) => of === room && isPerson(from))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((file) => saidBy(context, file) ?? [])
    .slice(0, MOST_SAID)
}

/** What schedules, sessions and pages send is quoted when Neo hears it. */
function isPerson(from: string): boolean {
  return from === 'human' || from.startsWith('member:')
}

function saidBy({ home, world, look }: Context, { path, hash, from, text }: InboxFile): Said | null {
  const read = world.files.read(join(home, path), MOST_MESSAGE_BYTES)
  if (read.kind !== 'file' || world.git.blobId(read.bytes) !== hash) return null
  const document = readDocument(path, read.bytes)
  const at = document.kind === 'ok' ? Date.parse(String(document.value.data['at'])) : Number.NaN
  const { timezone } = look.config()
  const when = whenOf(at, timezone) ?? whenOf(read.stat.mtimeMs, timezone)
  if (when === null) return null
  const source = waitingSource(`inbox:${path}@${hash}`) ?? ''
  return { ...when, speaker: from, isPerson: true, text, source }
}
