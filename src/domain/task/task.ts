/**
 * The task: one piece of work, one file. Names here are camelCase; files/ maps them to the file's keys. Invariant 1:
 * only Neo writes `neo`, except for people, who may edit the file by hand.
 */
import { WORKER_KINDS } from './worker-kinds.ts'

export const TASK_STATUSES = [
  'draft',
  'pending',
  'in_progress',
  'blocked',
  'review',
  'completed',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof PRIORITIES)[number]

export const REVIEWS = ['none', 'branch', 'pr'] as const
export type Review = (typeof REVIEWS)[number]

export const ON_INTERRUPT = ['retry', 'ask', 'fail'] as const
export type OnInterrupt = (typeof ON_INTERRUPT)[number]

export const BLOCKED_BY = ['model', 'budget', 'ask', 'interrupted', 'filter'] as const
export type BlockedBy = (typeof BLOCKED_BY)[number]

export type WorkerKind = keyof typeof WORKER_KINDS
type NamedKind = {
  [K in WorkerKind]: (typeof WORKER_KINDS)[K] extends { readonly name: RegExp } ? K : never
}[WorkerKind]
/** Kinds that do a task by themselves, in one call. */
export type ProgramKind = {
  [K in WorkerKind]: (typeof WORKER_KINDS)[K] extends { readonly program: unknown } ? K : never
}[WorkerKind]

export type Worker =
  | { readonly kind: Exclude<WorkerKind, NamedKind> }
  | { readonly kind: NamedKind; readonly name: string }

/** `max` retries; the first one after `backoffMs`, which doubles for each retry. */
export interface Retry {
  readonly max: number
  readonly backoffMs: number
}

export interface Budget {
  readonly usd?: number
  readonly tokens?: number
  readonly turns?: number
}

/** Neo's own block. Times are ISO 8601 UTC strings. Absent means: not yet, or not known. */
export interface TaskNeo {
  readonly id?: string
  readonly createdAt?: string
  /** `human | neo | session:<id> | schedule:<name> | peer:<id> | member:<id>` */
  readonly createdBy?: string
  readonly session?: string
  readonly attempt?: number
  readonly progress?: number
  readonly currentStep?: string
  readonly startedAt?: string
  readonly completedAt?: string
  readonly result?: string
  readonly error?: string
  readonly blocked?: BlockedBy
  readonly handled?: string
  /** The next attempt starts no earlier than this. */
  readonly retryAt?: string
  /**
   * The branch that holds the attempt's work while it waits for review, and that a rejected attempt continues from.
   */
  readonly branch?: string
  /** Address of the pull request that holds the attempt's work. */
  readonly pr?: string
  /** Why only a person may merge the work, no matter what `review` is. */
  readonly hold?: string
  /** Automatic retries since the task was last set to `pending`. */
  readonly retries?: number
  readonly verified?: { readonly at: string; readonly commands: number; readonly passed: number }
}

export interface Task {
  /** The header's title, else the first heading, else the file name. */
  readonly title: string
  /** `pending` if the header has no status. */
  readonly status: TaskStatus
  readonly priority: Priority
  readonly dependsOn: readonly string[]
  readonly worker?: Worker
  readonly model?: string
  /** Name of a file in `workspace/agents/`. */
  readonly persona?: string
  readonly workspace?: string
  readonly review?: Review
  readonly verify?: readonly string[]
  readonly labels: readonly string[]
  readonly due?: string
  readonly retry: Retry
  readonly onInterrupt: OnInterrupt
  readonly timeoutMs?: number
  readonly budget?: Budget
  /** Names of environment variables for steps, besides those of the room. */
  readonly env: readonly string[]
  /** Parameter values of its template; steps get them as environment, never as text of a command. */
  readonly params?: Readonly<Record<string, string>>
  readonly neo: TaskNeo
  readonly body: string
  /** 1-based line of the file on which the body starts. */
  readonly bodyLine: number
}

/** A task ends in one of these; a person may always start it again. */
export const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled'])

const KINDS = Object.keys(WORKER_KINDS) as WorkerKind[]
/** Kinds that not every member may choose. */
export const REACHING = KINDS.filter((kind) => WORKER_KINDS[kind].reachesOut)

/** `agent, shell, …` for messages and help. */
export const WORKER_FORMS = listed(KINDS.map((kind) => WORKER_KINDS[kind].form))
/** Of those that do a task by themselves. */
export const PROGRAM_FORMS = listed(KINDS.filter(isProgram).map((kind) => WORKER_KINDS[kind].form))
/** Each with what it is, in Markdown. */
export const WORKERS_EXPLAINED = listed(
  Object.values(WORKER_KINDS).map(({ form, is }) => `\`${form}\` (${is})`),
)

function listed(all: readonly string[]): string {
  return `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

export function isProgram(kind: WorkerKind): kind is ProgramKind {
  return 'program' in WORKER_KINDS[kind]
}

export function needsModel(kind: WorkerKind): boolean {
  return WORKER_KINDS[kind].needsModel
}

/** The text form of a worker, as written in files: `exec:claude-code`. */
export function workerText(worker: Worker): string {
  return 'name' in worker ? `${worker.kind}:${worker.name}` : worker.kind
}

const NEO_MAY: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  draft: [],
  pending: ['in_progress', 'blocked', 'failed', 'draft'],
  in_progress: ['pending', 'blocked', 'review', 'completed', 'failed', 'draft'],
  blocked: ['pending', 'failed', 'draft'],
  review: ['completed', 'failed', 'pending', 'draft'],
  // A copy of an ended task.
  completed: ['draft'],
  failed: ['draft'],
  cancelled: ['draft'],
}

/** True if Neo may change one status into the other. Staying is always allowed. */
export function mayMove(from: TaskStatus, to: TaskStatus): boolean {
  return from === to || NEO_MAY[from].includes(to)
}
