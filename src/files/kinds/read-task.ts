/**
 * The task file, `rooms/<room>/tasks/<name>.md`: reading it. Invariant 1: times are in UTC, but `due` stays a date where
 * it is one; text that looks like a number stays as written.
 */
import {
  BLOCKED_BY,
  ON_INTERRUPT,
  PRIORITIES,
  REVIEWS,
  TASK_STATUSES,
  type Task,
  type TaskNeo,
} from '../../domain/task/task.ts'
import type { CheckContext } from '../values/check-value.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { duration, msOf } from '../values/duration.ts'
import {
  budget as budgetShape,
  budgetOf,
  nonEmptyText,
  id,
  modelOf,
  paramNames,
  retry as retryShape,
  retryOf,
  used,
  variable,
  worker as workerShape,
  workerOf,
} from '../values/header-values.ts'
import { baseName, buildKind, camelKeys, withoutUndefined } from '../values/kind.ts'
import { endsInBlock, firstHeading } from '../body/markdown.ts'
import type { Read } from '../header/read-header.ts'
import { choice, decimal, type Infer, keys, map, describe, text, textList, integer } from '../values/shape.ts'
import { instantOf, isDate, time } from '../values/times.ts'

const neoKeys = {
  id: describe('Id of the task.', id),
  created_at: describe('Time of creation.', time),
  created_by: describe('Author: `human`, `neo`, `session:ID`, `schedule:NAME` or `member:ID`.', nonEmptyText),
  session: describe('Current or latest session.', id),
  attempt: describe('Number of attempts so far.', integer()),
  progress: describe('Progress in percent.', decimal(0, 100)),
  current_step: describe('Step that is running.', text()),
  started_at: describe('Start of the latest attempt.', time),
  completed_at: describe('End of the latest attempt.', time),
  result: describe('Result in one line. The session file has the details.', text()),
  error: describe('Error in one line.', text()),
  blocked: describe(
    'Why Neo blocked the task. It is removed when the task can continue.',
    choice(...BLOCKED_BY),
  ),
  handled: describe('Latest event that Neo has reacted to.', text()),
  retry_at: describe('Earliest start of the next attempt.', time),
  retries: describe('Number of automatic retries since the task was last set to `pending`.', integer()),
  branch: describe('Branch with the work.', text()),
  pr: describe('URL of the pull request.', text()),
  hold: describe('Why the work needs your review although `review: none` is set.', text()),
  verified: describe(
    'Result of the latest checks.',
    keys({
      at: describe('Time of the checks.', time),
      commands: describe('Number of commands.', integer()),
      passed: describe('Number of commands that passed.', integer()),
    }),
  ),
  usage: describe('Usage of all attempts.', keys(used)),
}

/** The header's keys, which templates share. */
export const taskKeys = {
  title: describe('Title in one line. Default: the first heading, else the file name.', text()),
  status: describe(
    'State of the task. Set `pending` to run it or run it again, `cancelled` to stop it. Default: `pending`.',
    choice(...TASK_STATUSES),
  ),
  priority: describe('Tasks with a higher priority start first. Default: `normal`.', choice(...PRIORITIES)),
  depends_on: describe(
    'Tasks that must be completed first, by id, file name or `room/name`. Example: `[design, shop/prices]`.',
    textList(nonEmptyText),
  ),
  worker: describe(
    'What does the task: `agent` (a model), `shell` (the `sh` blocks of the text), `exec:NAME` (a program in `workers:` of neo.yaml) or `human`. Default: that of the room.',
    workerShape,
  ),
  model: describe(
    'Model as `provider/model`, or `none`. Default: that of the room, else of neo.yaml.',
    nonEmptyText,
  ),
  workspace: describe(
    'Git repository or folder to work in, relative to the home. Default: that of the room.',
    nonEmptyText,
  ),
  review: describe(
    'What happens to finished work: `none` merges it, `branch` waits for your review, `pr` opens a pull request. Default: that of the room.',
    choice(...REVIEWS),
  ),
  verify: describe(
    'Commands that must pass in the worktree before the task is completed, such as `npm test`. Default: those of the room.',
    textList(nonEmptyText),
  ),
  labels: describe('Labels for searching and filtering.', textList()),
  due: describe('Due date or time. Neo does not start or stop anything because of it.', time),
  retry: describe(
    'Number of retries after a failure, or `{ max: 2, backoff: 30s }`. The wait doubles after each retry. Default: 0.',
    retryShape,
  ),
  on_interrupt: describe(
    'What to do if a crash leaves unclear whether a step ran. Default: `ask`.',
    choice(...ON_INTERRUPT),
  ),
  timeout: describe('Maximum duration of an attempt. Default: 1h.', duration),
  budget: describe(
    'Spending limit, such as `{ usd: 2, turns: 40 }`. A single number is US dollars. Default: that of the room.',
    budgetShape,
  ),
  env: describe(
    'Names of environment variables to pass to the task besides those of the room.',
    textList(variable),
  ),
  neo: describe('Bookkeeping of Neo, always last. Do not edit it.', keys(neoKeys)),
}

