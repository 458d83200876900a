/**
 * How a task looks: as data (names as in the hub) and as cells of a table.
 * Takes what a file says; gives plain values. Leaves to output.ts: escapes and colour.
 */
import { type Task, type TaskStatus, workerText } from '../../core/model/task.ts'
import type { Cell, Style } from '../output.ts'
import type { Head } from './cache.ts'
import { partsOf } from './paths.ts'

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

/** All fields of a task; what is not said is null. */
export function taskData(path: string, head: Head): Record<string, unknown> {
  const { room, name } = partsOf(path)
  const { neo } = head
  return {
    id: neo.id ?? null,
    room,
    name,
    path,
    title: head.title,
    status: head.status,
    priority: head.priority,
    worker: head.worker === undefined ? null : workerText(head.worker),
    dependsOn: head.dependsOn,
    labels: head.labels,
    due: head.due ?? null,
    neo,
  }
}

/** The same with everything that `task show` prints. */
export function fullData(path: string, task: Task): Record<string, unknown> {
  const { body, bodyLine: _line, ...head } = task
  return { ...head, ...taskData(path, head), body }
}
