/**
 * How schedules look to clients: when they run next, and what their last runs made. Invariant 1: runs that are listed are
 * runs that the daemon would start; while a schedule or its room is paused, there are no runs. Invariant 2: what the past
 * made is found by what it carries (the label of a task, the name of a message), so it is also found in another clone.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { ScheduleFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { decide } from '../../domain/policy/policy.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { labelOf, rhythmOf, textOf } from '../../domain/schedule/due-runs.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import { nextSlot, type Rhythm } from '../../domain/schedule/schedule-slots.ts'
import { TASK_STATUSES } from '../../domain/task/task.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { isoSecond } from '../../files/values/times.ts'
import { workerIn } from '../changes/header-inputs.ts'
import type { HubEnv, Shown } from '../env.ts'
import { rulesFor } from '../rights/member-rules.ts'

const text = z.string()
const textOrNull = text.nullable()

const outcome = z.strictObject({
  at: textOrNull.describe('When it was made'),
  path: text,
  taskId: textOrNull.describe('Null: a message'),
  title: textOrNull.describe("The task's"),
  status: z
    .enum([...TASK_STATUSES, 'waiting', 'answered'])
    .describe("The task's; a message is `waiting` or `answered`"),
  endedAt: textOrNull,
  note: textOrNull.describe("The first line of the task's error or result, or of Neo's reply"),
})
type Outcome = Shown<z.input<typeof outcome>>

const problem = z.strictObject({
  line: z.number().nullable(),
  column: z.number().nullable(),
  severity: z.enum(['error', 'warning']),
  message: text,
  hint: text,
})

export const SCHEDULE_ACTS = ['run', 'change', 'delete'] as const

export const scheduleView = z.strictObject({
  name: text,
  roomId: text,
  path: text,
  when: text.describe('`cron 0 9 * * 1-5`, `every 1800s` or `at 2026-03-05T09:00`'),
  kind: z.enum(['task', 'message']),
  status: z.enum(['active', 'paused', 'done']),
  timezone: textOrNull.describe("Null: the home's"),
  zone: text.describe('The time zone that counts'),
  catchUp: z.enum(['latest', 'all', 'none']),
  overlap: z.enum(['skip', 'queue', 'all']),
  createdBy: textOrNull,
  nextAt: textOrNull.describe('Null: it is not due any more, or it or its room is paused'),
  nextRuns: z.array(text).describe('The next runs, `nextAt` first'),
  last: z.array(outcome).describe('What its last runs made, newest first, at most 5'),
  queued: z.number().describe('Runs that wait for the previous one to end'),
  skipped: z
    .strictObject({ count: z.number(), at: text })
    .nullable()
    .describe('The last runs that were skipped: how many, and when Neo found out'),
  problems: z.array(problem).describe('Problems of its file'),
  acts: z.array(z.enum(SCHEDULE_ACTS)).describe('What you may do with it'),
  body: text,
})
export type ScheduleView = Shown<z.input<typeof scheduleView>>
type Problem = Shown<z.input<typeof problem>>

const MOST_LAST = 5

interface Asked {
  readonly file: Listed
  /** How many of the next runs to list. */
  readonly runs: number
  /** Who looks. */
  readonly principal: Principal
}

export function viewSchedule(
  env: HubEnv,
  snapshot: Snapshot,
  { file, runs, principal }: Asked,
): ScheduleView {
  const { schedule, path, room, name } = file
  const { kind, status, timezone, catchUp, overlap, neo, body } = schedule
  const isOn = status === 'active' && snapshot.rooms.get(room)?.room.status === 'active'
  // The first run of an interval is known once Neo has taken the file in.
  const isKnown = schedule.when.kind !== 'every' || neo.createdAt !== undefined
  const now = env.context.world.clock.now()
  const next = isOn && isKnown ? runsAfter(schedule, rhythmOf(schedule, snapshot.config), { now, runs }) : []
  const mark = neo.id === undefined ? undefined : env.context.schedules.facts().marks.get(neo.id)
  return {
    ...{ name, roomId: room, path, when: textOf(schedule), kind, status, catchUp, overlap, body },
    timezone: timezone ?? null,
    zone: timezone ?? snapshot.config.timezone,
    createdBy: neo.createdBy ?? null,
    nextAt: next[0] ?? null,
    nextRuns: next.slice(0, runs),
    last: kind === 'task' ? tasksOf(snapshot, { room, name }) : messagesOf(env, snapshot, { room, name }),
    queued: mark?.queue.length ?? 0,
    skipped:
      mark?.skipped === undefined ? null : { count: mark.skipped.count, at: isoSecond(mark.skipped.at) },
    problems: problemsOf(snapshot, path),
    acts: actsOf(env, snapshot, { file, principal }),
  }
}