export const taskShape = keys({
  ...taskKeys,
  params: describe('Parameter values of the template that the task was created from.', map(text())),
})
type TaskGiven = Infer<typeof taskShape>

/** Reads a task. `zone` is the IANA name in which local times are read. */
export function readTask(file: string, bytes: Buffer | string, zone: string): Read<Task> {
  const read = readDocument(file, bytes)
  if (read.kind !== 'ok') return read
  if (endsInBlock(read.value.body)) return { kind: 'unfinished', why: 'A code fence is not closed yet' }
  return buildKind(file, read.value, {
    shape: taskShape,
    build: (known, doc, on) => buildTask(known, doc, { file, zone, on }),
  })
}

/** A key without a conversion here reaches `Task` under its camelCase name. */
function buildTask(known: TaskGiven, doc: Doc, at: { file: string; zone: string; on: CheckContext }): Task {
  if (known.params !== undefined) paramNames(at.on, known.params)
  const { title, worker, model, due, retry, timeout, budget, neo, ...same } = known
  return {
    status: 'pending',
    priority: 'normal',
    dependsOn: [],
    labels: [],
    onInterrupt: 'ask',
    env: [],
    ...camelKeys(same),
    title: titleOf(title, doc.body, at.file),
    retry: retryOf(retry),
    ...withoutUndefined<Partial<Task>>({
      worker: workerOf(at.on, worker),
      model: modelOf(model),
      due: due === undefined || isDate(due) ? due : utc(due, at.zone),
      timeoutMs: msOf(timeout),
      budget: budgetOf(budget),
    }),
    neo: neo === undefined ? {} : neoOf(neo, at.zone),
    body: doc.body,
    bodyLine: doc.bodyLine,
  }
}

function neoOf(neo: NonNullable<TaskGiven['neo']>, zone: string): TaskNeo {
  const { created_at, started_at, completed_at, retry_at, verified, usage: _, ...same } = neo
  return {
    ...camelKeys(same),
    ...withoutUndefined<TaskNeo>({
      createdAt: utc(created_at, zone),
      startedAt: utc(started_at, zone),
      completedAt: utc(completed_at, zone),
      retryAt: utc(retry_at, zone),
      verified: verified && {
        at: utc(verified.at, zone) ?? '',
        commands: verified.commands ?? 0,
        passed: verified.passed ?? 0,
      },
    }),
  }
}

/** The header's title, else the first heading, else the file's name without the id that Neo adds; on one line. */
export function titleOf(title: string | undefined, body: string, file: string): string {
  const said = oneLine(title ?? '') || oneLine(firstHeading(body) ?? '')
  return said || baseName(file).replace(/--t-[a-z0-9]{6,}$/, '')
}

/** Blanks other than single spaces between words. */
const NOT_ONE_LINE = /[^\S ]|\p{Cc}| {2}|^ | $/u

function oneLine(value: string): string {
  return NOT_ONE_LINE.test(value) ? value.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() : value
}

function utc(value: string | undefined, zone: string): string | undefined {
  return value === undefined ? undefined : (instantOf(value, zone) ?? undefined)
}
