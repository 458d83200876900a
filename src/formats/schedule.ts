/**
 * The schedule file, `rooms/<room>/schedules/<name>.md`: reading it.
 * Takes bytes; gives a Schedule, or problems. The body is the task's body, or the message to Neo.
 * Leaves to the step that fires schedules: what a cron expression means beyond its form.
 * Invariant 1: exactly one of cron, every and at says when.
 */
import { type Checked, note } from './check.ts'
import { duration, msOf } from './duration.ts'
import { filled, id } from './fields.ts'
import { given, readKind } from './kind.ts'
import type { Read } from './read.ts'
import { choice, type Given, keys, matching } from './shape.ts'
import { time, zoneName } from './times.ts'

export type When =
  | { readonly kind: 'cron'; readonly cron: string }
  | { readonly kind: 'every'; readonly everyMs: number }
  /** As written; read it in `timezone`, else in the home's. */
  | { readonly kind: 'at'; readonly at: string }

export interface Schedule {
  readonly when: When
  readonly timezone?: string
  readonly catchUp: 'latest' | 'all' | 'none'
  readonly overlap: 'skip' | 'queue' | 'all'
  readonly kind: 'task' | 'message'
  readonly template?: string
  readonly status: 'active' | 'paused' | 'done'
  readonly neo: { readonly id?: string; readonly createdAt?: string; readonly createdBy?: string }
  readonly body: string
}

/** Five fields, or six with seconds, of numbers, names, `*`, lists, ranges and steps. */
const CRON = /^(?:[\w*?,/#-]+[ \t]+){4,5}[\w*?,/#-]+$/
/** Once a second is a busy loop. */
const LEAST_MS = 10_000

export const scheduleShape = keys({
  cron: matching('a cron expression such as "0 9 * * 1-5"', CRON),
  every: duration,
  at: time,
  timezone: zoneName,
  catch_up: choice('latest', 'all', 'none'),
  overlap: choice('skip', 'queue', 'all'),
  kind: choice('task', 'message'),
  template: filled,
  status: choice('active', 'paused', 'done'),
  neo: keys({ id, created_at: time, created_by: filled }),
})
type ScheduleGiven = Given<typeof scheduleShape>

/** Reads a schedule. */
export function readSchedule(file: string, bytes: Buffer | string): Read<Schedule> {
  return readKind(file, bytes, {
    shape: scheduleShape,
    build: (known, doc, on) => ({
      when: whenOf(known, on),
      catchUp: known.catch_up ?? 'latest',
      overlap: known.overlap ?? 'skip',
      kind: known.kind ?? 'task',
      status: known.status ?? 'active',
      neo: given<Schedule['neo']>({
        id: known.neo?.id,
        createdAt: known.neo?.created_at,
        createdBy: known.neo?.created_by,
      }),
      body: doc.body,
      ...given<{ timezone?: string; template?: string }>({
        timezone: known.timezone,
        template: known.template,
      }),
    }),
  })
}

function whenOf(known: ScheduleGiven, on: Checked): When {
  const everyMs = msOf(known.every)
  const given = [known.cron, known.every, known.at].filter((value) => value !== undefined)
  if (given.length !== 1 && on.problems.length === 0)
    note(on, given.length > 1 ? ['at'] : [], {
      code: 'type',
      message: `The schedule has ${given.length} of cron, every and at, want one`,
      hint: 'Write one line, such as every: 30m',
    })
  if (everyMs !== undefined && everyMs < LEAST_MS)
    note(on, ['every'], {
      code: 'type',
      message: `every is "${known.every}", want at least 10s`,
      hint: 'Write every: 10s, or more',
    })
  if (known.cron !== undefined) return { kind: 'cron', cron: known.cron }
  return everyMs !== undefined ? { kind: 'every', everyMs } : { kind: 'at', at: known.at ?? '' }
}
