/**
 * How rooms, tasks, sessions and asks look to clients. Invariant 1: what the files do not say is null, never a guess.
 */
import type { SessionFile } from '../../domain/session/session.ts'
import type { AskFile, SessionFact, TaskFile } from '../../domain/plan/snapshot.ts'
import { workerText } from '../../domain/task/task.ts'
import { tokensOf, type UsageSum, usdOf } from '../../domain/budget/usage-sum.ts'
import { standOf } from '../../domain/ask/approve.ts'
import type { RoomAt } from './find-in-home.ts'
import type { CostView } from './detail-shapes.ts'
import type { AskView, RoomView, SessionView, TaskView } from './shapes.ts'

/** These keys of a thing; null for what it doesn't have. */
export function shown<T extends object, const K extends keyof T>(of: T, keys: readonly K[]) {
  return Object.fromEntries(keys.map((key) => [key, of[key] ?? null])) as {
    readonly [P in K]-?: undefined extends T[P] ? Exclude<T[P], undefined> | null : T[P]
  }
}

const OF_TASK = [
  ...([
    'title',
    'status',
    'priority',
    'model',
    'persona',
    'dependsOn',
    'labels',
    'due',
    'workspace',
  ] as const),
  ...(['review', 'verify', 'onInterrupt', 'retry', 'timeoutMs', 'env'] as const),
]
const OF_NEO = [
  ...(['createdAt', 'createdBy', 'attempt', 'progress', 'currentStep', 'startedAt', 'completedAt'] as const),
  ...(['result', 'error', 'blocked', 'retryAt', 'branch', 'verified'] as const),
]

export function viewTask(file: TaskFile, updatedAt: string | null = null): TaskView {
  const { task, path, room, name } = file
  const { neo, budget, worker } = task
  return {
    id: neo.id ?? null,
    roomId: room,
    name,
    path,
    description: task.body,
    worker: worker === undefined ? null : workerText(worker),
    budget: budget === undefined ? null : shown(budget, ['usd', 'tokens', 'turns']),
    updatedAt,
    sessionId: neo.session ?? null,
    ...shown(task, OF_TASK),
    ...shown(neo, OF_NEO),
  }
}

export function viewCost(sum: UsageSum): CostView {
  if (sum.calls === 0) return null
  return { tokens: tokensOf(sum), usd: usdOf(sum), knownUsd: sum.knownUsd }
}

export function viewRoom(
  { name, room }: RoomAt,
  more: { readonly sessionIds: readonly string[]; readonly updatedAt: string | null },
): RoomView {
  const { budget, worker } = room
  return {
    id: name,
    neoId: room.neo.id ?? null,
    defaultWorkspace: room.workspace ?? null,
    defaultModel: room.model ?? null,
    worker: worker === undefined ? null : workerText(worker),
    budget: budget === undefined ? null : roomBudget(budget),
    createdAt: room.neo.createdAt ?? null,
    instructions: room.body,
    ...shown(room, OF_ROOM),
    ...more,
  }
}

const OF_ROOM = [
  ...(['name', 'description', 'status', 'base', 'orchestrator', 'review', 'verify', 'concurrency'] as const),
  ...([
    'permissions',
    'setup',
    'cleanup',
    'env',
    'envFiles',
    'hooks',
    'notify',
    'approvers',
    'keep',
  ] as const),
]

function roomBudget(budget: NonNullable<RoomAt['room']['budget']>): RoomView['budget'] {
  const {
    usd: usdPerTask,
    tokens: tokensPerTask,
    turns: turnsPerTask,
  } = shown(budget, ['usd', 'tokens', 'turns'])
  return { usdPerDay: budget.usdPerDay ?? null, usdPerTask, tokensPerTask, turnsPerTask }
}

export function viewSession(
  file: SessionFile & { readonly room: string },
  fact: SessionFact | undefined,
): SessionView {
  const isDormant = file.status === 'waiting_for_input' && file.endedAt === undefined
  return {
    roomId: file.room,
    taskId: file.task,
    title: fact?.record.title ?? null,
    state: fact?.state ?? (isDormant ? 'dormant' : 'ended'),
    summary: file.body,
    ...shown(file, OF_SESSION),
    status: isAsking(fact) ? 'waiting_for_input' : file.status,
  }
}

const OF_SESSION = [
  ...(['id', 'worker', 'model', 'workspace', 'branch', 'base', 'turns'] as const),
  ...(['startedAt', 'endedAt', 'sandbox', 'runner'] as const),
]

/** Its file was written at its start, and does not know that it waits for a person. */
export function isAsking(fact: SessionFact | undefined): boolean {
  const isOpen = fact !== undefined && fact.state !== 'ended'
  return isOpen && (fact.wants ?? []).some(({ kind }) => kind === 'question' || kind === 'approval')
}

export function viewAsk({ ask, room }: AskFile): AskView {
  return {
    roomId: room,
    taskId: ask.task ?? null,
    sessionId: ask.session ?? null,
    decision: standOf(ask),
    ...shown(ask, OF_ASK),
  }
}

const OF_ASK = [
  ...(['id', 'kind', 'action', 'reason', 'expiresAt', 'decidedBy', 'decidedAt', 'handledAt'] as const),
  ...(['answer', 'body'] as const),
]
