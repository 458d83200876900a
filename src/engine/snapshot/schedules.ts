/**
 * Cron expressions, parsed with node-cron (one that never runs, or more often than every ten seconds, is refused), and
 * what schedules have done, `<git dir>/neo/schedules.json`: one mark a schedule id. Invariants: 1. a mark is on disk
 * before it counts; 2. without a readable file every schedule starts over, which misses slots and repeats none.
 */
import { counted } from '../../domain/text/counted.ts'
import { isMap } from '../../domain/text/is-map.ts'
import { join } from 'node:path'
import { parse, validateDetailed } from 'node-cron'
import type { CronFields, Mark, ScheduleFacts } from '../../domain/schedule/schedule.ts'
import { leastSeconds, nextSlot } from '../../domain/schedule/schedule-slots.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'

/** More often would be a busy loop. */
const LEAST_SECONDS = 10

type CronRead = CronFields | { readonly wrong: string; readonly hint: string }

export function cronFields(expression: string): CronRead {
  const { valid, errors } = validateDetailed(expression)
  if (!valid) return refused(expression, errors)
  const fields = parse(expression)
  const when = { kind: 'cron', cron: expression, fields } as const
  if (nextSlot({ when, zone: 'UTC', anchor: 0 }, 0) === null) return never(expression)
  if (leastSeconds(fields) >= LEAST_SECONDS) return fields
  return {
    wrong: `cron "${expression}" runs every ${counted(leastSeconds(fields), 'second')}; the minimum is ${LEAST_SECONDS}`,
    hint: `Use five fields, or */${LEAST_SECONDS} as the first of six`,
  }
}

function never(expression: string): CronRead {
  return {
    wrong: `cron "${expression}" never runs: no date matches it`,
    hint: 'Use a day that the month has; L is its last day',
  }
}

function refused(
  expression: string,
  errors: readonly { readonly field: string; readonly value?: string; readonly message: string }[],
): CronRead {
  const [first] = errors
  if (first?.message.includes('impossible day') === true) return never(expression)
  const what =
    first?.value === undefined ? '' : `: ${first.value} is not a valid ${NAMES[first.field] ?? first.field}`
  return {
    wrong: `invalid cron "${expression}"${what}; an example is "0 9 * * 1-5"`,
    hint: 'The fields are minute, hour, day of month, month and day of week; with six fields, seconds come first',
  }
}

const NAMES: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of month',
  dayOfWeek: 'day of week',
}

export interface Schedules {
  facts(): ScheduleFacts
  put(id: string, mark: Mark): void
}

interface SchedulesOptions {
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
  const held = isMap(read) && isMap(read['marks']) ? read['marks'] : {}
  return new Map(Object.entries(held).filter((entry): entry is [string, Mark] => isMark(entry[1])))
}

function isMark(value: unknown): value is Mark {
  if (!isMap(value)) return false
  const { rule, upTo, floor, fired, queue } = value
  const times = [fired, queue].every((list) => Array.isArray(list) && list.every(Number.isFinite))
  return typeof rule === 'string' && Number.isFinite(upTo) && Number.isFinite(floor) && times
}
