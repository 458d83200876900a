/**
 * The agent protocol as JSON-RPC 2.0: messages of an authenticated agent, to the core and back. Invariant 1: `from` is the
 * agent that has signed the request, whatever the message says. Invariant 2: each request counts against its agent's rate,
 * those of a batch too.
 */
import { z } from 'zod'
import { CONTEXT_TYPES, type ContextRef, PEER_PRIORITIES } from '../domain/peer/peer.ts'
import { answerTo, rpcErrorOf, type RpcError } from '../servers/shared/json-rpc.ts'
import { HubError } from '../hub/hub.ts'
import {
  type AgentCore,
  AgentRefusal,
  type Answer,
  AOI_CODES,
  type Delegated,
  overRate,
} from './agent-core.ts'
import { refusalOf } from './desk/refusals.ts'

export interface RpcDeps {
  readonly core: AgentCore
  self(): string
  /** Null: it may go on; else milliseconds until it may. */
  rate(agentId: string): number | null
  discover(agentId: string): Promise<unknown>
  notified(agentId: string, notice: Notice): void
}

export interface Notice {
  readonly event: string
  readonly relatedQueryId: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const context = z.object({ type: z.enum(CONTEXT_TYPES), identifier: z.string().min(1).max(512) })
const scope = z.array(context).min(1, 'name at least one context').max(20)
const from = z.string().max(64)
const plainData = z.record(z.string(), z.unknown())

/** Ids are kept. */
const LONGEST_ID = 200

const PARAMS = {
  'aoi.discover': z.object({
    agent_id: from,
    capabilities: z.unknown().optional(),
    announce: z.boolean().optional(),
  }),
  'aoi.query': z.object({
    from,
    to: from,
    query: z.string().trim().min(1).max(4_000),
    context_scope: scope,
    priority: z.enum(PEER_PRIORITIES).optional(),
    async: z.boolean().optional(),
    timeout: z.number().min(1).max(300).optional(),
  }),
  'aoi.task.execute': z.object({
    from,
    to: from,
    task_type: z.string().regex(/^[A-Za-z0-9][\w-]{0,79}$/, 'want the name of a task type'),
    task_params: z
      .record(z.string().max(100), z.union([z.string().max(20_000), z.number(), z.boolean()]))
      .optional(),
    context_scope: scope,
    async: z.boolean().optional(),
  }),
  /** With the id of the task, or of the request if its answer was lost. */
  'aoi.task.cancel': z.union([
    z.object({ from, to: from, task_id: z.string().min(1).max(100) }),
    z.object({ from, to: from, request_id: z.string().min(1).max(LONGEST_ID) }),
  ]),
  'aoi.notify': z.object({
    from,
    to: from,
    event: z.string().min(1).max(100),
    related_query_id: z.string().max(200).optional(),
    data: plainData.optional(),
    timestamp: z.string().max(40).optional(),
  }),
} as const

type Name = keyof typeof PARAMS
type Given<N extends Name> = z.output<(typeof PARAMS)[N]>

const DEFAULT_TIMEOUT_S = 30

/** The answer's text; null if nothing is answered. Never throws. */
export async function answerAoi(deps: RpcDeps, agentId: string, text: string): Promise<string | null> {
  const carry = (method: string, params: unknown, id: string) => call(deps, { agentId, method, params, id })
  return (await answerTo(text, carry, errorOf)).text
}

function errorOf(error: unknown): RpcError {
  if (!(error instanceof AgentRefusal) && !(error instanceof HubError)) return rpcErrorOf(error)
  const { code, message, data } = refusalOf(error, { permission: 'read', scope: [] })
  return { code, message, ...(data === undefined ? {} : { data }) }
}

interface Called {
  readonly agentId: string
  readonly method: string
  readonly params: unknown
  /** The caller's id of the request, as text. */
  readonly id: string
}

async function call(deps: RpcDeps, { agentId, method, params, id }: Called): Promise<unknown> {
  if (id.length > LONGEST_ID)
    throw new AgentRefusal(AOI_CODES.params, `The id is longer than ${LONGEST_ID} characters`)
  const waitMs = deps.rate(agentId)
  if (waitMs !== null) throw overRate(waitMs)
  switch (method) {
    case 'aoi.discover': {
      const given = checked('aoi.discover', params)
      sentBy(agentId, given.agent_id)
      return await deps.discover(agentId)
    }
    case 'aoi.query':
      return await query(deps, agentId, { id, given: addressed(deps, agentId, checked('aoi.query', params)) })
    case 'aoi.task.execute':
      return await execute(deps, agentId, {
        id,
        given: addressed(deps, agentId, checked('aoi.task.execute', params)),
      })
    case 'aoi.task.cancel': {
      const of = addressed(deps, agentId, checked('aoi.task.cancel', params))
      const { core } = deps
      const cancelled = await ('task_id' in of
        ? core.cancel(agentId, of.task_id)
        : core.cancelRequest(agentId, of.request_id))
      if (cancelled === null)
        throw new AgentRefusal(AOI_CODES.params, 'No task of yours that has not ended has this id')
      return wireTask(cancelled)
    }
    case 'aoi.notify': {
      const {
        event,
        related_query_id: related,
        data = {},
      } = addressed(deps, agentId, checked('aoi.notify', params))
      deps.notified(agentId, { event, relatedQueryId: related ?? null, data })
      return {}
    }
    default:
      throw new AgentRefusal(-32601, `Unknown method "${method.slice(0, 100)}"`)
  }
}

async function query(
  deps: RpcDeps,
  agentId: string,
  { id, given }: { readonly id: string; readonly given: Given<'aoi.query'> },
) {
  const answer = await deps.core.query(agentId, id, {
    query: given.query,
    scope: given.context_scope,
    priority: given.priority ?? 'normal',
    isAsync: given.async ?? false,
    timeoutS: given.timeout ?? DEFAULT_TIMEOUT_S,
  })
  if (answer.refused !== undefined) throw refused(answer.refused, given.context_scope)
  return wireAnswer(answer)
}

function refused(reason: string, requested: readonly ContextRef[]): AgentRefusal {
  return new AgentRefusal(AOI_CODES.denied, 'Permission denied', {
    reason,
    required_permission: 'read',
    requested_scope: requested,
  })
}

export function wireAnswer({ queryId, completed, summary, progress, blockers, refs }: Answer) {
  return {
    summary,
    ...(progress === undefined ? {} : { progress }),
    ...(blockers === undefined ? {} : { blockers }),
    context_refs: refs,
    metadata: { query_id: queryId },
    completed,
  }
}

async function execute(
  deps: RpcDeps,
  agentId: string,
  { id, given }: { readonly id: string; readonly given: Given<'aoi.task.execute'> },
) {
  return wireTask(
    await deps.core.execute(agentId, id, {
      taskType: given.task_type,
      taskParams: given.task_params ?? {},
      scope: given.context_scope,
      isAsync: given.async ?? false,
    }),
  )
}

export function wireTask({ taskId, status, state, output, error }: Delegated) {
  return {
    task_id: taskId,
    status,
    message: state,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  }
}

function addressed<T extends { readonly from: string; readonly to: string }>(
  deps: RpcDeps,
  agentId: string,
  given: T,
): T {
  sentBy(agentId, given.from)
  const self = deps.self()
  if (given.to !== self)
    throw new AgentRefusal(AOI_CODES.agent, 'Agent not found', {
      requested_agent: given.to,
      suggestion: self,
    })
  return given
}

function sentBy(agentId: string, said: string): void {
  if (said === agentId) return
  throw new AgentRefusal(AOI_CODES.denied, 'Permission denied', {
    reason: 'the request names another agent than the one that has signed it',
    required_permission: 'read',
    requested_scope: [],
  })
}

function checked<N extends Name>(name: N, params: unknown): Given<N> {
  const read = PARAMS[name].safeParse(params ?? {})
  if (read.success) return read.data as Given<N>
  const issues = read.error.issues
    .slice(0, 10)
    .map(({ path, message }) => ({ path: path.map(String), message }))
  const [first] = issues
  const where = first === undefined || first.path.length === 0 ? 'parameters' : first.path.join('.')
  throw new AgentRefusal(AOI_CODES.params, `Invalid ${where}: ${first?.message ?? ''}`, { issues })
}
