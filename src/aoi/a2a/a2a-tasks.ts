/**
 * The tasks of a peer: delegated tasks, queries (the task's id is the query's id) and messages that were refused.
 * Invariant: a task of another peer looks exactly like one that doesn't exist.
 */
import { type AgentCore, AgentRefusal, AOI_CODES } from '../agent-core.ts'
import { translated } from './a2a-error.ts'
import type { Sent } from './a2a-message.ts'
import type { SentMessage, SentMessages } from './sent-messages.ts'
import { answerNow, delegatedNow, statusObject, type TaskNow, type TaskObject } from './task-object.ts'

/** Seconds that a query may take before the core gives up, if it is asked to. */
const QUERY_S = 300

export interface TaskParts {
  readonly core: AgentCore
  readonly messages: SentMessages
  readonly now: () => number
}

/** Starts what the message asks for, or finds what the same message started before. Throws A2aError. */
export async function startTask(parts: TaskParts, peer: string, sent: Sent): Promise<TaskNow> {
  try {
    const started = await start(parts.core, peer, sent)
    remember(parts, peer, {
      sent,
      taskId: started.id,
      kind: sent.content.kind === 'query' ? 'query' : 'task',
    })
    return dated(parts, peer, started)
  } catch (error) {
    if (!(error instanceof AgentRefusal)) throw error
    if (error.code !== AOI_CODES.denied) throw translated(error)
    return refusedTask(parts, peer, { sent, why: error.message })
  }
}

async function start(core: AgentCore, peer: string, sent: Sent): Promise<TaskNow> {
  const { content, scope, priority } = sent
  // Its own range of ids: AOI's are any text of the same peer.
  const requestId = `a2a:${sent.messageId}`
  if (content.kind === 'execute') {
    const { taskType, taskParams } = content
    return delegatedNow(await core.execute(peer, requestId, { taskType, taskParams, scope, isAsync: true }))
  }
  const params = { query: content.text, scope, priority, isAsync: true, timeoutS: QUERY_S }
  return answerNow(await core.query(peer, requestId, params))
}

/** A refusal before the start is a task that was rejected, so that clients find it again. */
function refusedTask(
  parts: TaskParts,
  peer: string,
  { sent, why }: { readonly sent: Sent; readonly why: string },
): TaskNow {
  const taskId = `rejected-${sent.messageId}`
  remember(parts, peer, { sent, taskId, kind: 'rejected', refused: why })
  return dated(parts, peer, rejectedNow(taskId, why))
}

function rejectedNow(id: string, why: string): TaskNow {
  return { id, state: 'TASK_STATE_REJECTED', text: why, artifacts: [] }
}

function remember(
  { messages, now }: TaskParts,
  peer: string,
  of: Pick<SentMessage, 'taskId' | 'kind'> & { readonly sent: Sent; readonly refused?: string },
): void {
  const { taskId, kind, sent, refused } = of
  messages.add(peer, {
    taskId,
    kind,
    contextId: sent.contextId === '' ? taskId : sent.contextId,
    messageId: sent.messageId,
    parts: sent.parts,
    ...(refused === undefined ? {} : { refused }),
    at: new Date(now()).toISOString(),
    state: null,
  })
}

/** Null: no such task of this peer. Throws A2aError. */
export async function findTask(parts: TaskParts, peer: string, id: string): Promise<TaskNow | null> {
  const known = parts.messages.get(peer, id)
  if (known?.refused !== undefined) return dated(parts, peer, rejectedNow(id, known.refused))
  const found = await asA2a(() => look(parts.core, peer, { id, isQuery: known?.kind === 'query' }))
  return found === null ? null : dated(parts, peer, found)
}

async function look(
  core: AgentCore,
  peer: string,
  { id, isQuery }: { readonly id: string; readonly isQuery: boolean },
): Promise<TaskNow | null> {
  const task = isQuery ? null : await core.task(peer, id)
  if (task !== null) return delegatedNow(task)
  const answer = await core.answer(peer, id)
  return answer === null ? null : answerNow(answer)
}

/** In no order. Throws A2aError. */
export async function allTasks(parts: TaskParts, peer: string): Promise<readonly TaskNow[]> {
  const tasks = await asA2a(() => parts.core.tasks(peer))
  const others: TaskNow[] = []
  for (const { taskId } of parts.messages.unlisted(peer)) {
    const found = await findTask(parts, peer, taskId)
    if (found !== null) others.push(found)
  }
  return [...tasks.map(delegatedNow), ...others]
}

/** Null if it can't be cancelled. Throws A2aError. */
export async function cancelTask(parts: TaskParts, peer: string, id: string): Promise<TaskNow | null> {
  const cancelled = await asA2a(() => parts.core.cancel(peer, id))
  return cancelled === null ? null : dated(parts, peer, delegatedNow(cancelled))
}

async function asA2a<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw error instanceof AgentRefusal ? translated(error) : error
  }
}

/** Queries have no time of their own: theirs is when the state was first seen. */
function dated({ messages, now }: TaskParts, peer: string, task: TaskNow): TaskNow {
  const known = messages.get(peer, task.id)
  if (task.updatedAt !== undefined || known === undefined) return task
  if (known.state !== null && known.state !== task.state) known.at = new Date(now()).toISOString()
  known.state = task.state
  return { ...task, updatedAt: known.at }
}

export function contextIdOf({ messages }: TaskParts, peer: string, id: string): string {
  return messages.get(peer, id)?.contextId ?? id
}

export interface TaskShape {
  /** Undefined: all messages. */
  readonly historyLength?: number | undefined
  readonly artifacts: boolean
}

export function taskObject(
  parts: TaskParts,
  peer: string,
  of: { readonly task: TaskNow } & TaskShape,
): TaskObject {
  const { task, historyLength, artifacts } = of
  const contextId = contextIdOf(parts, peer, task.id)
  const sent = parts.messages.get(peer, task.id)
  const withHistory = sent !== undefined && historyLength !== 0
  return {
    id: task.id,
    contextId,
    status: statusObject(task, contextId),
    ...(artifacts ? { artifacts: task.artifacts } : {}),
    ...(withHistory ? { history: [messageObject(sent)] } : {}),
  }
}

function messageObject({ messageId, contextId, taskId, parts }: SentMessage): object {
  return { messageId, contextId, taskId, role: 'ROLE_USER', parts }
}
