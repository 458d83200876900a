/** What other agents ask of this one: queries and tasks, and the core that each protocol calls. */
import { decideAccess } from '../../domain/peer/access-rules.ts'
import type { ContextRef } from '../../domain/peer/peer.ts'
import type { Context } from '../../engine/context.ts'
import { peerIn } from '../../engine/people/peer-files.ts'
import type { AgentCore, Answer, Delegated } from '../agent-core.ts'
import { Queries } from './answer-queries.ts'
import { viewOf } from './query-view.ts'
import { wireAnswer, wireTask } from '../aoi-rpc.ts'
import { Tasks } from './delegated-tasks.ts'
import type { Parts } from '../parts.ts'
import type { PeerRequest } from './requests.ts'
import { canWord, wordAnswer } from './word-answer.ts'

export interface Desk {
  readonly core: AgentCore
  readonly queries: Queries
  readonly tasks: Tasks
}

export function openDesk(parts: Parts): Desk {
  const { context, hub, requests, queue, news, notifications, mustBe, peer } = parts
  const { clock } = context.world
  const tell = (request: PeerRequest, event: string, data: Readonly<Record<string, unknown>>) => {
    const { agentId, requestId: relatedQueryId } = request
    // Clients of A2A follow their tasks themselves.
    if (relatedQueryId.startsWith('a2a:')) return
    notifications.put({ agentId, event, relatedQueryId, data, at: clock.now() })
  }
  const changed = (request: PeerRequest) => {
    news.tell(request.agentId)
    parts.changed()
  }
  const queries = new Queries({
    ...{ hub, clock, requests, queue, changed },
    config: mustBe,
    isKnown: (id) => peer(id) !== null,
    timezone: () => context.look.config().timezone,
    mostOf: (id) => peer(id)?.maxConcurrentQueries ?? mustBe().maxQueries,
    canWord: () => canWord(context),
    word: (query, gathered, signal) => wordAnswer(context, { query, gathered, signal }),
    ended: (request) => tell(request, 'query.completed', queryData(request, viewOf(request))),
  })
  const ended = (request: PeerRequest, task: Delegated) =>
    tell(request, 'task.completed', { ...wireTask(task), query_id: request.id })
  const change = (agentId: string, ms: number) => news.wait(agentId, ms)
  const tasks = new Tasks({ hub, clock, requests, changed, change, ended })
  return { core: coreOf(parts, queries, tasks), queries, tasks }
}

function coreOf({ context, mustBe, requests, news }: Parts, queries: Queries, tasks: Tasks): AgentCore {
  return {
    self(id) {
      const { role, owner, id: self, contexts } = mustBe()
      return {
        ...{ id: self, role, owner },
        ...shownTo(context, id, contexts),
      }
    },
    query: (id, requestId, params) => queries.ask(id, requestId, params),
    async answer(id, queryId) {
      const request = requests.get(queryId)
      return request?.agentId === id && request.kind === 'query' ? viewOf(request) : null
    },
    execute: (id, requestId, params) => tasks.execute(id, requestId, params),
    task: (id, taskId) => tasks.get(id, taskId),
    tasks: (id) => tasks.all(id),
    cancel: (id, taskId) => tasks.cancel(id, taskId),
    cancelRequest: (id, requestId) => tasks.cancelRequest(id, requestId),
    watch: (id, told) => news.watch(id, told),
  }
}

function queryData(request: PeerRequest, answer: Answer): Readonly<Record<string, unknown>> {
  if (answer.refused === undefined) return { query_id: request.id, result: wireAnswer(answer) }
  const data = { reason: answer.refused }
  return { query_id: request.id, error: { code: -32001, message: 'Permission denied', data } }
}

interface Shown {
  readonly contexts: readonly ContextRef[]
  readonly taskTypes: readonly string[]
}

/**
 * What the card of this home shows an agent: the contexts and task types that the access rules give it, and no others.
 * @param agentId null: somebody unknown
 */
function shownTo(context: Context, agentId: string | null, own: readonly ContextRef[]): Shown {
  const peer = agentId === null ? null : peerIn(context, agentId)
  if (peer === null || peer.revoked) return { contexts: [], taskTypes: [] }
  const { access } = context.look.config()
  const now = context.world.clock.now()
  const decided = (ref: ContextRef, wants: 'read' | 'write') =>
    decideAccess({ agentId: peer.id, role: peer.role, scope: [ref], wants, access, now })
  const seen = own.filter((ref) => {
    const { allowed, audited } = decided(ref, 'read')
    return allowed && !audited
  })
  const types = own.flatMap((ref) => {
    const { allowed, tasks } = decided(ref, 'write')
    return allowed ? tasks : []
  })
  return {
    contexts: seen.map(({ type, identifier }) => ({ type, identifier })),
    taskTypes: [...new Set(types)].toSorted(),
  }
}
