/**
 * The schedule file, `rooms/<room>/schedules/<name>.md`. The body is that of the task, or the message. Invariant 1:
 * exactly one of `cron`, `every` and `at` is set, and runs are at least ten seconds apart.
 */
import type { CronFields, Schedule, TaskSettings, When } from '../../domain/schedule/schedule.ts'
import { isEither } from '../../domain/schedule/schedule-slots.ts'
import type { Doc } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'
import { addProblem, type CheckContext } from '../values/check-value.ts'
import { duration, msOf } from '../values/duration.ts'
import { camelKeys, createdBy, bookkeeping, nonEmptyText } from '../values/header-values.ts'
import { type Covers, paramNames, readKind } from '../values/kind.ts'
import { choice, describe, guard, type Infer, keys, map, matching, text } from '../values/shape.ts'
import { hasOffset, instantOf, time, zoneName } from '../values/times.ts'
import { keysOfRooms, taskKeys } from './task-keys.ts'

export type { Schedule } from '../../domain/schedule/schedule.ts'

/** The meaning of an expression, or why it is invalid. */
export type ReadCron = (expression: string) => CronFields | { readonly wrong: string; readonly hint: string }

/** Five fields, or six with seconds; or a word such as `@daily`. */
const CRON = /^(?:(?:[\w*?,/#-]+[ \t]+){4,5}[\w*?,/#-]+|@[a-z]+)$/
/** Shortest interval. */
const LEAST_MS = 10_000

/** The schedule sets the other keys of a task for each task that it creates. */
const {
  title: _title,
  status: _status,
  depends_on: _dependsOn,
  due: _due,
  params: _params,
  neo: _neo,
  ...settingKeys
} = taskKeys

export const scheduleShape = keys(
  {
    title: describe(
      'Title of the tasks, in one line. Default: the first heading, else the file name.',
      text(),
    ),
    cron: describe(
      'Cron expression with five fields: minute, hour, day of month, month, day of week. Example: `"0 9 * * 1-5"`.',
      matching('a cron expression such as "0 9 * * 1-5"', CRON),
    ),
    every: describe('Interval, at least 10s. Example: `30m`.', duration),
    at: describe('Time of a single run, such as `2026-03-05T09:00`.', time),
    timezone: describe(
      'Time zone of `cron` and `at`, such as `Europe/Berlin`. Default: that of the home.',
      zoneName,
    ),
    catch_up: guard(
      'Which missed runs to start later, if Neo was not running: the `latest`, `all` (at most 100) or `none`. Default: `latest`.',
      choice('latest', 'all', 'none'),
    ),
    overlap: describe(
      'What to do if the previous run has not ended: `skip` this one, `queue` it, or run `all` at the same time. Default: `skip`.',
      choice('skip', 'queue', 'all'),
    ),
    kind: guard(
      'Whether to create a task or to send a message to the Neo of the room. Default: `task`.',
      choice('task', 'message'),
    ),
    template: guard('Name of a template in `templates/tasks/`, without `.md`.', nonEmptyText),
    params: describe('Parameter values for the template.', map(text())),
    status: guard(
      '`paused` stops it. Neo sets `done` after the run of `at`. Default: `active`.',
      choice('active', 'paused', 'done'),
    ),
    ...settingKeys,
    neo: bookkeeping({ created_by: createdBy }),
  },
  { elsewhere: { ...keysOfRooms, depends_on: "Set depends_on in tasks; schedules don't have this key." } },
)
type ScheduleGiven = Infer<typeof scheduleShape>
type SettingKey = keyof typeof settingKeys
type FieldNames = Readonly<Record<SettingKey, 'settings'> & Record<'cron' | 'every' | 'at', 'when'>>

/** Reads a schedule. Without `cron`, only the form of expressions is checked, and they are never due. */
export function readSchedule(file: string, bytes: Buffer | string, cron?: ReadCron): Read<Schedule> {
  return readKind(file, bytes, {
    shape: scheduleShape,
    build: (known, doc, on) => build(known, doc, { on, cron: cron ?? null }),
  })
}

function build(
  known: ScheduleGiven,
  doc: Doc,
  { on, cron }: { readonly on: CheckContext; readonly cron: ReadCron | null },
): Covers<Schedule, ScheduleGiven, FieldNames, 'body'> {
  if (known.params !== undefined) paramNames(on, known.params)
  noteUnusedText(known, doc, on)
  const { settings, own } = split(known)
  return {
    catchUp: 'latest',
    overlap: 'skip',
    kind: 'task',
    status: 'active',
    params: {},
    ...camelKeys(own),
    when: whenOf(known, on, cron),
    settings,
    neo: camelKeys(known.neo ?? {}),
    body: doc.body,
  }
}

type OwnKeys = Omit<ScheduleGiven, keyof FieldNames | 'neo'>

/** The settings of its tasks, and its own keys without those that say when. */
function split(known: ScheduleGiven): { readonly settings: TaskSettings; readonly own: OwnKeys } {
  const { cron: _cron, every: _every, at: _at, neo: _neo, ...rest } = known
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const isSetting = ([key]: readonly [string, unknown]) => Object.hasOwn(settingKeys, key)
  return {
    settings: Object.fromEntries(given.filter(isSetting)),
    own: Object.fromEntries(given.filter((entry) => !isSetting(entry))),
  }
}

function noteUnusedText(known: ScheduleGiven, doc: Doc, on: CheckContext): void {
  if (known.template === undefined) return
  if (known.kind === 'message')
    addProblem(on, ['template'], {
      code: 'type',
      message: 'template has no effect with kind: message',
      hint: 'Write the message below the header and remove template, or use kind: task',
    })
  else if (doc.body.trim() !== '')
    addProblem(on, ['template'], {
      code: 'type',
      severity: 'warning',
      message: 'the text below the header is not used because template is set',
      hint: 'Move the text to the template, or remove template',
    })
}

function whenOf(known: ScheduleGiven, on: CheckContext, cron: ReadCron | null): When {
  const everyMs = msOf(known.every)
  const given = [known.cron, known.every, known.at].filter((value) => value !== undefined)
  if (given.length !== 1 && on.problems.every(({ severity }) => severity !== 'error'))
    addProblem(on, given.length > 1 ? ['at'] : [], {
      code: 'type',
      message: given.length > 1 ? 'more than one of cron, every and at' : 'cron, every or at is missing',
      hint: given.length > 1 ? 'Keep one of them' : 'Add one of them, such as every: 30m',
    })
  if (everyMs !== undefined && everyMs < LEAST_MS)
    addProblem(on, ['every'], {
      code: 'type',
      message: `every: ${known.every} is too short`,
      hint: 'Use 10s or more',
    })
  if (known.cron !== undefined) return cronOf(known.cron, on, cron)
  return everyMs !== undefined ? { kind: 'every', everyMs } : atOf(known.at ?? '')
}

function cronOf(cron: string, on: CheckContext, read: ReadCron | null): When {
  const fields = read?.(cron) ?? null
  if (fields === null) return { kind: 'cron', cron, fields }
  if ('wrong' in fields) {
    addProblem(on, ['cron'], { code: 'cron', message: fields.wrong, hint: fields.hint })
    return { kind: 'cron', cron, fields: null }
  }
  if (isEither(fields))
    addProblem(on, ['cron'], {
      code: 'cron',
      severity: 'warning',
      message: `cron: "${cron}" runs on each of these days of the month and also on each of these days of the week`,
      hint: 'Use * for one of the two if you mean only the other',
    })
  return { kind: 'cron', cron, fields }
}

/** A time with an offset is fixed; others are read in a zone. */
function atOf(at: string): When {
  return { kind: 'at', at, wall: Date.parse(instantOf(at, 'UTC') ?? ''), isFixed: hasOffset(at) }
}
