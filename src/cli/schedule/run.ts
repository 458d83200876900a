/**
 * `neo schedule run`: makes the task or message of a schedule now, as a new file; prints its path.
 * Leaves to the daemon: adopting, committing, running. Its own times stay as they are: no mark is moved.
 * Invariant 1: who wrote the schedule says what its task may do, as at its own times.
 */
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import { isPlainName } from '../../flow/effects/schedule.ts'
import { make } from '../../formats/schedule-made.ts'
import { createFile, MAX_BYTES } from '../edit-file.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { allSchedules, findSchedule, scheduleOf } from './open.ts'

export function runSchedule(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const { home, world } = opened
    const one = findSchedule(await allSchedules(call, opened), firstOf(call))
    const schedule = scheduleOf(one)
    const { room, name, zone } = one
    const template = templateText(opened, schedule.template)
    const id = world.random.id('t')
    const made = make({ schedule, room, name, zone, template, id, slot: null, now: world.clock.now() })
    if (made.kind === 'wrong')
      throw new NeoError('failed', `Cannot run the schedule "${name}": ${made.why}`, {
        next: `look at ${one.path}`,
      })
    if (!createFile(world.files, home, made))
      throw new NeoError('failed', `Cannot run the schedule "${name}": ${made.path} is there already`, {
        next: 'the same command again',
      })
    call.out.data('schedule.run', { path: made.path, taskId: made.taskId, room, name })
    call.out.line(made.path)
    return 0
  })
}

function templateText({ home, world }: Opened, name: string | undefined): string | null {
  if (name === undefined || !isPlainName(name)) return null
  const read = world.files.read(join(home, 'templates', 'tasks', `${name}.md`), MAX_BYTES)
  return read.kind === 'file' ? read.bytes.toString('utf8') : null
}
