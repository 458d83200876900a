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
import { agentCard } from './agent-card.ts'
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
