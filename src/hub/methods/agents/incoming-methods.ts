/**
 * aoi.*: what agents of other homes ask of this one. The caller is the agent whose key has signed the request. Invariant 1:
 * the access rules decide before anything is looked up, so that a refusal says the same whether it exists or not.
 */
import { z } from 'zod'
import { type ContextRef, PEER_PRIORITIES } from '../../../domain/peer/peer.ts'
import { peersIn } from '../../../engine/people/peer-files.ts'
import { look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { peersOf } from './agent-methods.ts'
import { agentId, contextScope, endpointOf, queryText, reference } from './agent-shapes.ts'
import { aboutScope, maySee, ownOf, readerOf, ruleFor } from './asked-contexts.ts'
import { factsAbout } from './scoped-facts.ts'

const text = z.string()

const queryParams = z.strictObject({
  query: queryText.describe('The question'),
  contextScope,
  facts: z.boolean().optional().describe('Gather facts for a model too. Default: yes'),
})

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
    facts: z.array(text).describe('What a model may word the answer from'),
    roomId: text,
    auto: z.boolean().describe('The rule lets answers go out without approval'),
    priority: z.enum(PEER_PRIORITIES).describe('The highest priority that the rule allows'),
  }),
  act: 'peer-read',
  resource: aboutScope,
  run: async (env, { query, contextScope: scope, facts: isFull = true }, { principal }) => {
    const snapshot = await look(env)
    const contexts = ownOf(snapshot, scope)
    const { auto, priority } = ruleFor(env, snapshot, { principal, scope, wants: 'read' })
    const mayRead = readerOf(env, snapshot, principal)
    const facts = await factsAbout(env, snapshot, { query, contexts, mayRead, isFull })
    return { ...facts, roomId: contexts[0]?.own.room ?? '', auto, priority }
  },
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
  resource: aboutHome,
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
      endpoint: endpointOf(agent),
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
