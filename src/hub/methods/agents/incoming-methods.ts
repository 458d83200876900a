/**
 * aoi.*: what agents of other homes ask of this one. The caller is the agent whose key has signed the request. Invariant 1:
 * the access rules decide before anything is looked up, so that a refusal says the same whether it exists or not.
 * Invariant 2: a task comes from a template that a person wrote; values of the peer reach its steps as environment alone.
 */
import { z } from 'zod'
import { decideAccess } from '../../../domain/peer/access-rules.ts'
import { normalContext, roomOf } from '../../../domain/peer/contexts.ts'
import { type ContextRef, type OwnContext, PEER_PRIORITIES } from '../../../domain/peer/peer.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import type { Snapshot, TaskFile } from '../../../domain/plan/snapshot.ts'
import { peersIn } from '../../../engine/people/peer-files.ts'
import { type HubEnv, look, method } from '../../env.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { missing } from '../../views/find-in-home.ts'
import { createFromTemplate } from '../template-methods.ts'
import { peersOf } from './agent-methods.ts'
import { agentId, contextScope, delegatedView, queryText, reference, taskType } from './agent-shapes.ts'
import { type Asked, factsAbout } from './scoped-facts.ts'

const text = z.string()

/** Each as it is compared. Throws HubError `params`. */
function contextsOf(scope: readonly ContextRef[]): readonly ContextRef[] {
  return scope.map((ref, at) => {
    const context = normalContext(ref)
    if ('wrong' in context) throw badParams(['contextScope', at], context.wrong)
    return context
  })
}

function ownOf(snapshot: Snapshot, scope: readonly ContextRef[]): Asked['contexts'] {
  const contexts = snapshot.config.agent?.contexts ?? []
  return contextsOf(scope).map((asked) => {
    const own = roomOf(contexts, asked)
    if (own === null || snapshot.rooms.get(own.room)?.room.status === 'archived')
      throw new HubError(HUB_CODES.missing, 'Context not found', { contexts: [asked.identifier] })
    return { asked, own }
  })
}

/** The room whose people decide; null if the context is nobody's. */
function firstRoom(snapshot: Snapshot, scope: readonly ContextRef[]): string | null {
  const contexts: readonly OwnContext[] = snapshot.config.agent?.contexts ?? []
  return contextsOf(scope).map((asked) => roomOf(contexts, asked)?.room ?? null)[0] ?? null
}

const aboutScope = async (
  env: HubEnv,
  { contextScope: scope }: { readonly contextScope: readonly ContextRef[] },
) => ({
  room: firstRoom(await look(env), scope),
  contexts: contextsOf(scope),
})

/** What the deciding rule says besides the permission; the owner of the home has no limits. */
function ruleFor(
  env: HubEnv,
  snapshot: Snapshot,
  of: {
    readonly principal: Principal
    readonly scope: readonly ContextRef[]
    readonly wants: 'read' | 'write'
  },
) {
  const { principal, scope, wants } = of
  if (principal.kind !== 'peer') return { auto: true, priority: 'high' as const, tasks: null }
  const role = peersIn(env.context).find(({ id }) => id === principal.id)?.role
  const { access } = snapshot.config
  const now = env.context.world.clock.now()
  return decideAccess({ agentId: principal.id, role, scope: contextsOf(scope), wants, access, now })
}

const queryParams = z.strictObject({ query: queryText.describe('The question'), contextScope })

