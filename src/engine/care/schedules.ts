/**
 * What schedules have done, `<git dir>/neo/schedules.json`: one mark a schedule id. Invariants: 1. a mark is on disk
 * before it counts; 2. without a readable file every schedule starts over, which misses slots and repeats none.
 */
import { join } from 'node:path'
import type { Mark, ScheduleFacts } from '../../domain/schedule/schedule.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'

export interface Schedules {
  facts(): ScheduleFacts
  put(id: string, mark: Mark): void
}

export interface SchedulesOptions {
  readonly files: Files
  readonly clock: Clock
  /** `<git dir>/neo` */
  readonly dir: string
  readonly waits: ScheduleFacts['waits']
}

/** Marks of deleted schedules are kept up to this number. */
const MOST_MARKS = 5000

export function openSchedules({ files, clock, dir, waits }: SchedulesOptions): Schedules {
  const path = join(dir, 'schedules.json')
  const since = clock.now()
  let marks: Map<string, Mark> | null = null
  const known = (): Map<string, Mark> => {
    marks ??= marksOf(files.readJson(path))
    return marks
  }
  return {
    facts: () => ({ marks: known(), since, waits }),
    put(id, mark) {
      const others = [...known()].filter(([one]) => one !== id)
      const all: [string, Mark][] = [...others, [id, mark]]
      const next = new Map(all.slice(-MOST_MARKS))
      files.writeJson(path, { v: 1, marks: Object.fromEntries(next) })
      marks = next
    },
  }
}

function marksOf(read: unknown): Map<string, Mark> {
  const held = isRecord(read) && isRecord(read['marks']) ? read['marks'] : {}
  return new Map(Object.entries(held).filter((entry): entry is [string, Mark] => isMark(entry[1])))
}

function isMark(value: unknown): value is Mark {
  if (!isRecord(value)) return false
  const { rule, upTo, floor, fired, queue } = value
  const times = [fired, queue].every((list) => Array.isArray(list) && list.every(Number.isFinite))
  return typeof rule === 'string' && Number.isFinite(upTo) && Number.isFinite(floor) && times
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
