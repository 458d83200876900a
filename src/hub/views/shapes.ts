/**
 * The shapes of what methods give and take: zod schemas, from which types, checks and the reference are made. Invariant
 * 1: names are camelCase; what is not known is null; times are ISO 8601 UTC.
 */
import { z } from 'zod'
import { ASK_DECISIONS } from '../../domain/ask/ask.ts'
import { ROOM_STATUSES } from '../../domain/room/room.ts'
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import { BLOCKED_BY, ON_INTERRUPT, PRIORITIES, REVIEWS, TASK_STATUSES } from '../../domain/task/task.ts'
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'

const text = z.string()
const textOrNull = text.nullable()
const numberOrNull = z.number().nullable()

/** Names and ids as clients give them; longer ones are none of ours. */
export const idText = z.string().trim().min(1).max(300)
export const roomParams = z.strictObject({ roomId: idText })
export const taskParams = z.strictObject({ taskId: idText })
/** One line of a person or a model. */
export const titleText = z.string().trim().min(1).max(500)
/** Under the size limit of files. */
export const bodyText = z.string().max(500_000)
export const limit = (most: number) => z.int().min(1).max(most).optional()

export const taskView = z.strictObject({
  id: textOrNull,
  roomId: text,
  name: text,
  path: text,
  title: text,
  description: text,
  status: z.enum(TASK_STATUSES),
  priority: z.enum(PRIORITIES),
  worker: textOrNull,
  model: textOrNull,
  dependsOn: z.array(text),
  labels: z.array(text),
  due: textOrNull,
  workspace: textOrNull,
  review: z.enum(REVIEWS).nullable(),
  verify: z.array(text).nullable(),
  onInterrupt: z.enum(ON_INTERRUPT),
  retry: z.strictObject({ max: z.number(), backoffMs: z.number() }),
  timeoutMs: numberOrNull,
  budget: z.strictObject({ usd: numberOrNull, tokens: numberOrNull, turns: numberOrNull }).nullable(),
  env: z.array(text),
  createdAt: textOrNull,
  createdBy: textOrNull,
  /** The last commit of the file; null in lists. */
  updatedAt: textOrNull,
  sessionId: textOrNull,
  attempt: numberOrNull,
  progress: numberOrNull,
  currentStep: textOrNull,
  startedAt: textOrNull,
  completedAt: textOrNull,
  result: textOrNull,
  error: textOrNull,
  blocked: z.enum(BLOCKED_BY).nullable(),
  retryAt: textOrNull,
  branch: textOrNull,
  verified: z.strictObject({ at: text, commands: z.number(), passed: z.number() }).nullable(),
})
export type TaskView = z.input<typeof taskView>

export const roomView = z.strictObject({
  /** The folder's name. */
  id: text,
  /** Neo's own id of it. */
  neoId: textOrNull,
  name: text,
  description: text,
  status: z.enum(ROOM_STATUSES),
  defaultWorkspace: textOrNull,
  defaultModel: textOrNull,
  base: textOrNull,
  worker: textOrNull,
  orchestrator: z.enum(['auto', 'off']),
  review: z.enum(REVIEWS).nullable(),
  verify: z.array(text),
  concurrency: numberOrNull,
  budget: z
    .strictObject({
      usdPerDay: numberOrNull,
      usdPerTask: numberOrNull,
      tokensPerTask: numberOrNull,
      turnsPerTask: numberOrNull,
    })
    .nullable(),
  permissions: z.record(text, z.union([text, z.array(text)])),
  setup: z.array(text),
  cleanup: z.array(text),
  env: z.array(text),
  envFiles: z.array(text),
  hooks: z.enum(['on', 'off']),
  notify: z.array(text),
  approvers: z.array(text),
  keep: z.number(),
  createdAt: textOrNull,
  updatedAt: textOrNull,
  instructions: text,
  sessionIds: z.array(text),
})
export type RoomView = z.input<typeof roomView>

export const sessionView = z.strictObject({
  id: text,
  roomId: text,
  taskId: text,
  title: textOrNull,
  worker: text,
  model: textOrNull,
  workspace: text,
  branch: text,
  base: text,
  status: z.enum(SESSION_STATUSES),
  /** `live`: it runs here; `dormant`: it waits to be picked up; `ended`. */
  state: z.enum(['live', 'dormant', 'ended']),
  turns: z.number(),
  startedAt: text,
  endedAt: textOrNull,
  sandbox: text,
  runner: text,
  summary: text,
})
export type SessionView = z.input<typeof sessionView>

export const askView = z.strictObject({
  id: text,
  roomId: text,
  kind: z.enum(['approval', 'question']),
  taskId: textOrNull,
  sessionId: textOrNull,
  action: z.strictObject({
    tool: text,
    arguments: z.record(text, z.unknown()),
    files: z.array(text),
    sha256: text,
  }),
  reason: text,
  expiresAt: textOrNull,
  decision: z.enum([...ASK_DECISIONS, 'answered']),
  decidedBy: textOrNull,
  decidedAt: textOrNull,
  handledAt: textOrNull,
  answer: textOrNull,
  body: text,
})
export type AskView = z.input<typeof askView>

export const memoryView = z.strictObject({
  id: text,
  roomId: text,
  path: text,
  type: z.enum(MEMORY_TYPES),
  content: text,
  tags: z.array(text),
  importance: z.enum(['low', 'normal', 'high']),
  createdAt: textOrNull,
  createdBy: textOrNull,
  sessionId: textOrNull,
  taskId: textOrNull,
  source: textOrNull,
})
export type MemoryView = z.input<typeof memoryView>
