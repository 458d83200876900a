/**
 * A room with one schedule under a virtual clock. Takes the schedule's header and the time; keeps what was made.
 * Leaves to the tests: what happens to clock and process.
 */
import type { Mark, Schedule } from '../../../src/domain/schedule/schedule.ts'
import type { ScheduleFile, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { decideSchedules, labelOf, taskIdOf } from '../../../src/domain/schedule/due-runs.ts'
import { cronFields } from '../../../src/engine/snapshot/schedules.ts'
import { readSchedule } from '../../../src/files/kinds/read-schedule.ts'
import { config, facts, roomFile, snapshot, taskFile } from '../../builders.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const ms = (iso: string) => Date.parse(iso)

/** A home with one schedule, a clock that can be set, and everything that was made. */
export class Room {
  now: number
  readonly zone: string
  readonly made: number[] = []
  missed = 0
  marks = new Map<string, Mark>()
  tasks: TaskFile[] = []
  wakeAt: number | null = null
  file: ScheduleFile
  private since: number

  constructor(header: string, at: string, zone = 'UTC') {
    this.now = ms(at)
    this.since = this.now
    this.zone = zone
    const created = new Date(this.now).toISOString().replace('.000', '')
    const neo = `neo: { id: c-1, created_at: ${created}, created_by: human }`
    this.file = fileOf(`---\n${header}\n${neo}\n---\nDo it.\n`)
    this.look()
  }

  /** One round: what is decided is carried out, until nothing is. `cut`: the process dies after the files. */
  look(cut = false): void {
    for (let round = 0; round < 300; round++) {
      const [decision] = this.decide()
      if (decision === undefined) return
      if (decision.kind !== 'fire') throw new Error(decision.kind)
      for (const slot of decision.slots) this.make(slot)
      if (cut && decision.slots.length > 0) return
      this.missed += decision.missed
      this.marks.set('c-1', JSON.parse(JSON.stringify(decision.mark)) as Mark)
    }
    throw new Error('it does not come to rest')
  }

  decide() {
    this.wakeAt = null
    const schedules = { marks: this.marks, since: this.since, waits: 'yes' } as const
    return decideSchedules({
      snapshot: {
        ...snapshot({ tasks: this.tasks, rooms: [roomFile('shop')] }),
        config: { ...config(), timezone: this.zone },
        schedules: new Map([[this.file.path, this.file]]),
      },
      facts: facts({ schedules }),
      now: this.now,
      wake: (at) => (this.wakeAt = this.wakeAt === null ? at : Math.min(this.wakeAt, at)),
    })
  }

  /** As the effect does: what an id was made for is not made again. */
  private make(slot: number): void {
    const id = taskIdOf('c-1', slot)
    if (this.tasks.some(({ task }) => task.neo.id === id)) return
    this.made.push(slot)
    const neo = { id }
    this.tasks.push(taskFile(`at-${slot}`, { labels: [labelOf('nightly')], neo }))
  }

  endAll(): void {
    this.tasks = this.tasks.map((file) => ({ ...file, task: { ...file.task, status: 'completed' } }))
  }

  restart(): void {
    this.since = this.now
    this.look()
  }

  /** Time goes by, with a look at each due time, as the daemon's bell does it. */
  pass(length: number, end = true): void {
    const until = this.now + length
    for (;;) {
      this.look()
      if (end) this.endAll()
      if (this.wakeAt === null || this.wakeAt > until) break
      this.now = this.wakeAt
    }
    this.now = until
    this.look()
    if (end) this.endAll()
  }

  set(status: Schedule['status']): void {
    this.file = { ...this.file, schedule: { ...this.file.schedule, status } }
    this.look()
  }
}

export function fileOf(text: string): ScheduleFile {
  const path = 'rooms/shop/schedules/nightly.md'
  const read = readSchedule(path, text, cronFields)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return { path, room: 'shop', name: 'nightly', hash: 'h', gitStatus: 'same', schedule: read.value }
}
