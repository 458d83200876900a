/**
 * `neo schedule next`: the next runs of one schedule or of all, each in the schedule's own time zone.
 */
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import { countOption } from '../duration-option.ts'
import type { Call } from '../spec.ts'
import { withWorld } from '../with-world.ts'
import { allSchedules, findSchedule, type Listed, scheduleOf, slotsOf } from './open-schedules.ts'

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
