/**
 * The task file, `rooms/<room>/tasks/<name>.md`: reading it, the names of new ones, and the record of a review in its
 * text.
 * Invariant 1: times are in UTC, but `due` stays a date if it is one; text that looks like a number stays as written.
 * Invariant 2: the words of a rejection never become steps of a runbook: they are a quote.
 */
import { fileSlugOf } from '../../domain/task/slug.ts'
import { bareName } from '../../domain/task/depends.ts'
import type { Task, TaskNeo } from '../../domain/task/task.ts'
import { endsInBlock, firstHeading } from '../body/markdown.ts'
import { type Doc, readDocument } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'
import type { CheckContext } from '../values/check-value.ts'
import { msOf } from '../values/duration.ts'
import { budgetOf, camelKeys, modelOf, retryOf, withoutUndefined } from '../values/header-values.ts'
import { baseName, buildKind, type Covers, paramNames, workerOf } from '../values/kind.ts'
import { type Infer, keys } from '../values/shape.ts'
import { isDate, utcOf } from '../values/times.ts'
import { keysOfRooms, taskKeys } from './task-keys.ts'

export const taskShape = keys(taskKeys, { elsewhere: keysOfRooms })
type TaskGiven = Infer<typeof taskShape>

export const OPEN_FENCE = { kind: 'unfinished', why: 'A code fence is not closed yet' } as const

/** Reads a task. `zone` is the IANA name in which local times are read. */
export function readTask(file: string, bytes: Buffer | string, zone: string): Read<Task> {
  const read = readDocument(file, bytes)
  if (read.kind !== 'ok') return read
  if (endsInBlock(read.value.body)) return OPEN_FENCE
  return buildKind(file, read.value, {
    shape: taskShape,
    build: (known, doc, on) => buildTask(known, doc, { file, zone, on }),
  })
}

/** A key without a conversion here reaches `Task` under its camelCase name. */
function buildTask(
  known: TaskGiven,
  doc: Doc,
  at: { file: string; zone: string; on: CheckContext },
): Covers<Task, TaskGiven, { timeout: 'timeoutMs' }, 'body' | 'bodyLine'> {
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
      worker: workerOf(worker),
      model: modelOf(model),
      due: due === undefined || isDate(due) ? due : utcOf(due, at.zone),
      timeoutMs: msOf(timeout),
      budget: budgetOf(budget),
    }),
    neo: neo === undefined ? {} : neoOf(neo, at.zone),
    body: doc.body,
    bodyLine: doc.bodyLine,
  }
}

type NeoGiven = NonNullable<TaskGiven['neo']>

/** `usage` is for people: Neo counts from its sessions. */
function neoOf(neo: NeoGiven, zone: string): Covers<TaskNeo, NeoGiven, { usage: null }> {
  const { created_at, started_at, completed_at, retry_at, verified, usage: _, ...same } = neo
  return {
    ...camelKeys(same),
    ...withoutUndefined<TaskNeo>({
      createdAt: utcOf(created_at, zone),
      startedAt: utcOf(started_at, zone),
      completedAt: utcOf(completed_at, zone),
      retryAt: utcOf(retry_at, zone),
      verified: verified && {
        at: utcOf(verified.at, zone) ?? '',
        commands: verified.commands ?? 0,
        passed: verified.passed ?? 0,
      },
    }),
  }
}

/** The title of the header, else the first heading, else the file name without the id that Neo adds; on one line. */
export function titleOf(title: string | undefined, body: string, file: string): string {
  const said = titleLine(title ?? '') || titleLine(firstHeading(body) ?? '')
  return said || bareName(baseName(file))
}

/** Blanks other than single spaces between words. */
const NOT_ONE_LINE = /[^\S ]|\p{Cc}| {2}|^ | $/u

export function titleLine(value: string): string {
  return NOT_ONE_LINE.test(value) ? value.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() : value
}

/** `<slug>--<id>`, the name of a file that Neo or a command makes. */
export function newFileName(title: string, id: string, otherwise = 'task'): string {
  const slug = fileSlugOf(title)
  return slug === '' ? `${otherwise}--${id}` : `${slug}--${id}`
}

interface Rejection {
  readonly name: string
  readonly attempt: number | undefined
  readonly message: string
}

export function withReview(body: string, { name, attempt, message }: Rejection): string {
  const quote = message
    .trim()
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
  const of = attempt === undefined ? '' : ` of attempt ${attempt}`
  return `${body.trimEnd()}\n\n## Review\n\n${name}${of}:\n\n${quote}\n`
}
