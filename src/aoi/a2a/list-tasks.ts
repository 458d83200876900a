/** ListTasks: a page of a peer's tasks, newest first. */
import { jsonIn } from '../../domain/text/is-map.ts'
import { badField } from './a2a-error.ts'
import { HISTORY } from './a2a-message.ts'
import { allTasks, contextIdOf, type TaskParts, taskObject } from './a2a-tasks.ts'
import { ProtoFields } from './proto-fields.ts'
import { TASK_STATES, type TaskNow } from './task-object.ts'

const PAGE: readonly [number, number] = [1, 100]
const DEFAULT_PAGE = 50
const TEXT = 1_000

/** Throws A2aError. */
export async function listTasks(parts: TaskParts, peer: string, params: unknown): Promise<object> {
  const fields = ProtoFields.of(params, '')
  const pageSize = fields.whole('pageSize', PAGE) ?? DEFAULT_PAGE
  const historyLength = fields.whole('historyLength', HISTORY)
  const artifacts = fields.isTrue('includeArtifacts')
  const after = readCursor(fields.text('pageToken', TEXT))
  const isWanted = readFilter(parts, peer, fields)
  const all = [...(await allTasks(parts, peer))].filter(isWanted).sort(newestFirst)
  const left = after === null ? all : all.filter((task) => newestFirst(after, task) < 0)
  const page = left.slice(0, pageSize)
  const last = page.at(-1)
  return {
    tasks: page.map((task) => taskObject(parts, peer, { task, historyLength, artifacts })),
    nextPageToken: last !== undefined && left.length > page.length ? cursorOf(last) : '',
    pageSize,
    totalSize: all.length,
  }
}

function readFilter(parts: TaskParts, peer: string, fields: ProtoFields): (task: TaskNow) => boolean {
  const contextId = fields.text('contextId', TEXT)
  const state = readState(fields)
  const after = readTime(fields)
  return (task) =>
    (contextId === '' || contextIdOf(parts, peer, task.id) === contextId) &&
    (state === null || task.state === state) &&
    (after === null || Date.parse(task.updatedAt ?? '') >= after)
}

/** Null: any. ProtoJSON allows an enum's number. */
function readState(fields: ProtoFields): string | null {
  const value = fields.raw('status')
  if (value === undefined || value === 0 || value === 'TASK_STATE_UNSPECIFIED') return null
  const name = typeof value === 'number' ? TASK_STATES[value - 1] : value
  const state = TASK_STATES.find((one) => one === name)
  if (state === undefined) throw badField('status', `must be one of ${TASK_STATES.join(', ')}`)
  return state
}

function readTime(fields: ProtoFields): number | null {
  const text = fields.text('statusTimestampAfter', TEXT)
  if (text === '') return null
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw badField('statusTimestampAfter', 'must be a time such as 2026-01-31T10:00:00Z')
  return ms
}

type Place = Pick<TaskNow, 'id' | 'updatedAt'>

function newestFirst(a: Place, b: Place): number {
  const [aTime, bTime] = [a.updatedAt ?? '', b.updatedAt ?? '']
  if (aTime !== bTime) return aTime < bTime ? 1 : -1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** The place of the last task of a page: what comes after it stays right if tasks are added. */
function cursorOf({ id, updatedAt = '' }: Place): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString('base64url')
}

/** Null: from the first. */
function readCursor(token: string): Place | null {
  if (token === '') return null
  const read = jsonIn(Buffer.from(token, 'base64url').toString())
  const [updatedAt, id, ...more] = Array.isArray(read) ? (read as unknown[]) : []
  if (typeof updatedAt === 'string' && typeof id === 'string' && more.length === 0) return { id, updatedAt }
  throw badField('pageToken', 'must be the nextPageToken of the page before')
}
