/**
 * schedule.*: what is to be done again and again, by files of a room; and doing one of them now. Invariant 1: a run that
 * somebody asks for moves no mark: the schedule's own times stay.
 */

import { join } from 'node:path'
import { z } from 'zod'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { speakersOf } from '../../domain/policy/scope-types.ts'
import { rhythmOf } from '../../domain/schedule/due-runs.ts'
import { workerText } from '../../domain/task/task.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { isPlainName } from '../../engine/effects/schedule-effects.ts'
import { cronFields } from '../../engine/snapshot/schedules.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { readSchedule, type Schedule, scheduleShape } from '../../files/kinds/read-schedule.ts'
import { newFileName, readTask } from '../../files/kinds/read-task.ts'
import { make } from '../../files/kinds/schedule-made.ts'
import { isoSecond } from '../../files/values/times.ts'
import { commit } from '../changes/compare-and-write.ts'
import { asBody, badText, defined, headerInputs, workerIn } from '../changes/header-inputs.ts'
import { type Actor, type HubEnv, isoNow, look, method, nameOf } from '../env.ts'
import { aboutOnlyRoom, aboutRoom, listedRooms } from '../views/about.ts'
import { badParams, type HubError } from '../hub.ts'
import { findRoom, missing } from '../views/find-in-home.ts'
import {
  type Listed,
  runsAfter,
  type ScheduleView,
  schedulesIn,
  scheduleView,
  viewSchedule,
} from '../views/schedule-view.ts'
import { bodyText, onlyRoom, roomId, titleText } from '../views/shapes.ts'

const text = z.string()
export const scheduleName = titleText.describe('The name of its file, without `.md`')

export const scheduleList = method({
  name: 'schedule.list',
  summary: 'List schedules',
  details: 'The recurring and planned tasks and messages, with their next runs and what the last ones made.',
  tool: { effect: 'reads', list: 'schedules' },
  params: z.strictObject({
    roomId: onlyRoom,
    nextRuns: z.int().min(0).max(100).default(3).describe('How many of the next runs to list for each'),
  }),
  result: z.array(scheduleView),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, { roomId, nextRuns: runs }, { principal }) => {
    const snapshot = await look(env)
    const isListed = listedRooms(env, snapshot, { roomId, principal })
    return schedulesIn(snapshot, isListed).map((file) =>
      viewSchedule(env, snapshot, { file, runs, principal }),
    )
  },
})

/** Runs in the answer to a change. */
const RUNS = 3

/** As it was just written. */
export async function viewWritten(
  env: HubEnv,
  { room, name, schedule }: Omit<Listed, 'path'>,
  { principal }: Actor,
): Promise<ScheduleView> {
  const file = { room, name, path: `rooms/${room}/schedules/${name}.md`, schedule }
  return viewSchedule(env, await look(env), { file, runs: RUNS, principal })
}

export const scheduleInputs = headerInputs(scheduleShape, {
  not: ['title', 'status', 'template', 'params', 'neo'],
})

const { kind, cron, every, at, timezone, catchUp, overlap } = scheduleInputs.fields
const planned = z.strictObject({
  roomId,
  name: titleText.describe('What to call it'),
  content: bodyText.describe('Markdown: the task or the message'),
  ...{ kind, cron, every, at, timezone, catchUp, overlap },
})

export const scheduleCreate = method({
  name: 'schedule.create',
  summary: 'Create a schedule',
  details: 'For a task, or for a message to the Neo of a room. Set exactly one of `cron`, `every` and `at`.',
  tool: { effect: 'adds' },
  params: planned,
  result: scheduleView,
  act: 'make-task',
  resource: async (env, { roomId, kind = 'task', at }, principal) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, roomId).name
    const sets = setsOf(kind, principal, at === undefined ? 'recurs' : 'once')
    return kind === 'message' ? { room, sets } : { room, sets, worker: workerIn(snapshot, room, {}) }
  },
  run: createSchedule,
})

