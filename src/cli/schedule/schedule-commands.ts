/**
 * `neo schedule list, next, run`: schedules with their next and last runs, invalid ones with their problem. A run makes the
 * schedule's task or message now; its own times don't change.
 */

import { whereOf } from '../../domain/home/problem.ts'
import { textOf } from '../../domain/schedule/due-runs.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import { durationText } from '../../runner/failure-words.ts'
import { countOption } from '../option-values.ts'
import type { Cell } from '../output.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { dateText } from '../time.ts'
import { withTrusted, withWorld } from '../with-world.ts'
import { allSchedules, findSchedule, type Listed, scheduleOf, slotsOf } from './open-schedules.ts'

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
        at: new Date(slot).toISOString().replace('.000Z', 'Z'),
        local: localText(one, slot),
        timezone: one.zone,
        room: one.room,
        name: one.name,
      })),
    )
    call.out.table(
      runs.map(({ one, slot }) => [
        localText(one, slot),
        { text: one.zone, style: 'dim' },
        `${one.room}/${one.name}`,
      ]),
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