export const aoiQuery = method({
  name: 'aoi.query',
  summary: 'Gather what a query may be answered from',
  details:
    'For agents of other homes: tasks, memories, commits and files of the contexts that the access rules let them read. Call it yourself to see what such an answer says.',
  params: queryParams,
  result: z.strictObject({
    summary: text.describe('The answer without a model'),
    progress: z.number().optional(),
    blockers: z.array(text),
    contextRefs: z.array(reference),
    facts: z.array(text),
    roomId: text,
    auto: z.boolean().describe('The rule lets answers go out without approval'),
    priority: z.enum(PEER_PRIORITIES).describe('The highest priority that the rule allows'),
  }),
  act: 'peer-read',
  resource: aboutScope,
  run: async (env, { query, contextScope: scope }, { principal }) => {
    const snapshot = await look(env)
    const contexts = ownOf(snapshot, scope)
    const { auto, priority } = ruleFor(env, snapshot, { principal, scope, wants: 'read' })
    const facts = await factsAbout(env, snapshot, { query, contexts })
    return { ...facts, roomId: contexts[0]?.own.room ?? '', auto, priority }
  },
})

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
    ...(ended === 'completed' ? { output: neo.result ?? '' } : {}),
    ...(ended === 'failed' ? { error: neo.error ?? status } : {}),
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
  resource: async () => ({ room: null }),
  run: async (env, _, { principal }) =>
    [...(await look(env)).tasks.values()]
      .filter(({ task }) => isTaskOf(principal, task.neo.createdBy))
      .map(viewDelegated)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)),
})

const found = z.strictObject({
  id: text,
  role: text.nullable(),
  owner: text.nullable(),
  endpoint: text.nullable(),
  contexts: z.array(z.strictObject({ type: text, identifier: text })),
})

export const aoiDiscover = method({
  name: 'aoi.discover',
  summary: 'List agents for another agent',
  details: 'This home, and others that share a context with it that the caller may read.',
  params: z.strictObject({}),
  result: z.array(found),
  act: 'peer-hello',
  resource: async () => ({ room: null }),
  run: async (env, _, { principal }) => {
    const snapshot = await look(env)
    const { agent } = snapshot.config
    if (agent === null) return []
    const seen = (context: ContextRef) => maySee(env, snapshot, { principal, context })
    const plain = ({ type, identifier }: ContextRef) => ({ type, identifier })
    const own = {
      id: agent.id,
      role: agent.role,
      owner: agent.owner,
      endpoint: agent.endpoint ?? `https://${agent.host}:${agent.port}`,
      contexts: agent.contexts.filter(seen).map(plain),
    }
    const others = peersIn(env.context)
      .filter(({ id, revoked }) => !revoked && !(principal.kind === 'peer' && principal.id === id))
      .map(({ id, role = null, owner = null, endpoint = null, contexts }) => ({
        ...{ id, role, owner, endpoint },
        contexts: contexts.filter(seen).map(plain),
      }))
      .filter(({ contexts }) => contexts.length > 0)
    return [own, ...others]
  },
})

function maySee(
  env: HubEnv,
  snapshot: Snapshot,
  { principal, context }: { readonly principal: Principal; readonly context: ContextRef },
): boolean {
  if (principal.kind !== 'peer') return true
  const role = peersIn(env.context).find(({ id }) => id === principal.id)?.role
  const { access } = snapshot.config
  const now = env.context.world.clock.now()
  const decided = decideAccess({ agentId: principal.id, role, scope: [context], wants: 'read', access, now })
  return decided.allowed && !decided.audited
}

export const aoiAnswer = method({
  name: 'aoi.answer',
  summary: 'Send an answer to another agent',
  details: 'A person approves it first: exactly this text goes out.',
  params: z.strictObject({
    queryId: text.describe('The request, as in `agent.requests`'),
    agentId,
    query: text.describe('What was asked'),
    summary: text.describe('The answer'),
    progress: z.number().optional().describe('Percent of the tasks that are completed'),
    blockers: z.array(text).optional().describe('What is in the way'),
    contextRefs: z.array(reference).describe('What it is based on'),
  }),
  result: z.null(),
  act: 'answer-peer',
  resource: async (_env, _params, principal) => ({ room: principal.kind === 'neo' ? principal.room : null }),
  run: async (env, { query: _, ...answer }) => {
    ;(await peersOf(env)).approved(answer)
    return null
  },
})
