/**
 * The shapes of what methods take and return: zod schemas, from which types, checks, tools and the reference are made.
 * Invariant 1: names are camelCase; an unknown value is null; times are ISO 8601 UTC.
 */
import { z } from 'zod'
import type { Shown } from '../env.ts'
import { ASK_DECISIONS } from '../../domain/ask/ask.ts'
import { ROOM_STATUSES } from '../../domain/room/room.ts'
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import { BLOCKED_BY, ON_INTERRUPT, PRIORITIES, REVIEWS, TASK_STATUSES } from '../../domain/task/task.ts'
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'

const text = z.string()
const textOrNull = text.nullable()
const numberOrNull = z.number().nullable()

/** Names and ids as clients give them; nothing in a home has a longer one. */
export const idText = z.string().trim().min(1).max(300)
export const roomId = idText.describe('The room: its `id` (the folder name) or its `neoId` (`r-…`)')
/** Of methods that list things. */
export const onlyRoom = idText.optional().describe('Only this room; otherwise all rooms that you may see')
export const taskId = idText.describe(
  'The task: its id (`t-…`), its path, `room/name`, or a name that only one task has',
)
export const sessionId = idText.describe('The session: its id (`s-…`)')
export const scopeId = idText.describe('The conversation: its name, as `scope.list` returns it')
export const roomParams = z.strictObject({ roomId })
export const taskParams = z.strictObject({ taskId })
export const lineText = z.string().trim().min(1).max(1_000)
export const titleText = z.string().trim().min(1).max(500)
/** Under the size limit of files. */
export const bodyText = z.string().max(500_000)
export const since = lineText.optional().describe('Nothing before this day or time, such as `2026-03-05`')
export const until = lineText
  .optional()
  .describe('Nothing after this day or time, such as `2026-03-05T18:00`')
export const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe('At most this many')

export const taskView = z.strictObject({
  id: textOrNull.describe('`t-…`; null until Neo has adopted the file'),
  roomId: text,
  name: text.describe('Its path in `tasks/`, without `.md`'),
  path: text.describe('In the home'),
  title: text,
  description: text.describe('The text of the task, in markdown'),
  status: z.enum(TASK_STATUSES),
  priority: z.enum(PRIORITIES),
  worker: textOrNull.describe("Null: the room's"),
  model: textOrNull.describe("Null: the room's"),
  persona: textOrNull.describe('Name of a file in `workspace/agents/`'),
  dependsOn: z.array(text).describe('Tasks that must be completed first'),
  labels: z.array(text),
  due: textOrNull,
  workspace: textOrNull.describe("Null: the room's"),
  review: z.enum(REVIEWS).nullable().describe("Null: the room's"),
  verify: z.array(text).nullable().describe("Checks that must pass. Null: the room's"),
  onInterrupt: z.enum(ON_INTERRUPT),
  retry: z.strictObject({ max: z.number(), backoffMs: z.number() }).describe('Retries after a failure'),
  timeoutMs: numberOrNull,
  budget: z.strictObject({ usd: numberOrNull, tokens: numberOrNull, turns: numberOrNull }).nullable(),
  env: z.array(text).describe('Environment variables that its worker gets'),
  createdAt: textOrNull,
  createdBy: textOrNull.describe('`human`, `neo`, `editor`, `member:ID` or `session:ID`'),
  updatedAt: textOrNull.describe('The last commit of the file. Null in lists'),
  sessionId: textOrNull.describe('Of the present or last attempt'),
  attempt: numberOrNull.describe('1 for the first'),
  progress: numberOrNull.describe('Percent'),
  currentStep: textOrNull,
  startedAt: textOrNull,
  completedAt: textOrNull.describe('When it ended'),
  result: textOrNull.describe('Result in one line'),
  error: textOrNull.describe('Why it failed, or why it waits'),
  blocked: z.enum(BLOCKED_BY).nullable().describe('What it waits for'),
  retryAt: textOrNull.describe('When it is tried again'),
  branch: textOrNull.describe('The branch that holds the work'),
  verified: z
    .strictObject({ at: text, commands: z.number(), passed: z.number() })
    .nullable()
    .describe('The checks of the last attempt'),
})
export type TaskView = Shown<z.input<typeof taskView>>

export const roomView = z.strictObject({
  id: text.describe('The name of its folder'),
  neoId: textOrNull.describe('`r-…`'),
  name: text,
  description: text,
  status: z.enum(ROOM_STATUSES),
  defaultWorkspace: textOrNull,
  defaultModel: textOrNull,
  base: textOrNull.describe('The branch that work starts from and is merged into'),
  worker: textOrNull,
  orchestrator: z.enum(['auto', 'off']).describe('What the Neo of the room reacts to. `off`: only messages'),
  review: z.enum(REVIEWS).nullable(),
  verify: z.array(text),
  concurrency: numberOrNull.describe('Maximum number of sessions at the same time'),
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
  approvers: z.array(text).describe('Members who may decide its requests'),
  keep: z.number().describe('Session files that are kept'),
  createdAt: textOrNull,
  updatedAt: textOrNull.describe('The last commit of ROOM.md. Null in lists'),
  instructions: text.describe('The text of ROOM.md'),
  sessionIds: z.array(text),
})
export type RoomView = Shown<z.input<typeof roomView>>

export const sessionView = z.strictObject({
  id: text.describe('`s-…`'),
  roomId: text,
  taskId: text,
  title: textOrNull.describe('Of its task'),
  worker: text,
  model: textOrNull,
  workspace: text,
  branch: text,
  base: text,
  status: z.enum(SESSION_STATUSES),
  state: z
    .enum(['live', 'dormant', 'ended'])
    .describe(
      '`live`: it runs on this machine. `dormant`: it was interrupted and can be resumed. `ended`: finished',
    ),
  turns: z.number().describe('Model calls'),
  startedAt: text,
  endedAt: textOrNull,
  sandbox: text,
  runner: text,
  summary: text.describe('What it did'),
})
export type SessionView = Shown<z.input<typeof sessionView>>

export const askView = z.strictObject({
  id: text.describe('`a-…`'),
  roomId: text,
  kind: z.enum(['approval', 'question']),
  taskId: textOrNull,
  sessionId: textOrNull,
  action: z
    .strictObject({
      tool: text,
      arguments: z.record(text, z.unknown()),
      files: z.array(text),
      sha256: text,
    })
    .describe('What is asked for'),
  reason: text.describe('Why a person has to decide, or the question'),
  expiresAt: textOrNull,
  decision: z.enum([...ASK_DECISIONS, 'answered']),
  decidedBy: textOrNull,
  decidedAt: textOrNull,
  handledAt: textOrNull.describe('When the decision was carried out'),
  answer: textOrNull,
  body: text.describe('The text of its file'),
})
export type AskView = Shown<z.input<typeof askView>>

export const memoryView = z.strictObject({
  id: text.describe('`m-…`'),
  roomId: text,
  path: text.describe('In the home'),
  type: z.enum(MEMORY_TYPES),
  content: text,
  tags: z.array(text),
  importance: z.enum(['low', 'normal', 'high']),
  createdAt: textOrNull,
  createdBy: textOrNull,
  sessionId: textOrNull.describe('The session that it comes from'),
  taskId: textOrNull.describe('The task that it comes from'),
  source: textOrNull.describe('Where it was said'),
})
export type MemoryView = Shown<z.input<typeof memoryView>>
