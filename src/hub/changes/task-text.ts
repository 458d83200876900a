/**
 * Fields of tasks as clients give them, and looking at the text of a task before it is written. Invariant 1: a text that
 * would not read back as a task, a runbook that cannot be run and a circle of dependencies are refused, not written.
 */
import { z } from 'zod'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { type Problem, whereOf } from '../../domain/home/problem.ts'
import { ON_INTERRUPT, PRIORITIES, REVIEWS, type Task } from '../../domain/task/task.ts'
import { findCycles, indexTasks } from '../../domain/task/depends.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { parseWorker } from '../../files/values/header-values.ts'
import { stepsOf } from '../../files/body/runbook.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { bodyText, titleText } from '../views/shapes.ts'
import { badParams } from './compare-and-write.ts'

const line = z.string().trim().min(1).max(1_000)
const lines = z.array(line).max(100)
const duration = line.describe('a duration such as 30s or 10m')
const count = z.int().min(0)

export const workerText = line.refine((value) => parseWorker(value) !== null, {
  error: 'want agent, shell, human, exec:<name> or peer:<agent>',
})

/** What a task may be given at its making and later; null takes a field out. */
export const taskFields = {
  title: titleText.optional(),
  description: bodyText.optional(),
  priority: z.enum(PRIORITIES).nullish(),
  worker: workerText.nullish(),
  dependsOn: lines.nullish(),
  labels: lines.nullish(),
  due: line.nullish(),
  model: line.nullish(),
  workspace: line.nullish(),
  review: z.enum(REVIEWS).nullish(),
  verify: lines.nullish(),
  retry: z.union([count, z.strictObject({ max: count, backoff: duration.optional() })]).nullish(),
  onInterrupt: z.enum(ON_INTERRUPT).nullish(),
  timeout: duration.nullish(),
  budget: z
    .strictObject({ usd: z.number().min(0).optional(), tokens: count.optional(), turns: count.optional() })
    .nullish(),
  env: lines.nullish(),
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
  if (circle !== undefined) throw badParams(['dependsOn'], `it would go in a circle: ${circle.join(' → ')}`)
}

/** Commands of the host, and other people's machines. */
const REACHING = ['shell', 'exec', 'peer'] as const

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
