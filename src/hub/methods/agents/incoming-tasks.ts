/**
 * aoi.task.*: tasks that agents of other homes hand over. Invariant 1: a task comes from a template that a person wrote;
 * values of the agent reach its steps as environment alone. Invariant 2: an agent sees its own tasks, and no others.
 */
import { z } from 'zod'
import type { Snapshot, TaskFile } from '../../../domain/plan/snapshot.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import { look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { missing } from '../../views/find-in-home.ts'
import { createFromTemplate } from '../template-methods.ts'
import { contextScope, delegatedView, taskType } from './agent-shapes.ts'
import { short } from './scoped-files.ts'
import { aboutScope, ownOf, ruleFor } from './asked-contexts.ts'

const text = z.string()

const taskParams = z.strictObject({
  taskType,
  taskParams: z
    .record(z.string().max(100), z.union([z.string().max(20_000), z.number(), z.boolean()]))
    .optional()
    .describe("Values for the template's parameters"),
  contextScope,
  taskId: z
    .string()
    .regex(/^t-[a-z0-9]{6,16}$/)
    .optional()
    .describe('The id that the task gets: the same request never makes two'),
})

export const aoiExecute = method({
  name: 'aoi.task.execute',
  summary: 'Create a task for another agent',
  details:
    'For agents of other homes. The access rule must give `write` and name the template under `tasks`.',
  params: taskParams,
  result: delegatedView.extend({ roomId: text, updatedAt: text }),
  act: 'peer-write',
  resource: async (env, params) => ({ ...(await aboutScope(env, params)), sets: ['title'] }),
  run: async (env, { taskType: type, taskParams: values = {}, contextScope: scope, taskId: id }, actor) => {
    const snapshot = await look(env)
    const contexts = ownOf(snapshot, scope)
    const rooms = [...new Set(contexts.map(({ own }) => own.room))]
    const [room] = rooms
    if (room === undefined || rooms.length > 1)
      throw badParams(['contextScope'], 'a task belongs to one context; name one')
    const { principal } = actor
    const { tasks } = ruleFor(env, snapshot, { principal, scope, wants: 'write' })
    if (tasks !== null && !tasks.includes(type))
      throw badParams(
        ['taskType'],
        tasks.length === 0 ? 'no task types are allowed here' : `allowed: ${tasks.join(', ')}`,
      )
    const params = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const worker = snapshot.config.agent?.workAi ?? undefined
    const more = worker === undefined ? {} : { worker }
    const own = id === undefined ? {} : { id }
    const made = await fromTemplate(env, { roomId: room, name: type, params, ...more, ...own }, actor)
    return {
      taskId: made.id ?? '',
      status: 'pending' as const,
      state: made.status,
      roomId: room,
      updatedAt: made.createdAt ?? '',
    }
  },
})

/** A template that a rule names and that is not there is a wrong type, as any other. */
async function fromTemplate(...of: Parameters<typeof createFromTemplate>) {
  try {
    return await createFromTemplate(...of)
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== HUB_CODES.missing) throw error
    throw badParams(['taskType'], 'there is no such task type')
  }
}

/** A task of the caller; for the owner, of any agent. Everything else is not there. */
function ownTask(snapshot: Snapshot, principal: Principal, id: string): TaskFile {
  const file = [...snapshot.tasks.values()].find(
    ({ task }) => task.neo.id === id && isTaskOf(principal, task.neo.createdBy),
  )
  if (file === undefined) throw missing('task', id)
  return file
}

function isTaskOf(principal: Principal, author = ''): boolean {
  return principal.kind === 'peer' ? author === `peer:${principal.id}` : author.startsWith('peer:')
}

export function viewDelegated({ room, task }: TaskFile) {
  const { status, neo } = task
  const ended =
    status === 'completed'
      ? 'completed'
      : status === 'failed' || status === 'cancelled'
        ? 'failed'
        : 'pending'
  return {
    taskId: neo.id ?? '',
    status: ended as 'pending' | 'completed' | 'failed',
    state: status,
    ...(ended === 'completed' ? { output: short(neo.result ?? '') } : {}),
    ...(ended === 'failed' ? { error: short(neo.error ?? status) } : {}),
    roomId: room,
    updatedAt: neo.completedAt ?? neo.startedAt ?? neo.createdAt ?? '',
  }
}

export const aoiTaskGet = method({
  name: 'aoi.task.get',
  summary: 'Get a task of another agent',
  details: 'An agent sees the tasks that it has handed over, and no others.',
  params: z.strictObject({ taskId: text.min(1).max(100).describe('Its id') }),
  result: delegatedView.extend({ roomId: text, updatedAt: text }),
  act: 'see',
  resource: async (env, { taskId }, principal) => {
    const { room, task } = ownTask(await look(env), principal, taskId)
    return { room, author: task.neo.createdBy ?? '' }
  },
  run: async (env, { taskId }, { principal }) => viewDelegated(ownTask(await look(env), principal, taskId)),
})

export const aoiTaskList = method({
  name: 'aoi.task.list',
  summary: 'List tasks of another agent',
  details: 'Those that the calling agent has handed over.',
  params: z.strictObject({}),
  result: z.array(delegatedView.extend({ roomId: text, updatedAt: text })),
  act: 'peer-hello',
  resource: aboutHome,
  run: async (env, _, { principal }) =>
    [...(await look(env)).tasks.values()]
      .filter(({ task }) => isTaskOf(principal, task.neo.createdBy))
      .map(viewDelegated)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
})
