/** Schedules by name: their files, and what has run. */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import type { Problem } from '../../domain/home/problem.ts'
import { rhythmOf } from '../../domain/schedule/due-runs.ts'
import type { Mark, Schedule } from '../../domain/schedule/schedule.ts'
import { nextSlot } from '../../domain/schedule/schedule-slots.ts'
import { cronFields, openSchedules } from '../../engine/snapshot/schedules.ts'
import { readSchedule } from '../../files/kinds/read-schedule.ts'
import { brokenFile, usage } from '../cli-failure.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { findRoom, readRoomNamed } from '../room/open-rooms.ts'
import type { Call } from '../spec.ts'
import { roomNames } from '../task/task-paths.ts'
import type { Opened } from '../with-world.ts'
import { zoneOf } from '../zone.ts'

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
  const typed = call.text('room')
  const rooms = typed === null ? roomNames(home, files) : [findRoom({ home, files }, typed)]
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
  const broken = (message: string): Listed => {
    const problem = {
      file: path,
      line: null,
      column: null,
      severity: 'error',
      code: 'kind',
      hint: '',
    } as const
    return { ...at, schedule: null, problems: [{ ...problem, message }], mark: null, state: 'off' }
  }
  const found = world.files.read(join(home, path), MAX_BYTES)
  if (found.kind !== 'file')
    return broken(found.kind === 'refused' ? `It ${found.why}` : 'It was deleted just now')
  const read = readSchedule(path, found.bytes, cronFields)
  if (read.kind === 'unfinished') return broken(read.why)
  if (read.kind === 'bad') return { ...broken(''), problems: read.problems }
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
