/**
 * Fields of tasks as clients give them, and looking at the text of a task before it is written. Invariant 1: a text that
 * would not read back as a task, a runbook that cannot be run and a circle of dependencies are refused, not written.
 */
import { z } from 'zod'
import { type Problem, whereOf } from '../../domain/home/problem.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { findCycles, indexTasks } from '../../domain/task/depends.ts'
import { ON_INTERRUPT, PRIORITIES, REACHING, REVIEWS, type Task } from '../../domain/task/task.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { stepsOf } from '../../files/body/runbook.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { parseWorker } from '../../files/values/header-values.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { bodyText, lineText, titleText } from '../views/shapes.ts'

const lines = z.array(lineText).max(100)
const count = z.int().min(0)

export const workerText = lineText.refine((value) => parseWorker(value) !== null, {
  error: 'use agent, shell, human or exec:NAME',
})

const WORKER =
  '`agent` (a model), `human` (a person), `shell` (its `sh` blocks run) or `exec:NAME` (a program)'
export const DESCRIPTION =
  'Markdown: what is wanted, in full, for whoever does it. A checklist (`- [ ]`) is its plan'

/** What a task can be given when it is created and later; null removes a field. */
export const taskFields = {
  title: titleText.optional().describe('One line: what is wanted'),
  description: bodyText.optional().describe(DESCRIPTION),
  priority: z.enum(PRIORITIES).nullish().describe('Otherwise `normal`'),
  worker: workerText.nullish().describe(WORKER),
  dependsOn: lines.nullish().describe('Tasks that must be completed first: names, or `room/name`'),
  labels: lines.nullish().describe('Words to find it by'),
  due: lineText.nullish().describe('A day or time, such as `2026-03-05`'),
  model: lineText.nullish().describe("Otherwise the room's"),
  workspace: lineText.nullish().describe("The repository or folder to work in; otherwise the room's"),
  review: z.enum(REVIEWS).nullish().describe("How finished work is merged; otherwise the room's setting"),
  verify: lines.nullish().describe('Commands that must pass before it is completed'),
  retry: z
    .union([
      count,
      z.strictObject({
        max: count.describe('Retries after a failure'),
        backoff: lineText.optional().describe('Wait before the first one, such as `30s`; it doubles'),
      }),
    ])
    .nullish()
    .describe('How often it is tried again after a failure'),
  onInterrupt: z.enum(ON_INTERRUPT).nullish().describe('What happens if it is interrupted'),
  timeout: lineText.nullish().describe('A duration, such as `30s` or `10m`'),
  budget: z
    .strictObject({
      usd: z.number().min(0).optional().describe('USD'),
      tokens: count.optional().describe('Tokens'),
      turns: count.optional().describe('Model calls'),
    })
    .nullish()
    .describe('What it may use'),
  env: lines.nullish().describe('Environment variables that its worker gets'),
}

/** Reads the text of a task at a path. Throws HubError `params`. */
export function readBack(path: string, text: string, snapshot: Snapshot): Task {
  const read = readTask(path, text, snapshot.config.timezone)
  if (read.kind === 'unfinished') throw badParams(['description'], read.why)
  if (read.kind === 'bad') throw unreadable(read.problems)
  const task = read.value
  if (task.worker?.kind === 'shell') {
    const steps = stepsOf(task)
    if ('wrong' in steps) throw badParams(['description'], `line ${steps.line}: ${steps.wrong}`)
  }
  refuseCircle(path, task, snapshot)
  return task
}

function unreadable([first]: readonly Problem[]): HubError {
  const message = first === undefined ? 'it would not be a task' : `${whereOf(first)}: ${first.message}`
  const next = first === undefined || first.hint === '' ? {} : { next: first.hint }
  const issues = [{ path: [], message }]
  return new HubError(HUB_CODES.params, `Cannot write the task: ${message}`, { issues, ...next })
}

function refuseCircle(path: string, task: Task, snapshot: Snapshot): void {
  if (task.dependsOn.length === 0) return
  const [, room = '', , ...rest] = path.split('/')
  const name = rest.join('/').slice(0, -3)
  const own: TaskFile = { path, room, name, hash: '', gitStatus: 'same', committedStatus: null, task }
  const tasks = new Map([...snapshot.tasks, [path, own]])
  const circle = findCycles(tasks, indexTasks(tasks.values())).find((paths) => paths.includes(path))
  if (circle !== undefined)
    throw badParams(['dependsOn'], `the tasks would depend on each other: ${circle.join(' → ')}`)
}

/** Who would run the task: of the worker before and the one after the one that reaches further, so that policy sees it. */
export function workerIn(
  snapshot: Snapshot,
  room: string,
  of: { task?: Task; worker?: string | null | undefined },
): string {
  const inRoom = snapshot.rooms.get(room)?.room ?? null
  const before = of.task === undefined ? undefined : settingsOf(of.task, inRoom, snapshot.config).worker
  const said = of.worker ?? undefined
  const after = said === undefined ? (inRoom?.worker ?? { kind: 'agent' as const }) : parseWorker(said)
  const isGiven = of.task === undefined || of.worker !== undefined
  const kinds = [before, isGiven ? after : before].flatMap((worker) => worker?.kind ?? [])
  return REACHING.find((kind) => kinds.includes(kind)) ?? kinds[0] ?? 'agent'
}
