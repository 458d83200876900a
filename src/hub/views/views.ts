/**
 * How rooms, tasks, sessions and asks look to clients. Invariant 1: what the files do not say is null, never a guess.
 */
import type { SessionFile } from '../../domain/session/session.ts'
import type { AskFile, SessionFact, TaskFile } from '../../domain/plan/snapshot.ts'
import { type Task, workerText } from '../../domain/task/task.ts'
import { tokensOf, type UsageSum, usdOf } from '../../domain/budget/usage-sum.ts'
import { standOf } from '../../domain/ask/approve.ts'
import type { RoomAt } from './find-in-home.ts'
import type { CostView } from './detail-shapes.ts'
import type { AskView, RoomView, SessionView, TaskView } from './shapes.ts'

export function viewTask(file: TaskFile, updatedAt: string | null = null): TaskView {
  const { task, path, room, name } = file
  return {
    id: task.neo.id ?? null,
    roomId: room,
    name,
    path,
    title: task.title,
    description: task.body,
    status: task.status,
    priority: task.priority,
    worker: task.worker === undefined ? null : workerText(task.worker),
    model: task.model ?? null,
    persona: task.persona ?? null,
    dependsOn: [...task.dependsOn],
    labels: [...task.labels],
    due: task.due ?? null,
    workspace: task.workspace ?? null,
    review: task.review ?? null,
    verify: task.verify === undefined ? null : [...task.verify],
    onInterrupt: task.onInterrupt,
    retry: { max: task.retry.max, backoffMs: task.retry.backoffMs },
    timeoutMs: task.timeoutMs ?? null,
    budget: budgetOf(task),
    env: [...task.env],
    updatedAt,
    ...ofNeo(task),
  }
}

function budgetOf({ budget }: Task): TaskView['budget'] {
  if (budget === undefined) return null
  return { usd: budget.usd ?? null, tokens: budget.tokens ?? null, turns: budget.turns ?? null }
}

function ofNeo({ neo }: Task) {
  return {
    createdAt: neo.createdAt ?? null,
    createdBy: neo.createdBy ?? null,
    sessionId: neo.session ?? null,
    attempt: neo.attempt ?? null,
    progress: neo.progress ?? null,
    currentStep: neo.currentStep ?? null,
    startedAt: neo.startedAt ?? null,
    completedAt: neo.completedAt ?? null,
    result: neo.result ?? null,
    error: neo.error ?? null,
    blocked: neo.blocked ?? null,
    retryAt: neo.retryAt ?? null,
    branch: neo.branch ?? null,
    verified: neo.verified === undefined ? null : { ...neo.verified },
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
  return {
    id: name,
    neoId: room.neo.id ?? null,
    name: room.name,
    description: room.description,
    status: room.status,
    defaultWorkspace: room.workspace ?? null,
    defaultModel: room.model ?? null,
    base: room.base ?? null,
    worker: room.worker === undefined ? null : workerText(room.worker),
    orchestrator: room.orchestrator,
    review: room.review ?? null,
    verify: [...room.verify],
    concurrency: room.concurrency ?? null,
    budget: roomBudget(room.budget),
    permissions: permissionsOf(room.permissions),
    setup: [...room.setup],
    cleanup: [...room.cleanup],
    env: [...room.env],
    envFiles: [...room.envFiles],
    hooks: room.hooks,
    notify: [...room.notify],
    approvers: [...room.approvers],
    keep: room.keep,
    createdAt: room.neo.createdAt ?? null,
    updatedAt: more.updatedAt,
    instructions: room.body,
    sessionIds: [...more.sessionIds],
  }
}

function roomBudget(budget: RoomAt['room']['budget']): RoomView['budget'] {
  if (budget === undefined) return null
  return {
    usdPerDay: budget.usdPerDay ?? null,
    usdPerTask: budget.usd ?? null,
    tokensPerTask: budget.tokens ?? null,
    turnsPerTask: budget.turns ?? null,
  }
}

function permissionsOf(of: RoomAt['room']['permissions']): RoomView['permissions'] {
  return Object.fromEntries(
    Object.entries(of).map(([key, value]) => [key, typeof value === 'string' ? value : [...value]]),
  )
}

export function viewSession(
  file: SessionFile & { readonly room: string },
  fact: SessionFact | undefined,
): SessionView {
  return {
    id: file.id,
    roomId: file.room,
    taskId: file.task,
    title: fact?.record.title ?? null,
    worker: file.worker,
    model: file.model ?? null,
    workspace: file.workspace,
    branch: file.branch,
    base: file.base,
    status: isAsking(fact) ? 'waiting_for_input' : file.status,
    state:
      fact?.state ??
      (file.status === 'waiting_for_input' && file.endedAt === undefined ? 'dormant' : 'ended'),
    turns: file.turns,
    startedAt: file.startedAt,
    endedAt: file.endedAt ?? null,
    sandbox: file.sandbox,
    runner: file.runner,
    summary: file.body,
  }
}

/** Its file was written at its start, and does not know that it waits for a person. */
export function isAsking(fact: SessionFact | undefined): boolean {
  const isOpen = fact !== undefined && fact.state !== 'ended'
  return isOpen && (fact.wants ?? []).some(({ kind }) => kind === 'question' || kind === 'approval')
}

export function viewAsk({ ask, room }: AskFile): AskView {
  return {
    id: ask.id,
    roomId: room,
    kind: ask.kind,
    taskId: ask.task ?? null,
    sessionId: ask.session ?? null,
    action: { ...ask.action, arguments: { ...ask.action.arguments }, files: [...ask.action.files] },
    reason: ask.reason,
    expiresAt: ask.expiresAt ?? null,
    decision: standOf(ask),
    decidedBy: ask.decidedBy ?? null,
    decidedAt: ask.decidedAt ?? null,
    handledAt: ask.handledAt ?? null,
    answer: ask.answer ?? null,
    body: ask.body,
  }
}
