/**
 * New schedules get their `neo:` block, and due ones make tasks and messages. Invariants: 1. path and id of what a slot
 * makes follow from schedule and slot, and it is made only if neither disk nor history has it, so a crash before the mark
 * repeats nothing; 2. the mark is saved after the files, so a crash loses nothing; 3. a slot that fails is said and passes.
 */
import { join } from 'node:path'
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { ScheduleFile, Snapshot } from '../../domain/plan/snapshot.ts'
import { rhythmOf } from '../../domain/schedule/due-runs.ts'
import { nextSlot } from '../../domain/schedule/schedule-slots.ts'
import { counted } from '../../domain/text/counted.ts'
import { editDocument, type Json } from '../../files/edit/edit-header.ts'
import { type Made, make } from '../../files/kinds/schedule-made.ts'
import { neoBlockOf } from '../../files/merge/merge-stale.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type FileChange, MAX_BYTES } from '../commit/journal.ts'
import { newId } from '../commit/new-id.ts'
import { type Intent, type Transacted, textAt, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { notifySchedule } from '../people/notices.ts'
import { coAuthor, oneLine, roomTrailers, subjectOf } from './commit-words.ts'
import type { Draft } from './task-write.ts'

/** A schedule that has lost its block gets the committed one back; a copy gets a new id. */
export async function draftAdoptedSchedule(
  context: Context,
  snapshot: Snapshot,
  { path, hash, id }: DecisionOf<'adopt-schedule'>,
): Promise<Draft | null> {
  const file = snapshot.schedules?.get(path)
  const text = textAt(context, path, hash)
  if (file === undefined || text === null) return null
  const { neo } = file.schedule
  const before = context.look.tree().get(path)
  const kept =
    before === undefined ? null : neoBlockOf((await context.world.git.blob(before)).toString('utf8'))
  const block =
    neo.id === undefined && kept !== null
      ? (kept as Record<string, Json>)
      : newBlock(context, snapshot, { file, id })
  const after = editDocument(text, { neo: block })
  return scheduleDraft(context, file, { kind: 'adopt-schedule', hash, after })
}

function newBlock(
  context: Context,
  snapshot: Snapshot,
  { file, id }: { readonly file: ScheduleFile; readonly id: 'new' | 'keep' },
): Record<string, Json> {
  const { neo } = file.schedule
  const now = isoSecond(context.world.clock.now())
  return {
    id: id === 'keep' && neo.id !== undefined ? neo.id : newId(context, snapshot, { ...file, prefix: 'c' }),
    created_at: id === 'keep' ? (neo.createdAt ?? now) : now,
    created_by: neo.createdBy ?? 'human',
  }
}

/** Commits the user's edit of a schedule as theirs. */
export function draftChangedSchedule(
  context: Context,
  snapshot: Snapshot,
  { path, hash }: DecisionOf<'record-schedule'>,
): Draft | null {
  const file = snapshot.schedules?.get(path)
  const text = textAt(context, path, hash)
  if (file === undefined || text === null) return null
  return scheduleDraft(context, file, { kind: 'record-schedule', hash, after: text })
}

function scheduleDraft(
  { person }: Context,
  { path, room, name }: ScheduleFile,
  of: {
    readonly kind: 'adopt-schedule' | 'record-schedule'
    readonly hash: string
    readonly after: string
  },
): Draft {
  const adopts = of.kind === 'adopt-schedule'
  const says = `${adopts ? 'adopt' : 'change'} schedule ${name}`
  const intent: Intent = {
    kind: of.kind,
    changes: [{ path, before: of.hash, after: of.after }],
    subject: subjectOf(room, says),
    trailers: roomTrailers(room, of.kind),
    author: person,
  }
  const event = { kind: adopts ? 'adopt' : 'record', text: says, room }
  return { intent, room, noun: 'schedule', name, event }
}

export async function fire(
  context: Context,
  snapshot: Snapshot,
  decision: DecisionOf<'fire'>,
): Promise<Transacted> {
  const file = snapshot.schedules?.get(decision.path)
  const id = file?.schedule.neo.id
  const text = textAt(context, decision.path, decision.hash)
  if (file === undefined || id === undefined || text === null) return 'lost'
  const made = decision.slots.map((slot) => makeOne(context, snapshot, { file, slot }))
  const changes = closing(file, snapshot, { text, upTo: decision.mark.upTo })
  const isFirst = isFirstFire(context, id)
  const ids: string[] = []
  for (const one of made) {
    if (one.kind === 'wrong' || (await everMade(context, snapshot, { ...one, isFirst }))) continue
    changes.push({ path: one.path, before: null, after: one.text })
    if (one.taskId !== null) ids.push(one.taskId)
  }
  const done = changes.length === 0 ? 'done' : await write(context, file, { changes, ids })
  if (done === 'lost') return 'lost'
  const skipped = { count: decision.missed, at: context.world.clock.now() }
  context.schedules.put(id, decision.missed > 0 ? { ...decision.mark, skipped } : decision.mark)
  if (decision.slots.length > 0) fired.get(context)?.add(id)
  say(context, file, { made, ...decision })
  return done
}

function makeOne(
  { world, home }: Context,
  snapshot: Snapshot,
  { file, slot }: { readonly file: ScheduleFile; readonly slot: number },
): Made {
  const { schedule, room, name } = file
  const path = join(home, 'templates', 'tasks', `${schedule.template ?? ''}.md`)
  const read =
    schedule.template !== undefined && isPlainName(schedule.template)
      ? world.files.read(path, MAX_BYTES)
      : { kind: 'missing' as const }
  const template = read.kind === 'file' ? read.bytes.toString('utf8') : null
  const zone = schedule.timezone ?? snapshot.config.timezone
  return make({ schedule, room, name, slot, now: world.clock.now(), zone, template })
}

/** A file name without folders. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)
}

/** A schedule without a further slot gets `status: done`. */
function closing(
  { path, hash, schedule }: ScheduleFile,
  { config }: Snapshot,
  { text, upTo }: { readonly text: string; readonly upTo: number },
): FileChange[] {
  const isOver = schedule.status === 'active' && nextSlot(rhythmOf(schedule, config), upTo) === null
  if (schedule.when.kind !== 'at' || !isOver) return []
  return [{ path, before: hash, after: editDocument(text, { set: { status: 'done' } }) }]
}

/** Schedules that fired in this process: their first fire looked for what a crash had left. */
const fired = new WeakMap<Context, Set<string>>()

function isFirstFire(context: Context, id: string): boolean {
  const ids = fired.get(context) ?? new Set()
  fired.set(context, ids)
  return !ids.has(id)
}

/** It exists, or it did: the first fire in this process also searches history. */
async function everMade(
  { world, home, look }: Context,
  { tasks }: Snapshot,
  { path, taskId, isFirst }: Extract<Made, { kind: 'made' }> & { readonly isFirst: boolean },
): Promise<boolean> {
  const places = taskId === null ? [path, path.replace('/inbox/', '/inbox/archive/')] : [path]
  if (places.some((one) => look.tree().has(one) || world.files.read(join(home, one), 0).kind !== 'missing'))
    return true
  if (taskId !== null && [...tasks.values()].some(({ task }) => task.neo.id === taskId)) return true
  return isFirst && (await world.git.log({ paths: [path], limit: 1 })).length > 0
}

async function write(
  context: Context,
  { room, name, path, gitStatus }: ScheduleFile,
  { changes, ids }: { readonly changes: readonly FileChange[]; readonly ids: readonly string[] },
): Promise<Transacted> {
  return transact(context, {
    kind: 'fire',
    changes,
    subject: subjectOf(room, `run schedule ${name}`),
    trailers: [
      ...roomTrailers(
        room,
        'fire',
        ids.map((id) => ['Neo-Task', id] as const),
      ),
      ...(changes[0]?.path === path ? coAuthor({ gitStatus }, context.person) : []),
    ],
    author: NEO,
  })
}

function say(
  context: Context,
  { room, name, path }: ScheduleFile,
  { made, slots, missed }: { made: readonly Made[]; slots: readonly number[]; missed: number },
): void {
  const at = slots.map((slot) => isoSecond(slot)).join(', ')
  if (slots.length > 0) context.emit({ kind: 'schedule', text: `schedule ${name}: ${at}`, room })
  if (missed > 0)
    context.emit({
      kind: 'missed',
      text: `schedule ${name}: skipped ${counted(missed, 'run')}`,
      room,
    })
  for (const one of made.filter((each) => each.kind === 'wrong')) {
    const text = `${path}: can't run it: ${oneLine(one.why)}`
    context.emit({ kind: 'trouble', text, room })
    notifySchedule(context, { path, room, at, text })
  }
}
