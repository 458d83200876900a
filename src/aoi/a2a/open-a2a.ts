/**
 * A server of A2A 1.0 (Agent2Agent) over JSON-RPC, in front of the core that AOI uses too. Who calls is known already: the
 * HTTP listener has checked the signature. Invariant: `answer` never throws; an error that nobody expected says nothing
 * of our insides.
 */
import type { PeerAnswer, PeerIncoming } from '../../ports/peer-port.ts'
import { type AgentCore, overRate } from '../agent-core.ts'
import { checkVersion, errorText, type RpcId, readRequest, resultText } from './a2a-envelope.ts'
import { A2aError, internal, translated } from './a2a-error.ts'
import { type A2aResult, callMethod } from './a2a-methods.ts'
import { countFollows, type FollowLimits } from './follow-task.ts'
import { openSentMessages } from './sent-messages.ts'

export interface A2a {
  /** The agent card. `peer`: null for anybody. */
  card(peer: string | null, incoming: PeerIncoming): object
  /** For `POST /a2a/v1` of an authenticated peer. */
  answer(peer: string, incoming: PeerIncoming): Promise<PeerAnswer>
}

export interface A2aOptions {
  readonly limits: FollowLimits
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Where the caller reaches us, such as `https://host:8443`. */
  readonly baseUrl: (incoming: PeerIncoming) => string
  /** Null: it may go on; else milliseconds until it may. */
  readonly rate: (peer: string) => number | null
}

export function openA2a(core: AgentCore, { limits, now, baseUrl, rate }: A2aOptions): A2a {
  const parts = { core, limits, now, messages: openSentMessages(), follows: countFollows(limits.perPeer) }
  const card: A2a['card'] = (peer, incoming) => agentCard(core, peer, baseUrl(incoming))
  return {
    card,
    async answer(peer, incoming) {
      let id: RpcId = null
      try {
        const waitMs = rate(peer)
        if (waitMs !== null) throw translated(overRate(waitMs))
        const request = readRequest(incoming.body)
        id = request.id
        checkVersion(incoming)
        const call = { ...request, peer, signal: incoming.signal, card: () => card(peer, incoming) }
        return replied(id, await callMethod(parts, call))
      } catch (error) {
        return refusal(id, error)
      }
    },
  }
}

const HEADERS = { 'Cache-Control': 'no-store', 'A2A-Version': '1.0' }
const JSON_HEADERS = { ...HEADERS, 'Content-Type': 'application/json' }

function replied(id: RpcId, done: A2aResult): PeerAnswer {
  if (done.kind === 'result') return { status: 200, headers: JSON_HEADERS, body: resultText(id, done.result) }
  return {
    status: 200,
    headers: { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' },
    body: guarded(id, done.events),
  }
}

/** An error within a stream is its last event. */
async function* guarded(id: RpcId, events: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* events
  } catch (error) {
    yield `data: ${errorText(id, known(error))}\n\n`
  }
}

function refusal(id: RpcId, error: unknown): PeerAnswer {
  const refused = known(error)
  const { status = 200, headers = {} } = refused.details
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: errorText(id, refused) }
}

function known(error: unknown): A2aError {
  return error instanceof A2aError ? error : internal()
}

/** Of the card's content; raise it when skills or modes change. */
const CARD_VERSION = '1.1.0'

/** Who we are and how we are reached; contexts and task types only for peers who may see them. @param peer null: anybody */
function agentCard(core: AgentCore, peer: string | null, baseUrl: string): object {
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
