/**
 * Answers that come later: by a notification, and for a home that others can't reach, by asking again. Invariant 1: the
 * same id never makes a second question. Invariant 2: an answer is told once.
 */
import type { Peer } from '../../domain/peer/peer.ts'
import { maskSecrets } from '../../domain/secrets/distill-secrets.ts'
import { HubError } from '../../hub/hub.ts'
import type { AnswerView } from '../../hub/peer-control.ts'
import { putMessage } from '../../engine/effects/wake-orchestrator.ts'
import { notify } from '../../engine/people/notices.ts'
import { AOI_CODES } from '../agent-core.ts'
import type { Parts } from '../parts.ts'
import type { OwnQuery } from './own-queries.ts'
import { brief } from './wire-answers.ts'

interface Refusal {
  readonly code?: unknown
  readonly reason?: string
}

/** Far below the rate that others allow. */
const MOST_A_BEAT = 5
const TIMEOUT_S = 15
/** Of an answer, in a message to Neo. */
const MOST_LETTERS = 8_000

/** Told at each heartbeat of an agent. */
export function laterAnswers(parts: Parts): (peer: Peer) => Promise<void> {
  let turn = 0
  return async (peer) => {
    const open = parts.own.open(peer.id)
    const from = (turn++ * MOST_A_BEAT) % Math.max(1, open.length)
    const due = [...open.slice(from), ...open.slice(0, from)].slice(0, MOST_A_BEAT)
    for (const question of due) await askAgain(parts, peer, question)
  }
}

async function askAgain({ context, own, outgoing, changed }: Parts, peer: Peer, of: OwnQuery): Promise<void> {
  const { id, query, scope } = of
  const again = {
    requestId: id,
    query,
    scope,
    priority: 'normal',
    isAsync: true,
    timeoutS: TIMEOUT_S,
  } as const
  let answer: AnswerView | null = null
  try {
    answer = await outgoing.query(peer, again)
    if (!answer.completed || !own.replied(id, answer)) return
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const { code, reason = null } = (error.data ?? {}) as Refusal
    // Busy, a limit of the rate and a lost connection pass.
    if (code !== AOI_CODES.denied || !own.refused(id, reason)) return
  }
  changed()
  tellAnswer(context, of, answer)
}

/** To the Neo that asked, as a message to its room; else to people. @param answer null: it was refused */
export function tellAnswer(
  context: Parts['context'],
  { id, agentId, query, room = null }: Pick<OwnQuery, 'id' | 'agentId' | 'query' | 'room'>,
  answer: AnswerView | null,
): void {
  const of = `${agentId} answered "${query}"`
  if (room !== null && context.look.tree().has(`rooms/${room}/ROOM.md`)) {
    const content = `${of}: ${answer?.summary.slice(0, MOST_LETTERS) ?? 'it refused to answer'}`
    putMessage(context, { room, content: maskSecrets(content).text, from: `peer:${agentId}` })
    return
  }
  const text = `${of}: ${answer === null ? 'it refused to answer' : brief(answer.summary)}`
  notify(context, { key: `agent:${agentId}:${id}`, kind: 'words', text, room: 'lobby' })
}