/** As the methods decide: who changes a schedule decides what will run. */
function actsOf(env: HubEnv, snapshot: Snapshot, { file, principal }: Omit<Asked, 'runs'>) {
  const { schedule, room } = file
  const rules = rulesFor(env, snapshot, room)
  const own = schedule.settings['worker']
  const given = typeof own === 'string' ? own : schedule.template === undefined ? undefined : 'shell'
  const worker = workerIn(snapshot, room, { worker: given })
  const author = schedule.neo.createdBy ?? 'human'
  const sets = ['description']
  const asked = {
    run: ['make-task', schedule.kind === 'message' ? { room, sets } : { room, sets, worker }],
    change: ['change-task', { room, sets, author, worker: 'shell' }],
    delete: ['delete-task', { room, sets: [], author, worker: 'shell' }],
  } as const
  return SCHEDULE_ACTS.filter((name) => {
    const [act, resource] = asked[name]
    return decide(principal, act, { resource, rules }).effect !== 'deny'
  })
}

export type Listed = Pick<ScheduleFile, 'schedule' | 'path' | 'room' | 'name'>
type At = Pick<ScheduleFile, 'room' | 'name'>

/** Those of the rooms that the caller sees. */
export function schedulesIn(snapshot: Snapshot, isSeen: (room: string) => boolean): readonly ScheduleFile[] {
  return [...(snapshot.schedules?.values() ?? [])].filter(({ room }) => isSeen(room))
}

/** For the page: the schedules, and files of schedules that can't be read. */
export function scheduleState(
  env: HubEnv,
  snapshot: Snapshot,
  { isSeen, principal }: { readonly isSeen: (room: string) => boolean; readonly principal: Principal },
) {
  const views = schedulesIn(snapshot, isSeen).map(
    (file) => [file.path, viewSchedule(env, snapshot, { file, runs: MOST_SHOWN, principal })] as const,
  )
  const broken: Record<string, { path: string; roomId: string; name: string; problems: Problem[] }> = {}
  for (const { file } of snapshot.problems) {
    const [, roomId = '', name = ''] = /^rooms\/([^/]+)\/schedules\/([^/]+)\.md$/.exec(file) ?? []
    if (name !== '' && isSeen(roomId) && snapshot.schedules?.has(file) !== true)
      broken[file] = { path: file, roomId, name, problems: problemsOf(snapshot, file) }
  }
  return { schedules: Object.fromEntries(views), broken, home: { zone: snapshot.config.timezone } }
}

/** Two days of hourly runs; a timeline draws what is denser as a band. */
const MOST_SHOWN = 50

function problemsOf({ problems }: Snapshot, path: string): Problem[] {
  return problems
    .filter(({ file }) => file === path)
    .map(({ line, column, severity, message, hint }) => ({ line, column, severity, message, hint }))
}

interface Runs {
  readonly zone: string
  readonly from: number
  readonly slots: readonly number[]
}

/** The same runs are asked for after each change of the home. */
const known = new WeakMap<Schedule, Runs>()

/** The next run, and as many as are asked for. */
export function runsAfter(
  schedule: Schedule,
  rhythm: Rhythm,
  { now, runs }: { readonly now: number; readonly runs: number },
): readonly string[] {
  const before = known.get(schedule)
  const fits = before?.zone === rhythm.zone && before.from <= now
  const slots = fits ? before.slots.filter((at) => at > now) : []
  while (slots.length < Math.max(1, runs)) {
    const at = nextSlot(rhythm, slots.at(-1) ?? now)
    if (at === null) break
    slots.push(at)
  }
  known.set(schedule, { zone: rhythm.zone, from: now, slots })
  return slots.slice(0, Math.max(1, runs)).map((at) => new Date(at).toISOString().replace('.000Z', 'Z'))
}

