/** How a task looks: as data (names as in the hub) and as cells of a table. */
import type { Task, TaskStatus } from '../../domain/task/task.ts'
import type { TaskView } from '../../hub/views/shapes.ts'
import type { Cell, Style } from '../output.ts'
import { type TaskHead, headOf } from './task-head.ts'
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

/** The data of a task in a list; unset fields are null. */
export function headData(path: string, head: TaskHead): Record<string, unknown> {
  const { room, name } = partsOf(path)
  const { id = null, worker = null, due = null, attempt = null, blocked = null, error = null } = head
  const { title, status, priority, dependsOn, labels } = head
  return {
    id,
    room,
    name,
    path,
    title,
    status,
    priority,
    worker,
    dependsOn,
    labels,
    due,
    attempt,
    blocked,
    error,
  }
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
  const { path, title, status, priority, labels, dependsOn } = view
  const { id, attempt, blocked, error, retryAt } = view
  const said = { worker: view.worker, due: view.due, id, attempt, blocked, error, retryAt }
  const head = { title, status, priority, labels, dependsOn, ...known(said) } as TaskHead
  return { path, title, status, data: { ...headData(path, head), neo: known(neoOf(view)) } }
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
