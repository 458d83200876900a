/**
 * `neo schedule list, next, run`: schedules with their next and last runs, invalid ones with their problem. A run makes the
 * schedule's task or message now; its own times don't change.
 */

import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import { type Problem, whereOf } from '../../domain/home/problem.ts'
import { rhythmOf, textOf } from '../../domain/schedule/due-runs.ts'
import type { Mark, Schedule } from '../../domain/schedule/schedule.ts'
import { nextSlot } from '../../domain/schedule/schedule-slots.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import { cronFields, openSchedules } from '../../engine/snapshot/schedules.ts'
import { readSchedule } from '../../files/kinds/read-schedule.ts'
import { durationText } from '../../runner/ending.ts'
import { brokenFile, usage, wholeFile } from '../cli-failure.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { countOption } from '../option-values.ts'
import { type Cell, dim } from '../output.ts'
import { readRoomNamed, roomOption } from '../room/open-rooms.ts'
import { dateText } from '../shown-text.ts'
import { type Call, firstOf } from '../spec.ts'
import { roomNames } from '../task/task-paths.ts'
import { zoneOf } from '../time-zone.ts'
import { withHub } from '../with-hub.ts'
import { type Opened, withTrusted, withWorld } from '../with-world.ts'

export function listSchedules(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const now = opened.world.clock.now()
    const all = await allSchedules(call, opened)
    call.out.data(
      'schedule.list',
      all.map((one) => dataOf(one, now)),
    )
    call.out.table(
      all.map((one) => rowOf(one, now)),
      3,
    )
    for (const problem of all.flatMap(({ problems }) => problems))
      call.out.note(
        { text: whereOf(problem), style: problem.severity === 'error' ? 'red' : 'yellow' },
        problem.message,
      )
    if (all.length === 0)
      call.out.note('No schedules. Create one: a file rooms/ROOM/schedules/NAME.md with cron: "0 9 * * 1-5"')
    return 0
  })
}

/** Its cron expression, or its interval in words. */
function whenText(schedule: Schedule): string {
  const { when } = schedule
  return when.kind === 'every' ? `every ${durationText(when.everyMs)}` : textOf(schedule)
}

function dataOf(one: Listed, now: number): unknown {
  const { room, name, path, schedule, mark, zone, problems } = one
  return {
    room,
    name,
    path,
    id: schedule?.neo.id ?? null,
    kind: schedule?.kind ?? null,
    status: schedule?.status ?? null,
    state: one.state,
    when: schedule === null ? null : whenText(schedule),
    timezone: zone,
    catchUp: schedule?.catchUp ?? null,
    overlap: schedule?.overlap ?? null,
    next: isoOf(slotsOf(one, now, 1)[0]),
    last: isoOf(mark?.fired.at(-1)),
    queued: mark?.queue.length ?? 0,
    problems,
  }
}

function rowOf(one: Listed, now: number): Cell[] {
  const { room, name, schedule, mark, state } = one
  const label = `${room}/${name}`
  if (schedule === null) return [label, { text: 'broken', style: 'red' }, '', '', '', '']
  const [next] = slotsOf(one, now, 1)
  const last = mark?.fired.at(-1)
  const status: Cell =
    state === 'on'
      ? { text: 'active', style: 'green' }
      : { text: schedule.status === 'active' ? 'room is off' : schedule.status, style: 'yellow' }
  return [
    label,
    status,
    schedule.kind,
    whenText(schedule),
    next === undefined ? '' : `next ${dateText(new Date(next).toISOString())}`,
    last === undefined ? '' : `last ${dateText(new Date(last).toISOString())}`,
  ]
}

function isoOf(slot: number | undefined): string | null {
  return slot === undefined ? null : new Date(slot).toISOString().replace('.000Z', 'Z')
}

const DEFAULT_COUNT = 5
/** A larger number is a typing error. */
const MOST = 1000

export function nextRuns(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const now = opened.world.clock.now()
    const count = Math.min(MOST, countOption(call, 'count') ?? DEFAULT_COUNT)
    const all = await allSchedules(call, opened)
    const [typed] = call.args
    const chosen = typed === undefined ? all : [findSchedule(all, typed)]
    if (typed !== undefined) for (const one of chosen) scheduleOf(one)
    const runs = chosen
      .flatMap((one) => slotsOf(one, now, count).map((slot) => ({ one, slot })))
      .toSorted((a, b) => a.slot - b.slot)
      .slice(0, count)
    call.out.data(
      'schedule.next',
      runs.map(({ one, slot }) => ({
        at: isoOf(slot),
        local: localText(one, slot),
        timezone: one.zone,
        room: one.room,
        name: one.name,
      })),
    )
    call.out.table(
      runs.map(({ one, slot }) => [localText(one, slot), dim(one.zone), `${one.room}/${one.name}`]),
      2,
    )
    if (runs.length === 0) call.out.note('No upcoming runs.')
    return 0
  })
}

