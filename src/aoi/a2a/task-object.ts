/** Answers and delegated tasks as A2A tasks, in ProtoJSON. */
import type { Answer, Delegated } from '../agent-core.ts'

/** In the order of their numbers in the .proto file, from 1. */
export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const
export type TaskState = (typeof TASK_STATES)[number]

/** What a task is now, apart from the conversation that it belongs to. */
export interface TaskNow {
  readonly id: string
  readonly state: TaskState
  /** For people. */
  readonly text?: string
  /** ISO 8601; absent: unknown. */
  readonly updatedAt?: string
  readonly artifacts: readonly object[]
}

/** A2A requires that streams end with these. */
export function isTerminal(state: TaskState): boolean {
  return /_(COMPLETED|FAILED|CANCELED|REJECTED)$/.test(state)
}

/** Terminal, or waiting for somebody: a blocking SendMessage returns. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED'
}

export function answerNow(answer: Answer): TaskNow {
  const { queryId: id, summary } = answer
  if (answer.refused !== undefined)
    return { id, state: 'TASK_STATE_REJECTED', text: answer.refused, artifacts: [] }
  if (answer.completed) return { id, state: 'TASK_STATE_COMPLETED', artifacts: [answerArtifact(answer)] }
  if (answer.waitsForPerson === true)
    return { id, state: 'TASK_STATE_INPUT_REQUIRED', text: WAITS_FOR_PERSON, artifacts: [] }
  return { id, state: 'TASK_STATE_WORKING', ...(summary === '' ? {} : { text: summary }), artifacts: [] }
}

const WAITS_FOR_PERSON = 'A person has to approve it first. You need not do anything.'

function answerArtifact({ summary, progress, blockers, refs }: Answer): object {
  const data = {
    ...(progress === undefined ? {} : { progress }),
    ...(blockers === undefined ? {} : { blockers }),
    context_refs: refs,
  }
  return {
    artifactId: 'answer',
    name: 'answer',
    parts: [
      { text: summary, mediaType: 'text/plain' },
      { data, mediaType: 'application/json' },
    ],
  }
}

export function delegatedNow(task: Delegated): TaskNow {
  const { taskId: id, updatedAt, output, status } = task
  const state = stateOf(task)
  const text = task.error ?? (state === 'TASK_STATE_INPUT_REQUIRED' ? WAITS_FOR_PERSON : undefined)
  const artifacts = output === undefined ? [] : [outputArtifact(output, { status, state: task.state })]
  return { id, state, updatedAt, ...(text === undefined ? {} : { text }), artifacts }
}

/** Statuses of a task file in which it waits for a person. */
const WAITING = new Set(['draft', 'blocked', 'review'])

function stateOf({ status, state }: Delegated): TaskState {
  if (state === 'cancelled') return 'TASK_STATE_CANCELED'
  if (status === 'completed') return 'TASK_STATE_COMPLETED'
  if (status === 'failed') return 'TASK_STATE_FAILED'
  if (WAITING.has(state)) return 'TASK_STATE_INPUT_REQUIRED'
  return state === 'pending' ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_WORKING'
}

function outputArtifact(output: string, data: object): object {
  return {
    artifactId: 'output',
    name: 'output',
    parts: [
      { text: output, mediaType: 'text/plain' },
      { data, mediaType: 'application/json' },
    ],
  }
}

/** A task of a stream or response. */
export interface TaskObject {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: TaskState; readonly timestamp?: string; readonly message?: object }
  readonly artifacts?: readonly object[]
  readonly history?: readonly object[]
}

export function statusObject(now: TaskNow, contextId: string): TaskObject['status'] {
  const { id, state, text, updatedAt } = now
  const message = {
    messageId: `${id}-status`,
    contextId,
    taskId: id,
    role: 'ROLE_AGENT',
    parts: [{ text }],
  }
  return {
    state,
    ...(updatedAt === undefined ? {} : { timestamp: updatedAt }),
    ...(text === undefined ? {} : { message }),
  }
}