/**
 * What the text of a schedule sets. A message that Neo plans comes to it later as its own, with the rights of its room:
 * if it plans one for a member, who may have fewer, the owner has to approve it. A recurring schedule costs again and again:
 * if a model plans one, a person has to approve it too.
 */
export function setsOf(
  kind: Schedule['kind'],
  principal: Principal,
  how: 'recurs' | 'once',
): readonly string[] {
  const isOfPerson = principal.kind === 'human' || principal.kind === 'member'
  const recurs = how === 'recurs' && !isOfPerson ? ['recurring schedule'] : []
  const onBehalfOf = principal.kind === 'neo' ? principal.onBehalfOf : undefined
  const isForMember =
    onBehalfOf !== undefined && speakersOf(onBehalfOf).some((speaker) => speaker !== 'human')
  return ['description', ...(kind === 'message' && isForMember ? ['message'] : []), ...recurs]
}

async function createSchedule(
  env: HubEnv,
  params: z.output<typeof planned>,
  actor: Actor,
): Promise<ScheduleView> {
  const { roomId, name: said, content, ...header } = params
  const room = findRoom(await look(env), roomId).name
  const id = env.context.world.random.id('t').slice(2)
  const name = newFileName(said, `c-${id}`, 'schedule')
  const path = `rooms/${room}/schedules/${name}.md`
  const set = scheduleInputs.header(header) as Record<string, string>
  const neo = { id: `c-${id}`, created_at: isoNow(env), created_by: nameOf(actor.principal) }
  const after = renderDocument({ ...set, neo }, asBody(content))
  const read = readSchedule(path, after, cronFields)
  if (read.kind !== 'ok') throw badText([], read)
  const changes = [{ path, before: null, after }]
  const lost = `Cannot create the schedule: ${path} already exists`
  await commit(env, actor, { room, what: `plan ${name}`, event: 'schedule', changes, lost })
  return await viewWritten(env, { room, name, schedule: read.value }, actor)
}

const running = z.strictObject({ roomId, name: scheduleName })

export const scheduleRun = method({
  name: 'schedule.run',
  summary: 'Run a schedule now',
  details: 'Creates its task or message now. Its regular runs stay as planned.',
  tool: { effect: 'adds' },
  params: running,
  result: z.strictObject({ path: text, taskId: text.nullable() }),
  act: 'make-task',
  resource: async (env, { roomId, name }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, roomId).name
    const { schedule = null } = scheduleAt(env, room, name) ?? {}
    if (schedule?.kind === 'message') return { room, sets: ['description'] }
    // A schedule that is missing, or that can't be read, needs the same permission as a script: an error tells nothing.
    const worker = schedule === null ? 'shell' : workerOf(env, { snapshot, room, schedule })
    return { room, sets: ['description'], worker }
  },
  run: runSchedule,
})

interface Made {
  readonly snapshot: Snapshot
  readonly room: string
  readonly schedule: Schedule
}

/** Who would run what the schedule makes: as it says, else its template, else the room. */
function workerOf(env: HubEnv, { snapshot, room, schedule }: Made): string {
  const template = templateText(env, schedule.template)
  const made = template === null ? null : readTask('template', template, snapshot.config.timezone)
  // A template whose holes hide it may say anything.
  if (made !== null && made.kind !== 'ok') return 'shell'
  const own = schedule.settings['worker'] ?? undefined
  const given = made?.value.worker === undefined ? undefined : workerText(made.value.worker)
  return workerIn(snapshot, room, { worker: typeof own === 'string' ? own : given })
}

interface ScheduleAt {
  readonly path: string
  readonly bytes: Buffer
  /** Null if it does not read now: `wrong` says why. */
  readonly schedule: Schedule | null
  readonly wrong: HubError | null
}

