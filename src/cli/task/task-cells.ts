/** How a task looks: as data (names as in the hub) and as cells of a table. */
import { type Priority, type Task, type TaskStatus, workerText } from '../../domain/task/task.ts'
import { withoutUndefined } from '../../files/values/header-values.ts'
import type { TaskView } from '../../hub/views/shapes.ts'
import type { Cell, Style } from '../output.ts'
import { partsOf } from './task-paths.ts'

const STYLES: Readonly<Record<TaskStatus, Style>> = {
  draft: 'dim',
  pending: 'cyan',
  in_progress: 'blue',
  blocked: 'yellow',
  review: 'magenta',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
}

export function statusCell(status: TaskStatus): Cell {
  return { text: status, style: STYLES[status] }
}

/** The data of a task in a list, in this order; unset fields are null. */
export function headData(path: string, { retryAt: _, ...head }: TaskHead): Record<string, unknown> {
  const { title, status, priority, worker = null, dependsOn, labels, due = null } = head
  const unset = { attempt: null, blocked: null, error: null }
  const header = { title, status, priority, worker, dependsOn, labels, due }
  return { id: null, ...partsOf(path), path, ...header, ...unset, ...head }
}

/** The same with Neo's own block. */
export function taskData(path: string, task: Task): Record<string, unknown> {
  return { ...headData(path, headOf(task)), neo: task.neo }
}

/** The same with everything that `task show` prints. */
export function fullData(path: string, task: Task): Record<string, unknown> {
  const { bodyLine: _line, ...rest } = task
  return { ...rest, ...taskData(path, task) }
}

/** A task as a command prints it, from its file or from the hub. */
export interface Shown {
  readonly path: string
  readonly title: string
  readonly status: TaskStatus
  readonly data: Record<string, unknown>
}

export function shownTask(path: string, task: Task): Shown {
  return { path, title: task.title, status: task.status, data: taskData(path, task) }
}

/** The same from the hub's answer. */
export function shownView(view: TaskView): Shown {
  const { path, title, status, priority, labels, dependsOn, worker, due } = view
  const { id, attempt, blocked, error } = view
  const head = { title, status, priority, labels, dependsOn, worker, due, id, attempt, blocked, error }
  const data = { ...headData(path, known(head) as unknown as TaskHead), neo: known(neoOf(view)) }
  return { path, title, status, data }
}

function neoOf(view: TaskView): Record<string, unknown> {
  const { id, createdAt, createdBy, sessionId: session, attempt, progress, currentStep } = view
  const { startedAt, completedAt, result, error, blocked, retryAt, branch, verified } = view
  return {
    ...{ id, createdAt, createdBy, session, attempt, progress, currentStep },
    ...{ startedAt, completedAt, result, error, blocked, retryAt, branch, verified },
  }
}

/** Without the keys that the file doesn't have. */
function known(of: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null))
}

export interface TaskHead {
  readonly title: string
  readonly status: TaskStatus
  readonly priority: Priority
  readonly labels: readonly string[]
  readonly dependsOn: readonly string[]
  readonly id?: string
  readonly worker?: string
  readonly due?: string
  readonly attempt?: number
  readonly blocked?: string
  readonly error?: string
  readonly retryAt?: string
}

/** Title and status always; other fields only if they are not the default. */
export type Packed = readonly [
  title: string,
  status: TaskStatus,
  rest: Partial<Omit<TaskHead, 'title' | 'status'>>,
]

export function headOf({ title, status, priority, labels, dependsOn, worker, due, neo }: Task): TaskHead {
  const { id, attempt, blocked, error, retryAt } = neo
  return {
    ...{ title, status, priority, labels, dependsOn },
    ...withoutUndefined<Partial<TaskHead>>({
      worker: worker && workerText(worker),
      ...{ due, id, attempt, blocked, error, retryAt },
    }),
  }
}

const DEFAULTS = { priority: 'normal', labels: [], dependsOn: [] } as const

export function pack({ title, status, ...head }: TaskHead): Packed {
  const rest: Record<string, unknown> = { ...head }
  if (head.priority === 'normal') delete rest['priority']
  if (head.labels.length === 0) delete rest['labels']
  if (head.dependsOn.length === 0) delete rest['dependsOn']
  return [title, status, rest]
}

export function unpack([title, status, rest]: Packed): TaskHead {
  return { title, status, ...DEFAULTS, ...rest }
}
