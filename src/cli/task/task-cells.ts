/** How a task looks: as data (names as in the hub) and as cells of a table. */
import { type Task, type TaskNeo, type TaskStatus, workerText } from '../../domain/task/task.ts'
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

/** What lists have of the header and of Neo's block, in this order. */
const OF_HEADER = ['title', 'status', 'priority', 'worker', 'dependsOn', 'labels', 'due'] as const
const OF_NEO = ['id', 'attempt', 'blocked', 'error'] as const
const PRINTED = [...OF_HEADER, ...OF_NEO] as const

/** `retryAt` is not printed: by it, it is known what is ready. */
export type TaskHead = Omit<Pick<Task, (typeof OF_HEADER)[number]>, 'worker'> &
  Pick<TaskNeo, (typeof OF_NEO)[number] | 'retryAt'> & { readonly worker?: string }

/** The data of a task in a list; unset fields are null. */
export function headData(path: string, { retryAt: _, ...head }: TaskHead): Record<string, unknown> {
  const unset = Object.fromEntries(PRINTED.map((key) => [key, null]))
  return { id: null, ...partsOf(path), path, ...unset, ...head }
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
  const { path, title, status } = view
  const data = { ...headData(path, known(view, PRINTED) as unknown as TaskHead), neo: neoOf(view) }
  return { path, title, status, data }
}

function neoOf({ sessionId: session, ...view }: TaskView): Record<string, unknown> {
  return known({ ...view, session }, [
    ...(['id', 'createdAt', 'createdBy', 'session', 'attempt', 'progress', 'currentStep'] as const),
    ...(['startedAt', 'completedAt', 'result', 'error', 'blocked', 'retryAt', 'branch', 'verified'] as const),
  ])
}

/** Without the keys that the file doesn't have. */
function known<T extends object>(of: T, keys: readonly (keyof T & string)[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (of[key] == null ? [] : [[key, of[key]]])))
}

/** Title and status always; other fields only if they are not the default. */
export type Packed = readonly [
  title: string,
  status: TaskStatus,
  rest: Partial<Omit<TaskHead, 'title' | 'status'>>,
]

export function headOf({ worker, ...task }: Task): TaskHead {
  const header = { ...task, worker: worker && workerText(worker) }
  return { ...known(header, OF_HEADER), ...known(task.neo, [...OF_NEO, 'retryAt']) } as unknown as TaskHead
}

const DEFAULTS = { priority: 'normal', labels: [], dependsOn: [] } as const

export function pack({ title, status, ...head }: TaskHead): Packed {
  const rest: Record<string, unknown> = { ...head }
  for (const [key, value] of Object.entries(DEFAULTS))
    if (JSON.stringify(rest[key]) === JSON.stringify(value)) delete rest[key]
  return [title, status, rest]
}

export function unpack([title, status, rest]: Packed): TaskHead {
  return { title, status, ...DEFAULTS, ...rest }
}

/** With the source of what packs: a field that is added makes what was packed before invalid. */
export const PACKED_AS = [OF_HEADER, OF_NEO, headOf, pack].join(' ')