/** Null if there is no such file. */
export function scheduleAt(
  { context: { home, world } }: HubEnv,
  room: string,
  name: string,
): ScheduleAt | null {
  const path = `rooms/${room}/schedules/${name}.md`
  const found = isPlainName(name) ? world.files.read(join(home, path), MAX_BYTES) : null
  if (found?.kind !== 'file') return null
  const { bytes } = found
  const read = readSchedule(path, bytes, cronFields)
  const isOk = read.kind === 'ok'
  return { path, bytes, schedule: isOk ? read.value : null, wrong: isOk ? null : badText([], read) }
}

async function runSchedule(
  env: HubEnv,
  { roomId, name }: z.output<typeof running>,
  actor: Actor,
): Promise<{ path: string; taskId: string | null }> {
  const { world, look: looker } = env.context
  const room = findRoom(await look(env), roomId).name
  const { schedule, wrong } = scheduleAt(env, room, name) ?? { schedule: null, wrong: null }
  if (schedule === null) throw wrong ?? missing('schedule', name)
  const zone = schedule.timezone ?? looker.config().timezone
  const template = templateText(env, schedule.template)
  const id = world.random.id('t')
  const now = world.clock.now()
  const made = make({ schedule, room, name, zone, template, id, slot: null, now })
  if (made.kind === 'wrong') throw badParams([], made.why)
  const changes = [{ path: made.path, before: null, after: made.text }]
  const lost = `Cannot run the schedule: ${made.path} already exists`
  await commit(env, actor, { room, what: `run ${name}`, event: 'schedule', changes, lost })
  return { path: made.path, taskId: made.taskId }
}

function templateText({ context }: HubEnv, name: string | undefined): string | null {
  if (name === undefined || !isPlainName(name)) return null
  const path = join(context.home, 'templates', 'tasks', `${name}.md`)
  const read = context.world.files.read(path, MAX_BYTES)
  return read.kind === 'file' ? read.bytes.toString('utf8') : null
}

const typed = z.string().max(200).optional()
const typedParams = z.strictObject({
  roomId,
  name: scheduleName
    .optional()
    .describe('The schedule that would change: an interval counts from its creation'),
  cron: typed.describe('The cron expression as typed'),
  every: typed.describe('The interval as typed'),
  at: typed.describe('The time as typed'),
  timezone: typed.describe("The time zone as typed. Default: the home's"),
})

const checked = z.strictObject({
  nextRuns: z.array(text).describe('The next three runs; empty if it never runs'),
  zone: text.describe('The time zone that counts'),
  problems: z.array(z.strictObject({ severity: z.enum(['error', 'warning']), message: text, hint: text })),
})

export const scheduleCheck = method({
  name: 'schedule.check',
  summary: 'Check when a schedule would run',
  details: 'Set exactly one of `cron`, `every` and `at`. Nothing is written.',
  params: typedParams,
  result: checked,
  act: 'see',
  resource: aboutRoom,
  run: check,
})

async function check(env: HubEnv, asked: z.output<typeof typedParams>): Promise<z.input<typeof checked>> {
  const { roomId, name, ...times } = asked
  const snapshot = await look(env)
  const path = `rooms/${findRoom(snapshot, roomId).name}/schedules/${name ?? ''}.md`
  const now = env.context.world.clock.now()
  const header = defined(times)
  const createdAt = snapshot.schedules?.get(path)?.schedule.neo.createdAt ?? isoSecond(now)
  const read = readSchedule(path, renderDocument(header, 'x\n'), cronFields)
  const found = read.kind === 'ok' ? read.warnings : read.kind === 'bad' ? read.problems : []
  const problems = found.map(({ severity, message, hint }) => ({ severity, message, hint }))
  const home = snapshot.config.timezone
  if (read.kind !== 'ok') return { nextRuns: [], zone: home, problems }
  const schedule = { ...read.value, neo: { createdAt } }
  const next = runsAfter(schedule, rhythmOf(schedule, snapshot.config), { now, runs: RUNS })
  return { nextRuns: [...next], zone: schedule.timezone ?? home, problems }
}
