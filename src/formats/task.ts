/**
 * The task file, `rooms/<room>/tasks/<name>.md`: reading it.
 * Takes bytes and the home's zone; gives a Task with defaults filled in, or problems.
 * Leaves to core/rules/settings.ts: what comes from the room. Leaves to edit.ts: writing. Leaves to runbook.ts: steps.
 * Invariant 1: times are in UTC, but `due` stays a date where it is one; text that looks like a number stays as written.
 */
import {
  BLOCKED_BY,
  ON_INTERRUPT,
  PRIORITIES,
  REVIEWS,
  TASK_STATUSES,
  type Task,
  type TaskNeo,
} from '../core/model/task.ts'
import type { Checked } from './check.ts'
import { type Doc, readDocument } from './document.ts'
import { duration, msOf } from './duration.ts'
import {
  budget,
  budgetOf,
  filled,
  id,
  paramNames,
  retry,
  retryOf,
  variable,
  worker,
  workerOf,
} from './fields.ts'
import { baseName, buildKind, given } from './kind.ts'
import { endsInBlock, firstHeading } from './markdown.ts'
import type { Read } from './read.ts'
import { choice, decimal, type Given, keys, map, text, texts, whole } from './shape.ts'
import { instantOf, isDate, time } from './times.ts'

const neoKeys = {
  id,
  created_at: time,
  created_by: filled,
  session: id,
  attempt: whole(),
  progress: decimal(0, 100),
  current_step: text(),
  started_at: time,
  completed_at: time,
  result: text(),
  error: text(),
  blocked: choice(...BLOCKED_BY),
  handled: text(),
  retry_at: time,
  retries: whole(),
  branch: text(),
  pr: text(),
  hold: text(),
  verified: keys({ at: time, commands: whole(), passed: whole() }),
  usage: keys({ input_tokens: whole(), output_tokens: whole(), usd: decimal() }),
}

/** The header's keys, which templates share. */
export const taskKeys = {
  title: text(),
  status: choice(...TASK_STATUSES),
  priority: choice(...PRIORITIES),
  depends_on: texts(filled),
  worker,
  model: filled,
  workspace: filled,
  review: choice(...REVIEWS),
  verify: texts(filled),
  labels: texts(),
  due: time,
  retry,
  on_interrupt: choice(...ON_INTERRUPT),
  timeout: duration,
  budget,
  env: texts(variable),
  neo: keys(neoKeys),
}

export const taskShape = keys({ ...taskKeys, params: map(text()) })
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
