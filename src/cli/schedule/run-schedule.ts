/**
 * `neo schedule run`: makes the task or message of a schedule now, as a new file, and prints its path. The schedule's
 * own times don't change.
 */
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { withTrusted } from '../with-world.ts'
import { allSchedules, findSchedule, scheduleOf } from './open-schedules.ts'

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
