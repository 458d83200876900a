/** The agent card: who we are and how we are reached. Contexts and task types only for peers who may see them. */
import type { AgentCore } from '../agent-core.ts'

/** Of the card's content; raise it when skills or modes change. */
const CARD_VERSION = '1.1.0'

/** @param peer null: anybody */
export function agentCard(core: AgentCore, peer: string | null, baseUrl: string): object {
  const self = core.self(peer)
  const places = self.contexts.map(({ identifier }) => identifier)
  return {
    name: self.id,
    description: `Agent of ${self.owner} (${self.role}). Answers questions about shared work, and does delegated tasks.`,
    version: CARD_VERSION,
    supportedInterfaces: [
      {
        url: `${baseUrl.replace(/\/+$/, '')}/a2a/v1`,
        protocolBinding: 'JSONRPC',
        protocolVersion: '1.0',
      },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    securitySchemes: {
      signature: { httpAuthSecurityScheme: { scheme: 'Signature', description: SIGNATURE } },
      token: { httpAuthSecurityScheme: { scheme: 'Bearer', description: TOKEN } },
    },
    // Either of them.
    securityRequirements: [{ schemes: { signature: { list: [] } } }, { schemes: { token: { list: [] } } }],
    skills: [
      {
        id: 'query',
        name: 'Answer a question',
        description: `Send a text part. ${SCOPE}${places.length === 0 ? '' : ` Contexts: ${places.join(', ')}.`}`,
        tags: ['query', self.role],
        examples: ['What is the state of the login page?'],
        inputModes: ['text/plain'],
      },
      ...self.taskTypes.map(taskSkill),
    ],
  }
}

const SIGNATURE =
  'Each request is signed with the key of a known agent: HTTP message signatures (RFC 9421), ecdsa-p256-sha256.'
const TOKEN = 'A token that the owner of this agent has made for a client that cannot sign.'
const SCOPE = 'Name the work in the metadata of the message: context_scope, a list of {type, identifier}.'

function taskSkill(taskType: string): object {
  return {
    id: `task-${taskType}`,
    name: `Task: ${taskType}`,
    description: `Send a data part {"task_type": "${taskType}", "task_params": {…}}. ${SCOPE}`,
    tags: ['task'],
    inputModes: ['application/json'],
  }
}
