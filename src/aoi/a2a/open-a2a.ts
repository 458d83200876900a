/**
 * A server of A2A 1.0 (Agent2Agent) over JSON-RPC, in front of the core that AOI uses too. Who calls is known already: the
 * HTTP listener has checked the signature. Invariant: `answer` never throws; an error that nobody expected says nothing
 * of our insides.
 */
import type { PeerAnswer, PeerIncoming } from '../../ports/peer-port.ts'
import type { AgentCore } from '../agent-core.ts'
import {
  type A2aRequest,
  checkVersion,
  errorText,
  type RpcId,
  readRequest,
  resultText,
  wrongHead,
} from './a2a-envelope.ts'
import { A2A_CODES, A2aError } from './a2a-error.ts'
import { callMethod, type MethodParts } from './a2a-methods.ts'
import { agentCard } from './agent-card.ts'
import { countFollows, FOLLOW_LIMITS, type FollowLimits } from './follow-task.ts'
import { openSentMessages } from './sent-messages.ts'

export interface A2a {
  /** The agent card. `peer`: null for anybody. `baseUrl`: such as `https://host:8443`. */
  card(peer: string | null, baseUrl: string): object
  /** For `POST /a2a/v1` of an authenticated peer. */
  answer(peer: string, incoming: PeerIncoming): Promise<PeerAnswer>
}

export interface A2aOptions {
  readonly limits: FollowLimits
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Such as `https://host:8443`; absent: the address that the peer called. */
  readonly baseUrl?: () => string
}

export function openA2a(
  core: AgentCore,
  { limits, now, baseUrl }: A2aOptions = { limits: FOLLOW_LIMITS, now: Date.now },
): A2a {
  const follows = countFollows(limits.perPeer)
  const own = baseUrl === undefined ? {} : { baseUrl }
  const parts = { core, limits, now, ...own, messages: openSentMessages(), follows }
  return {
    card: (peer, baseUrl) => agentCard(core, peer, baseUrl),
    async answer(peer, incoming) {
      const wrong = wrongHead(incoming)
      if (wrong !== null) return wrong
      let id: RpcId = null
      try {
        const request = readRequest(incoming.body)
        id = request.id
        checkVersion(incoming)
        return await carryOut(parts, { peer, incoming, request })
      } catch (error) {
        return refusal(id, error)
      }
    },
  }
}

const HEADERS = { 'Cache-Control': 'no-store', 'A2A-Version': '1.0' }
const JSON_HEADERS = { ...HEADERS, 'Content-Type': 'application/json' }

async function carryOut(
  parts: MethodParts & Pick<A2aOptions, 'baseUrl'>,
  of: { readonly peer: string; readonly incoming: PeerIncoming; readonly request: A2aRequest },
): Promise<PeerAnswer> {
  const { peer, incoming, request } = of
  const card = (): object => agentCard(parts.core, peer, parts.baseUrl?.() ?? calledUrl(incoming))
  const done = await callMethod(parts, { ...request, peer, signal: incoming.signal, card })
  if (done.kind === 'result')
    return { status: 200, headers: JSON_HEADERS, body: resultText(request.id, done.result) }
  return {
    status: 200,
    headers: { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' },
    body: guarded(request.id, done.events),
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
  if (error instanceof A2aError) return error
  return new A2aError(A2A_CODES.internal, 'Internal error', { reason: 'INTERNAL' })
}

/** The address that the peer called. Plain HTTP is used on loopback only, or behind a proxy with TLS. */
function calledUrl({ headers }: PeerIncoming): string {
  return `https://${headers['host'] ?? 'localhost'}`
}
