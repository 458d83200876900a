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
import type { Checked } from '../values/check-value.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { duration, msOf } from '../values/duration.ts'
import {
  budget,
  budgetOf,
  filled,
  id,
  paramNames,
  retry,
  retryOf,
  used,
  variable,
  worker,
  workerOf,
} from '../values/header-values.ts'
import { baseName, buildKind, given } from '../values/kind.ts'
import { endsInBlock, firstHeading } from '../body/markdown.ts'
import type { Read } from '../header/read-header.ts'
import { choice, decimal, type Given, keys, map, said, text, texts, whole } from '../values/shape.ts'
import { instantOf, isDate, time } from '../values/times.ts'

const neoKeys = {
  id: said('The id of the task.', id),
  created_at: said('When it was created.', time),
  created_by: said('Who created it: `human`, `neo`, `session:ID`, `schedule:NAME`, `member:ID`.', filled),
  session: said('The session that works on it, or did last.', id),
  attempt: said('How often it was started.', whole()),
  progress: said('0 to 100.', decimal(0, 100)),
  current_step: said('What runs now.', text()),
  started_at: said('When the attempt started.', time),
  completed_at: said('When it ended.', time),
  result: said('One line; the long form is in the session file.', text()),
  error: said('One line.', text()),
  blocked: said('What it waits for, if Neo blocked it; it clears by itself.', choice(...BLOCKED_BY)),
  handled: said('What Neo has already reacted to.', text()),
  retry_at: said('When the next attempt starts.', time),
  retries: said('Retries since it was last set to `pending`.', whole()),
  branch: said('The branch that holds the work.', text()),
  pr: said('The pull request.', text()),
  hold: said('Why its work waits although `review:` would merge it.', text()),
  verified: said(
    'The last checks: when, how many, how many passed.',
    keys({
      at: said('When.', time),
      commands: said('How many.', whole()),
      passed: said('How many of them passed.', whole()),
    }),
  ),
  usage: said('Tokens and US dollars so far.', keys(used)),
}

/** The header's keys, which templates share. */
export const taskKeys = {
  title: said('One line. Default: the first heading, else the file name.', text()),
  status: said(
    'Where the task stands. Set `pending` to run it (again), `draft`, `blocked`, `completed`, `failed` or `cancelled` to stop it. Default: `pending`.',
    choice(...TASK_STATUSES),
  ),
  priority: said('Which task starts first. Default: `normal`.', choice(...PRIORITIES)),
  depends_on: said(
    'Tasks that must be completed first: path under `tasks/` without `.md`, unique file name, id, or `room/name`.',
    texts(filled),
  ),
  worker: said(
    'Who does it: `agent` (a model), `shell` (the `sh` blocks of the body), `exec:NAME` (a program from `workers:` in neo.yaml), `human`. Default: that of the room.',
    worker,
  ),
  model: said('The model, as `provider/model`. Default: that of the room, else of neo.yaml.', filled),
  workspace: said(
    'The git repository or folder to work in, relative to the home. Default: that of the room.',
    filled,
  ),
  review: said(
    'What happens to finished work: `none` merges it, `branch` waits for your review, `pr` opens a pull request. Default: that of the room.',
    choice(...REVIEWS),
  ),
  verify: said(
    'Commands that must pass in the worktree before the task is completed. Default: those of the room.',
    texts(filled),
  ),
  labels: said('Words to find it by.', texts()),
  due: said('A date or time.', time),
  retry: said(
    'How often to try again after a failure, and how long to wait before the first retry; the wait doubles. Default: no retry; `backoff` 30s.',
    retry,
  ),
  on_interrupt: said(
    'What to do if a crash leaves open whether a step ran. Default: `ask`.',
    choice(...ON_INTERRUPT),
  ),
  timeout: said('The longest that an attempt may take.', duration),
  budget: said(
    'What it may cost: US dollars, tokens, turns of the model. A number alone is US dollars.',
    budget,
  ),
  env: said('Names of environment variables that the task gets, beside those of the room.', texts(variable)),
  neo: said("Neo's own block, always last.", keys(neoKeys)),
}

export const taskShape = keys({
  ...taskKeys,
  params: said('Values for the parameters of the template that it was made from.', map(text())),
})
type TaskGiven = Given<typeof taskShape>

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

function buildTask(known: TaskGiven, doc: Doc, at: { file: string; zone: string; on: Checked }): Task {
  if (known.params !== undefined) paramNames(at.on, known.params)
  return {
    title: titleOf(known.title, doc.body, at.file),
    status: known.status ?? 'pending',
    priority: known.priority ?? 'normal',
    dependsOn: known.depends_on ?? [],
    ...given<Partial<Task>>({
      worker: workerOf(known.worker),
      model: known.model,
      workspace: known.workspace,
      review: known.review,
      verify: known.verify,
      due: known.due === undefined || isDate(known.due) ? known.due : utc(known.due, at.zone),
      timeoutMs: msOf(known.timeout),
      budget: budgetOf(known.budget),
      params: known.params,
    }),
    labels: known.labels ?? [],
    retry: retryOf(known.retry),
    onInterrupt: known.on_interrupt ?? 'ask',
    env: known.env ?? [],
    neo: known.neo === undefined ? {} : neoOf(known.neo, at.zone),
    body: doc.body,
    bodyLine: doc.bodyLine,
  }
}

function neoOf(neo: NonNullable<TaskGiven['neo']>, zone: string): TaskNeo {
  const { verified } = neo
  return given<TaskNeo>({
    id: neo.id,
    createdAt: utc(neo.created_at, zone),
    createdBy: neo.created_by,
    session: neo.session,
    attempt: neo.attempt,
    progress: neo.progress,
    currentStep: neo.current_step,
    startedAt: utc(neo.started_at, zone),
    completedAt: utc(neo.completed_at, zone),
    result: neo.result,
    error: neo.error,
    blocked: neo.blocked,
    handled: neo.handled,
    retryAt: utc(neo.retry_at, zone),
    branch: neo.branch,
    pr: neo.pr,
    hold: neo.hold,
    retries: neo.retries,
    verified: verified === undefined ? undefined : verifiedOf(verified, zone),
  })
}

function verifiedOf(
  verified: { readonly at?: string; readonly commands?: number; readonly passed?: number },
  zone: string,
): NonNullable<TaskNeo['verified']> {
  return {
    at: utc(verified.at, zone) ?? '',
    commands: verified.commands ?? 0,
    passed: verified.passed ?? 0,
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
