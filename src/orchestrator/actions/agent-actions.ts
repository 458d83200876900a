/** The action that asks an agent of another home. Invariant 1: what it answers is marked as data. */
import { z } from 'zod'
import { wrapped } from '../../domain/agent/neo-data.ts'
import { contextNamed } from '../../domain/peer/peer.ts'
import { agentQuery } from '../../hub/methods/agents/agent-calls.ts'
import { action, fieldOf, needs } from './action.ts'

const { agentId, query } = agentQuery.params.shape

export const askAgent = action({
  name: 'ask_agent',
  who: 'all',
  where: 'room',
  doc: 'Ask the agent of another home about shared work: how far it is, what blocks it. A person here may have to approve the question first. An answer that is not there at once comes later, as a message: end the turn. To hand over work, create a task with the worker peer:ID instead.',
  input: {
    agent_id: needs(agentId, 'Its id; a wrong one is answered with the ids that there are'),
    query: needs(query, 'One question that makes sense on its own, and says nothing private'),
    context: z
      .string()
      .optional()
      .describe(
        'The shared work, such as repository:acme/shop or issue:acme/shop#12; default: that of the room',
      ),
  },
  aliases: {
    agent: 'agent_id',
    question: 'query',
    content: 'query',
    text: 'query',
    context_scope: 'context',
  },
  step: async ({ agent_id: id, query: question, context }, { contexts }) => {
    const scope = context === undefined ? contexts.slice(0, 1) : [contextNamed(context)]
    if (scope.length === 0)
      return { kind: 'answer', text: 'Not done: this room has no context; name one', isError: true }
    return {
      kind: 'call',
      method: 'agent.query',
      params: { agentId: id, query: question, contextScope: scope.map((one) => ({ ...one })) },
      tell: (answer) => answerText(id, answer),
    }
  },
})

function answerText(id: string, answer: unknown): string {
  const { completed } = (answer ?? {}) as { readonly completed?: unknown }
  const said = wrapped('data', { from: `peer:${id}` }, fieldOf(answer, 'summary'))
  return completed === true ? said : `Asked; the answer comes later, as a message. Until then:\n${said}`
}
