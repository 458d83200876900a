/**
 * `neo schedule list`: every schedule with its kind, next and last run; invalid ones with their problem.
 */
import { textOf } from '../../domain/schedule/due-runs.ts'
import type { Cell } from '../output.ts'
import { whereOf } from '../../domain/home/problem.ts'
import type { Call } from '../spec.ts'
import { dateText } from '../time.ts'
import { withWorld } from '../with-world.ts'
import { allSchedules, type Listed, slotsOf } from './open-schedules.ts'
import { durationText } from '../../runner/failure-words.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'

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
