/**
 * `neo schedule run`: makes the task or message of a schedule now, as a new file; prints its path. Its own times stay as
 * they are: no mark is moved. Invariant 1: who wrote the schedule says what its task may do, as at its own times.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { isPlainName } from '../../engine/effects/schedule-effects.ts'
import { make } from '../../files/kinds/schedule-made.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { withHubClient } from '../rpc/hub-client.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Opened, withTrusted } from '../with-world.ts'
import { allSchedules, findSchedule, type Listed, scheduleOf } from './open-schedules.ts'

export function runSchedule(call: Call): Promise<number> {
  return withTrusted(call, async (opened) => {
    const { home, world } = opened
    const one = findSchedule(await allSchedules(call, opened), firstOf(call))
    const { room, name } = one
    refuseWrong(opened, one)
    const { path, taskId } = await withHubClient(call, { home, files: world.files }, (hub) =>
      hub.call('schedule.run', { roomId: room, name }),
    )
    call.out.data('schedule.run', { path, taskId, room, name })
    call.out.line(path)
    return 0
  })
}

/** Throws NeoError `failed` if it would make nothing now. */
function refuseWrong(opened: Opened, one: Listed): void {
  const { world } = opened
  const { room, name, zone, path } = one
  const schedule = scheduleOf(one)
  const template = templateText(opened, schedule.template)
  const id = world.random.id('t')
  const made = make({ schedule, room, name, zone, template, id, slot: null, now: world.clock.now() })
  if (made.kind === 'wrong')
    throw new NeoError('failed', `Cannot run the schedule "${name}": ${made.why}`, {
      next: `look at ${path}`,
    })
}

function templateText({ home, world }: Opened, name: string | undefined): string | null {
  if (name === undefined || !isPlainName(name)) return null
  const read = world.files.read(join(home, 'templates', 'tasks', `${name}.md`), MAX_BYTES)
  return read.kind === 'file' ? read.bytes.toString('utf8') : null
}
