/**
 * How rooms, tasks, sessions and asks look to clients. Invariant 1: what the files do not say is null, never a guess.
 */
import type { z } from 'zod'
import type { SessionFile } from '../../domain/session/session.ts'
import type { AskFile, SessionFact, TaskFile } from '../../domain/plan/snapshot.ts'
import { workerText } from '../../domain/task/task.ts'
import { tokensOf, type UsageSum, usdOf } from '../../domain/budget/usage-sum.ts'
import { standOf } from '../../domain/ask/approve.ts'
import type { RoomAt } from './find-in-home.ts'
import type { CostView } from './detail-shapes.ts'
import {
  type AskView,
  askView,
  type RoomView,
  roomView,
  type SessionView,
  sessionView,
  type TaskView,
  taskView,
} from './shapes.ts'

/** These keys of a thing; null for what it doesn't have. */
export function shown<T extends object, const K extends keyof T>(of: T, keys: readonly K[]) {
  return Object.fromEntries(keys.map((key) => [key, of[key] ?? null])) as {
    readonly [P in K]-?: undefined extends T[P] ? Exclude<T[P], undefined> | null : T[P]
  }
}

/** What the view has under the same name as the thing; null for what the thing doesn't have. */
function shownIn<const S extends z.core.$ZodLooseShape, T extends object>({ shape }: z.ZodObject<S>, of: T) {
  return shown(of, Object.keys(shape) as (keyof S & keyof T)[])
}

export function viewTask(file: TaskFile, updatedAt: string | null = null): TaskView {
  const { task, path, room, name } = file
  const { neo, budget, worker } = task
  return {
    ...shownIn(taskView, { ...neo, ...task }),
    roomId: room,
    name,
    path,
    description: task.body,
    worker: worker === undefined ? null : workerText(worker),
    budget: budget === undefined ? null : shown(budget, ['usd', 'tokens', 'turns']),
    updatedAt,
    sessionId: neo.session ?? null,
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
    ...shownIn(roomView, room),
    id: name,
    neoId: room.neo.id ?? null,
    defaultWorkspace: room.workspace ?? null,
    defaultModel: room.model ?? null,
    worker: worker === undefined ? null : workerText(worker),
    budget: budget === undefined ? null : roomBudget(budget),
    createdAt: room.neo.createdAt ?? null,
    instructions: room.body,
    ...more,
  }
}

function roomBudget(budget: NonNullable<RoomAt['room']['budget']>): RoomView['budget'] {
  const { usdPerDay, usd, tokens, turns } = shown(budget, ['usdPerDay', 'usd', 'tokens', 'turns'])
  return { usdPerDay, usdPerTask: usd, tokensPerTask: tokens, turnsPerTask: turns }
}

export function viewSession(
  file: SessionFile & { readonly room: string },
  fact: SessionFact | undefined,
): SessionView {
  const isDormant = file.status === 'waiting_for_input' && file.endedAt === undefined
  return {
    ...shownIn(sessionView, file),
    roomId: file.room,
    taskId: file.task,
    title: fact?.record.title ?? null,
    state: fact?.state ?? (isDormant ? 'dormant' : 'ended'),
    summary: file.body,
    status: isAsking(fact) ? 'waiting_for_input' : file.status,
  }
}

/** Its file was written at its start, and does not know that it waits for a person. */
export function isAsking(fact: SessionFact | undefined): boolean {
  const isOpen = fact !== undefined && fact.state !== 'ended'
  return isOpen && (fact.wants ?? []).some(({ kind }) => kind === 'question' || kind === 'approval')
}

export function viewAsk({ ask, room }: AskFile): AskView {
  return {
    ...shownIn(askView, ask),
    roomId: room,
    taskId: ask.task ?? null,
    sessionId: ask.session ?? null,
    decision: standOf(ask),
  }
}