/** `2026-03-02 09:00:00`, local time of the zone. */
function localText({ zone }: Listed, slot: number): string {
  return new Date(wallOf(slot, zone)).toISOString().slice(0, 19).replace('T', ' ')
}

export async function runSchedule(call: Call): Promise<number> {
  const one = await withTrusted(call, async (opened) =>
    findSchedule(await allSchedules(call, opened), firstOf(call)),
  )
  scheduleOf(one)
  const { room, name } = one
  const { path, taskId } = await withHub(call, (hub) => hub.call('schedule.run', { roomId: room, name }))
  call.out.data('schedule.run', { path, taskId, room, name })
  call.out.line(path)
  return 0
}

export interface Listed {
  readonly room: string
  readonly name: string
  readonly path: string
  /** `null` if the file is invalid. */
  readonly schedule: Schedule | null
  readonly problems: readonly Problem[]
  readonly mark: Mark | null
  /** IANA name of its time zone. */
  readonly zone: string
  /** `off`: the schedule or its room is paused or archived. */
  readonly state: 'on' | 'off'
}

/** All schedules of the home, or of the room that `--room` names; sorted by path. */
export async function allSchedules(call: Call, opened: Opened): Promise<readonly Listed[]> {
  const { home, world, dir } = opened
  const { files, clock } = world
  const only = roomOption(call, { home, files })
  const rooms = only === null ? roomNames(home, files) : [only]
  const zone = await zoneOf(home, files, call.around.env)
  const { marks } = openSchedules({ files, clock, dir, waits: 'no' }).facts()
  return rooms.flatMap((room) =>
    schedulePaths(opened, room).map((path) => readOne(opened, { room, path, zone, marks })),
  )
}

function schedulePaths({ home, world }: Opened, room: string): readonly string[] {
  const folder = `rooms/${room}/schedules`
  const paths = world.files.names(join(home, folder)).map((name) => `${folder}/${name}`)
  return paths.filter((path) => kindOf(path)?.kind === 'schedule').toSorted()
}

function readOne(
  { home, world }: Opened,
  of: {
    readonly room: string
    readonly path: string
    readonly zone: string
    readonly marks: ReadonlyMap<string, Mark>
  },
): Listed {
  const { room, path } = of
  const at = { room, name: kindOf(path)?.name ?? '', path, zone: of.zone }
  const broken = (problems: readonly Problem[]): Listed => ({
    ...at,
    schedule: null,
    problems,
    mark: null,
    state: 'off',
  })
  const found = world.files.read(join(home, path), MAX_BYTES)
  if (found.kind !== 'file')
    return broken([wholeFile(path, found.kind === 'refused' ? `It ${found.why}` : 'It was deleted just now')])
  const read = readSchedule(path, found.bytes, cronFields)
  if (read.kind === 'unfinished') return broken([wholeFile(path, read.why)])
  if (read.kind === 'bad') return broken(read.problems)
  const schedule = read.value
  const its = readRoomNamed({ home, files: world.files }, room)
  const isOn = schedule.status === 'active' && (its.kind !== 'ok' || its.room.status === 'active')
  const zone = schedule.timezone ?? of.zone
  const mark = of.marks.get(schedule.neo.id ?? '') ?? null
  return { ...at, zone, schedule, problems: read.warnings, mark, state: isOn ? 'on' : 'off' }
}

/** The next slots after now; none if the schedule is off, or its interval counts from an adoption that is still to come. */
export function slotsOf({ schedule, zone, state }: Listed, now: number, count: number): readonly number[] {
  if (schedule === null || state === 'off') return []
  if (schedule.when.kind === 'every' && schedule.neo.createdAt === undefined) return []
  const rhythm = rhythmOf(schedule, { timezone: zone })
  const slots: number[] = []
  for (let at = nextSlot(rhythm, now); at !== null && slots.length < count; at = nextSlot(rhythm, at))
    slots.push(at)
  return slots
}

/** Throws NeoError `failed` for an invalid file. */
export function scheduleOf({ name, schedule, problems }: Listed): Schedule {
  if (schedule === null) throw brokenFile(`Cannot read the schedule "${name}"`, problems)
  return schedule
}

/** By `room/name`, a unique name, or a path. Throws NeoError `missing` or `usage`. */
export function findSchedule(all: readonly Listed[], typed: string): Listed {
  const plain = typed.endsWith('.md') ? typed.slice(0, -3) : typed
  const found = all.filter(
    ({ room, name, path }) => plain === `${room}/${name}` || plain === name || `${plain}.md` === path,
  )
  const [first, ...more] = found
  if (first === undefined)
    throw new NeoError('missing', `Cannot find the schedule "${typed}": no schedule has this name`, {
      next: 'neo schedule list',
    })
  if (more.length === 0) return first
  const names = found.map(({ room, name }) => `${room}/${name}`).join(', ')
  throw usage(
    `Cannot tell which schedule "${typed}" is: ${found.length} schedules have this name`,
    `use one of ${names}`,
  )
}