/** By room and label, newest first; made once for all schedules of a snapshot. */
const byLabel = new WeakMap<Snapshot['tasks'], ReadonlyMap<string, readonly TaskFile[]>>()

function tasksOf({ tasks }: Snapshot, { room, name }: At): Outcome[] {
  const index = byLabel.get(tasks) ?? indexed(tasks)
  byLabel.set(tasks, index)
  return (index.get(`${room} ${labelOf(name)}`) ?? []).slice(0, MOST_LAST).map(({ task, path }) => ({
    at: task.neo.createdAt ?? null,
    path,
    taskId: task.neo.id ?? null,
    title: task.title,
    status: task.status,
    endedAt: task.neo.completedAt ?? null,
    note: firstLine(task.neo.error ?? task.neo.result ?? ''),
  }))
}

function indexed(tasks: Snapshot['tasks']): ReadonlyMap<string, readonly TaskFile[]> {
  const index = new Map<string, TaskFile[]>()
  for (const file of tasks.values())
    for (const label of file.task.labels.filter((one) => one.startsWith(labelOf('')))) {
      const key = `${file.room} ${label}`
      const found = index.get(key)
      if (found === undefined) index.set(key, [file])
      else found.push(file)
    }
  const made = ({ task }: TaskFile): string => task.neo.createdAt ?? ''
  for (const files of index.values()) files.sort((a, b) => (made(a) < made(b) ? 1 : -1))
  return index
}

interface Message {
  /** Null: it waits in the inbox. */
  readonly blob: string | null
  readonly path: string
  readonly at: string
}

/** By room and schedule, newest first. */
const bySchedule = new WeakMap<Snapshot, ReadonlyMap<string, readonly Message[]>>()

function messagesOf(env: HubEnv, snapshot: Snapshot, { room, name }: At): Outcome[] {
  const index = bySchedule.get(snapshot) ?? messagesIn(env, snapshot)
  bySchedule.set(snapshot, index)
  return (index.get(`${room} ${name}`) ?? []).slice(0, MOST_LAST).map(({ at, path, blob }) => ({
    ...{ at, path, taskId: null, title: null, endedAt: null },
    status: blob === null ? 'waiting' : 'answered',
    note: blob === null ? null : replyIn(env, path, blob),
  }))
}

const MESSAGE =
  /^rooms\/([^/]+)\/inbox\/(?:archive\/)?([^/]+)--(?:run-)?(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)(?:-\d+)?\.md$/

function messagesIn({ context }: HubEnv, { inbox }: Snapshot): ReadonlyMap<string, readonly Message[]> {
  const index = new Map<string, Message[]>()
  const archived = [...context.look.tree()].filter(([path]) => path.includes('/inbox/archive/'))
  for (const [path, blob] of [...[...inbox.keys()].map((path) => [path, null] as const), ...archived]) {
    const [, room, name, year, month, hour, minute, second] = MESSAGE.exec(path) ?? []
    if (year === undefined) continue
    const at = `${year}-${month}-${hour}:${minute}:${second}`
    const key = `${room} ${name}`
    index.set(key, [...(index.get(key) ?? []), { path, blob, at }])
  }
  for (const messages of index.values()) messages.sort((a, b) => (a.at < b.at ? 1 : -1))
  return index
}

/** By blob: an archived message doesn't change. */
const replies = new Map<string, string | null>()
const MOST_REPLIES = 1_000

function replyIn({ context }: HubEnv, path: string, blob: string): string | null {
  const kept = replies.get(blob)
  if (kept !== undefined) return kept
  const read = context.world.files.read(join(context.home, path), MAX_BYTES)
  const [, ...parts] = read.kind === 'file' ? read.bytes.toString('utf8').split('\n## Reply\n') : []
  const reply = firstLine(parts.at(-1) ?? '')
  if (replies.size >= MOST_REPLIES) replies.clear()
  replies.set(blob, reply)
  return reply
}

const MOST_NOTE = 200

function firstLine(said: string): string | null {
  const [line = ''] = said.trim().split('\n')
  return line === '' ? null : line.slice(0, MOST_NOTE)
}
