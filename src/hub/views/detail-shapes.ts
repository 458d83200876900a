/** The shapes of what one thing shows and no list: a task's cost, what it waits for and its story; a session's cost. */
import { z } from 'zod'
import type { Shown } from '../env.ts'
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import { REVIEWS, TASK_STATUSES } from '../../domain/task/task.ts'
import { askView, sessionView, taskView } from './shapes.ts'

const text = z.string()
const textOrNull = text.nullable()
const numberOrNull = z.number().nullable()

export const costView = z
  .strictObject({
    tokens: z.number(),
    usd: numberOrNull.describe('Null if a price is not known'),
    knownUsd: z.number().describe('Of the calls whose price is known: the cost is at least this'),
  })
  .nullable()
  .describe('What its model calls have cost. Null if it made none')
export type CostView = Shown<z.input<typeof costView>>

const waitView = z.strictObject({
  kind: z.enum([
    'task',
    'slot',
    'time',
    'room',
    'request',
    'review',
    'person',
    'budget',
    'model',
    'disk',
    'filter',
    'file',
    'git',
    'host',
    'stopped',
  ]),
  says: text.describe('Such as `a free slot: 2 of 2 in use`'),
  at: textOrNull.describe('When it goes on by itself'),
  links: z.array(
    z.strictObject({
      to: z.enum(['task', 'session', 'request', 'review', 'file', 'room']),
      id: text,
      title: text,
      status: z.enum(TASK_STATUSES).nullable().describe('Of a task'),
    }),
  ),
})
export type WaitView = Shown<z.input<typeof waitView>>

const neighbour = z.strictObject({
  name: text,
  id: textOrNull,
  title: textOrNull,
  status: z.enum(TASK_STATUSES).nullable(),
})

export const taskMore = z.strictObject({
  pullRequest: textOrNull.describe('Its address'),
  cost: costView,
  waitsFor: z.array(waitView).describe('What keeps it from going on, the most important first'),
  settings: z
    .strictObject({
      worker: text,
      model: text,
      workspace: text,
      review: z.enum(REVIEWS),
      verify: z.array(text),
    })
    .describe('Its own keys, else those of its room and of neo.yaml'),
  workers: z.array(text).describe('Workers that it can be assigned to'),
  dependencies: z.array(neighbour).describe('As in `dependsOn`; of one that you may not see, the name only'),
  dependents: z.array(neighbour).describe('Tasks that depend on it and have not ended'),
})
/** One task; lists have less. */
export const taskDetail = z.strictObject({ ...taskView.shape, ...taskMore.shape })
export type TaskDetail = Shown<z.input<typeof taskDetail>>

export const sessionMore = z.strictObject({ cost: costView })
export const sessionDetail = z.strictObject({ ...sessionView.shape, ...sessionMore.shape })
export type SessionDetail = Shown<z.input<typeof sessionDetail>>

const storyCommit = z.strictObject({
  at: text,
  event: textOrNull.describe('`start`, `complete`, `merge`, … ; `commit` for one that was made by hand'),
  by: text.describe('`human`, `neo`, `member:ID` or `session:ID`'),
  name: textOrNull.describe('As git knows them'),
  says: text,
  commit: textOrNull,
})

const storyAttempt = z.strictObject({
  sessionId: text,
  isKept: z.boolean().describe('False: its session file and transcript are only in the git history'),
  number: numberOrNull,
  worker: textOrNull,
  model: textOrNull,
  status: z.enum(SESSION_STATUSES).nullable(),
  startedAt: text,
  endedAt: textOrNull,
  turns: z.number().describe('Model calls'),
  branch: textOrNull,
  cost: costView,
  result: textOrNull.describe('In markdown'),
  error: textOrNull,
  checks: z.array(
    z.strictObject({
      command: text,
      isPassed: z.boolean(),
      ended: text.describe('`exit 1`, `timeout`, … ; empty if it passed'),
      ms: numberOrNull,
      output: text.describe('Its end'),
    }),
  ),
  commits: z.array(storyCommit).describe('Of the home, about this attempt'),
})
export type StoryAttempt = Shown<z.input<typeof storyAttempt>>

export const storyItem = z.strictObject({
  ...storyCommit.shape,
  kind: z.enum(['created', 'change', 'attempt', 'request']),
  attempt: storyAttempt.nullable(),
  request: askView.nullable(),
})
export type StoryItem = Shown<z.input<typeof storyItem>>
