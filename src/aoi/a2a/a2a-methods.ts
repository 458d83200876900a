/** The methods of A2A 1.0. Push notifications are not supported: streams and GetTask do the same without calling out. */

import type { A2aRequest } from './a2a-envelope.ts'
import { A2A_CODES, A2aError, badField, taskNotFound, unsupported } from './a2a-error.ts'
import { HISTORY, noPush, readSent, type Sent } from './a2a-message.ts'
import { cancelTask, findTask, startTask, type TaskParts, taskObject } from './a2a-tasks.ts'
import { type FollowLimits, type OpenFollows, taskEvents, untilSettled } from './follow-task.ts'
import { listTasks } from './list-tasks.ts'
import { ProtoFields } from './proto-fields.ts'
import { isTerminal, type TaskNow } from './task-object.ts'

export interface MethodParts extends TaskParts {
  readonly limits: FollowLimits
  readonly follows: OpenFollows
}

export interface A2aCall extends A2aRequest {
  readonly peer: string
  readonly signal: AbortSignal
  /** The card as this peer may see it. */
  readonly card: () => object
}

export type A2aResult =
  | { readonly kind: 'result'; readonly result: object }
  | { readonly kind: 'stream'; readonly events: AsyncIterable<string> }

/** Throws A2aError. */
export async function callMethod(parts: MethodParts, call: A2aCall): Promise<A2aResult> {
  switch (call.method) {
    case 'SendMessage':
      return result(await sendMessage(parts, call))
    case 'SendStreamingMessage':
      return await sendStreaming(parts, call)
    case 'GetTask':
      return result(await getTask(parts, call))
    case 'ListTasks':
      return result(await listTasks(parts, call.peer, call.params))
    case 'CancelTask':
      return result(await cancel(parts, call))
    case 'SubscribeToTask':
      return await subscribe(parts, call)
    case 'GetExtendedAgentCard':
      return result(call.card())
    case 'CreateTaskPushNotificationConfig':
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      throw noPush()
    default:
      throw noMethod(call.method)
  }
}

function result(value: object): A2aResult {
  return { kind: 'result', result: value }
}

function noMethod(method: string): A2aError {
  const hint = method.includes('/') ? ': methods of A2A 1.0 have names such as SendMessage and GetTask' : ''
  return new A2aError(A2A_CODES.method, `Method not found${hint}`, { reason: 'METHOD_NOT_FOUND' })
}

async function sendMessage(parts: MethodParts, { peer, params, signal }: A2aCall): Promise<object> {
  const sent = readSent(params)
  await refuseContinuing(parts, peer, sent)
  const started = await startTask(parts, peer, sent)
  // Without a free place, the client gets the task at once, and can ask again.
  const end = sent.returnImmediately ? null : parts.follows.begin(peer)
  try {
    const follow = { peer, task: started, signal, limits: parts.limits }
    const task = end === null ? started : await untilSettled(parts, follow)
    const { historyLength } = sent
    return { task: taskObject(parts, peer, { task, historyLength, artifacts: true }) }
  } finally {
    end?.()
  }
}

async function sendStreaming(parts: MethodParts, call: A2aCall): Promise<A2aResult> {
  const sent = readSent(call.params)
  await refuseContinuing(parts, call.peer, sent)
  const end = openStream(parts, call)
  try {
    const task = await startTask(parts, call.peer, sent)
    return { kind: 'stream', events: followed(parts, call, { task, end }) }
  } catch (error) {
    end()
    throw error
  }
}

/** A message that names a task: tasks and queries take no second message. Throws A2aError. */
async function refuseContinuing(parts: MethodParts, peer: string, { taskId }: Sent): Promise<void> {
  if (taskId === '') return
  if ((await findTask(parts, peer, taskId)) === null) throw taskNotFound()
  throw unsupported('A task takes no further messages: send a new message without taskId')
}

async function getTask(parts: MethodParts, { peer, params }: A2aCall): Promise<object> {
  const historyLength = ProtoFields.of(params, '').whole('historyLength', HISTORY)
  const task = await namedTask(parts, peer, params)
  return taskObject(parts, peer, { task, historyLength, artifacts: true })
}

async function cancel(parts: MethodParts, { peer, params }: A2aCall): Promise<object> {
  const { id } = await namedTask(parts, peer, params)
  const task = await cancelTask(parts, peer, id)
  if (task !== null) return taskObject(parts, peer, { task, artifacts: true })
  throw new A2aError(
    A2A_CODES.taskNotCancelable,
    'Task can’t be cancelled: it has ended, or it is a question',
    {
      reason: 'TASK_NOT_CANCELABLE',
    },
  )
}

async function subscribe(parts: MethodParts, call: A2aCall): Promise<A2aResult> {
  const task = await namedTask(parts, call.peer, call.params)
  if (isTerminal(task.state)) throw unsupported('The task has ended: use GetTask')
  return {
    kind: 'stream',
    events: followed(parts, call, { task, end: openStream(parts, call) }),
  }
}

const MOST_ID = 250

/** The task that the parameter `id` names. Throws A2aError. */
async function namedTask(parts: MethodParts, peer: string, params: unknown): Promise<TaskNow> {
  const id = ProtoFields.of(params, '').text('id', MOST_ID)
  if (id === '') throw badField('id', 'is missing')
  const task = await findTask(parts, peer, id)
  if (task === null) throw taskNotFound()
  return task
}

/** The place is free again when the events end, or when the client is gone before it has read any. */
function openStream({ follows, limits }: MethodParts, { peer, signal }: A2aCall): () => void {
  const end = follows.begin(peer)
  if (end !== null) {
    signal.addEventListener('abort', end, { once: true })
    return end
  }
  throw new A2aError(
    A2A_CODES.refused,
    `Too many streams: at most ${limits.perPeer} streams and blocking calls at the same time`,
    { reason: 'RATE_LIMIT_EXCEEDED', status: 429, headers: { 'Retry-After': '5' } },
  )
}

async function* followed(
  parts: MethodParts,
  { peer, signal, id }: A2aCall,
  { task, end }: { readonly task: TaskNow; readonly end: () => void },
): AsyncGenerator<string> {
  try {
    yield* taskEvents(parts, { peer, task, signal, limits: parts.limits, id })
  } finally {
    end()
  }
}
