/** A task without its text: what lists, names and readiness need. */
import { type Priority, type Task, type TaskStatus, workerText } from '../../domain/task/task.ts'

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

const NONE: readonly string[] = []

export function headOf({ title, status, priority, labels, dependsOn, worker, due, neo }: Task): TaskHead {
  const { id, attempt, blocked, error, retryAt } = neo
  return {
    title,
    status,
    priority,
    labels,
    dependsOn,
    ...(id === undefined ? {} : { id }),
    ...(worker === undefined ? {} : { worker: workerText(worker) }),
    ...(due === undefined ? {} : { due }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(blocked === undefined ? {} : { blocked }),
    ...(error === undefined ? {} : { error }),
    ...(retryAt === undefined ? {} : { retryAt }),
  }
}

const DEFAULTS = { priority: 'normal', labels: NONE, dependsOn: NONE } as const

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
