/**
 * What models are shown of results: the hub's shapes without what only programs need, so that a list fits into a
 * context. Pure. Invariant 1: a list never holds the long texts of its items.
 */
import { z } from 'zod'
import type { Method } from '../../hub/env.ts'
import { roomOverview } from '../../hub/methods/overview.ts'
import { askView, memoryView, roomView, sessionView, taskView } from '../../hub/views/shapes.ts'

/** The fields of a shape, without strictness: what is not named is left out. */
function some<S extends z.ZodObject, const K extends keyof S['shape'] & string>(
  shape: S,
  keys: readonly K[],
): z.ZodObject<Pick<S['shape'], K>> {
  return z.object(Object.fromEntries(keys.map((key) => [key, shape.shape[key]])) as Pick<S['shape'], K>)
}

export const room = some(roomView, [
  'id',
  'name',
  'description',
  'status',
  'worker',
  'review',
  'verify',
  'orchestrator',
  'defaultWorkspace',
  'defaultModel',
  'instructions',
])

const ROW = [
  'id',
  'roomId',
  'path',
  'title',
  'status',
  'priority',
  'worker',
  'dependsOn',
  'labels',
  'due',
  'createdBy',
  'sessionId',
  'progress',
  'currentStep',
  'result',
  'error',
  'blocked',
  'branch',
] as const
export const taskRow = some(taskView, ROW)
export const task = some(taskView, [
  ...ROW,
  'description',
  'model',
  'workspace',
  'review',
  'verify',
  'createdAt',
  'updatedAt',
  'startedAt',
  'completedAt',
  'attempt',
  'retryAt',
  'verified',
])

const session = some(sessionView, [
  'id',
  'roomId',
  'taskId',
  'title',
  'worker',
  'model',
  'branch',
  'status',
  'state',
  'turns',
  'startedAt',
  'endedAt',
  'summary',
])

export const ask = some(askView, [
  'id',
  'roomId',
  'kind',
  'taskId',
  'sessionId',
  'reason',
  'expiresAt',
  'decision',
  'decidedBy',
  'answer',
  'body',
])

export const memory = some(memoryView, [
  'id',
  'roomId',
  'path',
  'type',
  'content',
  'tags',
  'importance',
  'createdAt',
  'createdBy',
])

const brief = some(taskView, ['id', 'path', 'title', 'status', 'priority', 'worker', 'sessionId', 'error'])

export const overview = z.object({
  room,
  tasks: z.record(z.string(), z.array(brief)),
  sessions: z.array(some(sessionView, ['id', 'taskId', 'status', 'state', 'startedAt'])),
  asks: z.array(some(askView, ['id', 'kind', 'taskId', 'reason'])),
  neo: roomOverview.result.shape.neo,
  usage: roomOverview.result.shape.usage,
})

const context = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string(), timestamp: z.string() })),
  status: z.enum(['idle', 'thinking', 'waiting_for_input']),
  currentTaskId: z.string().nullable(),
})

const done = z.object({ done: z.literal(true) })

/** Instead of a shape: itself, and as an item of a list. */
const SHOWN = new Map<z.ZodType, readonly [one: z.ZodObject, row: z.ZodObject]>([
  [roomView, [room, room]],
  [taskView, [task, taskRow]],
  [sessionView, [session, session]],
  [askView, [ask, ask]],
  [memoryView, [memory, memory]],
])

const OWN: Readonly<Record<string, z.ZodObject>> = { 'room.overview': overview, 'context.get': context }

/** What the tool of a method returns. */
export function resultFor({ name, params, result, tool }: Method): z.ZodObject {
  const own = OWN[name] ?? SHOWN.get(result)?.[0]
  if (own !== undefined) return own
  if (result instanceof z.ZodNull || result instanceof z.ZodNullable) return done
  if (!(result instanceof z.ZodArray)) return result as z.ZodObject
  const item = result.element as z.ZodType
  const rows = z.array(SHOWN.get(item)?.[1] ?? item)
  const isPaged = params instanceof z.ZodObject && 'cursor' in params.shape
  return z.object({
    [tool?.list ?? 'items']: rows,
    ...(isPaged ? { nextCursor: z.string().nullable() } : {}),
  })
}
