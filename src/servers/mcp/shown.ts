/**
 * What models are shown of things: the hub's shapes without what only programs need, so that a list fits into a context.
 * Pure. Invariant 1: a list never holds the long texts of its items.
 */
import { z } from 'zod'
import { askView, memoryView, roomView, sessionView, taskView } from '../../hub/views/shapes.ts'
import { type MethodName, TABLE } from '../../hub/method-table.ts'

/** The fields of a shape, without strictness: what is not named is left out. */
function some<S extends z.ZodObject, const K extends keyof S['shape'] & string>(
  shape: S,
  keys: readonly K[],
): z.ZodObject<Pick<S['shape'], K>> {
  return z.object(Object.fromEntries(keys.map((key) => [key, shape.shape[key]])) as Pick<S['shape'], K>)
}

/** All fields that a method gives. */
function whole(method: MethodName): z.ZodObject {
  const given = TABLE.get(method)?.result
  if (given instanceof z.ZodArray) return given.element as unknown as z.ZodObject
  return given as unknown as z.ZodObject
}

export const done = z.object({ done: z.literal(true) })

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

export const session = some(sessionView, [
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
  neo: whole('room.overview').shape['neo'] as z.ZodObject,
  usage: whole('room.overview').shape['usage'] as z.ZodObject,
})

export const context = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string(), timestamp: z.string() })),
  status: z.enum(['idle', 'thinking', 'waiting_for_input']),
  currentTaskId: z.string().nullable(),
})

export const hits = whole('memory.search')
export const plan = whole('plan.get')
export const status = whole('status.global')
export const timeline = whole('audit.timeline')
export const usage = whole('usage.summary')
export const review = whole('review.diff')
export const schedule = whole('schedule.list')
export const template = whole('template.list')
export const scheduled = whole('schedule.run')
