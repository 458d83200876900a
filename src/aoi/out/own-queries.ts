/**
 * What this home has asked other agents, and what they have answered. Invariant 1: an answer counts only if its agent was
 * asked, and once. Invariant 2: what is kept of an answer is bounded, since it is text of somebody else.
 */
import { join } from 'node:path'
import type { ContextRef, Peer } from '../../domain/peer/peer.ts'
import { contextText } from '../../hub/methods/agents/agent-shapes.ts'
import type { AnswerView, AskedView, PeerQuery } from '../../hub/peer-control.ts'
import type { LogFiles } from '../../store/keyed-log.ts'
import { openRecords, type RecordLog } from '../../store/record-log.ts'
import type { Notice } from '../aoi-rpc.ts'
import { answerIn, brief, refusalIn } from './wire-answers.ts'

export interface OwnQuery {
  /** The id of the request; the other agent names it in its notification. */
  readonly id: string
  readonly agentId: string
  readonly query: string
  readonly scope: readonly ContextRef[]
  readonly status: AskedView['status']
  /** ISO 8601 UTC. */
  readonly at: string
  readonly answeredAt: string | null
  readonly answer: AnswerView | null
  /** The reason for a missing answer. */
  readonly why: string | null
  /** Whose Neo asked; absent or null: somebody else. */
  readonly room?: string | null
}

const MOST = 500
const MOST_LETTERS = 20_000
const MOST_REFS = 50
const MOST_BLOCKERS = 50

export class OwnQueries {
  private readonly records: RecordLog<OwnQuery>
  /** On their way: the first reply is to come. */
  private readonly asking = new Set<string>()

  /** @param now epoch ms */
  constructor(
    files: LogFiles,
    dir: string,
    private readonly now: () => number,
  ) {
    const hasEnded = ({ status }: OwnQuery) => status !== 'waiting'
    this.records = openRecords(files, join(dir, 'agent', 'asked.jsonl'), { most: MOST, hasEnded })
  }

  /** Newest first. */
  all(most: number): readonly AskedView[] {
    return this.records.all().toReversed().slice(0, most).map(viewAsked)
  }

  /** Of this agent, those whose answer is to come. */
  open(agentId: string): readonly OwnQuery[] {
    return this.waiting().filter((one) => one.agentId === agentId && !this.asking.has(one.id))
  }

  put(
    agentId: string,
    id: string,
    { query, scope, room = null }: Pick<PeerQuery, 'query' | 'scope' | 'room'>,
  ): void {
    const [oldest, ...more] = this.waiting()
    if (oldest !== undefined && more.length >= MOST) this.remove(oldest.id)
    const nothing = { answeredAt: null, answer: null, why: null }
    this.records.set({ id, agentId, query, scope, room, status: 'waiting', at: this.time(), ...nothing })
    this.asking.add(id)
  }

  /** True if it was waited for. Without an answer yet: what is said instead. */
  replied(id: string, answer: AnswerView): boolean {
    this.asking.delete(id)
    const found = this.records.get(id)
    if (found?.status !== 'waiting') return false
    if (answer.completed) this.set(found, { status: 'answered', answer: bounded(answer), why: null })
    else this.records.set({ ...found, why: brief(answer.summary) })
    return true
  }

  refused(id: string, why: string | null): boolean {
    const found = this.records.get(id)
    if (found?.status !== 'waiting') return false
    this.set(found, { status: 'refused', why })
    return true
  }

  /** It was not asked. */
  remove(id: string): void {
    this.asking.delete(id)
    this.records.remove(id)
  }

  /** Null if nobody waits for it. */
  notified(agentId: string, { event, relatedQueryId, data }: Notice): OwnQuery | null {
    const id = relatedQueryId ?? ''
    if (event !== 'query.completed' || this.records.get(id)?.agentId !== agentId) return null
    const answer = answerIn(data, id)
    if (answer?.completed === false) return null
    const isNews = answer === null ? this.refused(id, refusalIn(data)) : this.replied(id, answer)
    return isNews ? this.records.get(id) : null
  }

  /** The agent answers no more. */
  end(agentId: string, why: string): void {
    for (const one of this.waiting()) if (one.agentId === agentId) this.set(one, { status: 'ended', why })
  }

  private waiting(): readonly OwnQuery[] {
    return this.records.all().filter(({ status }) => status === 'waiting')
  }

  private set(of: OwnQuery, how: Partial<OwnQuery>): void {
    this.records.set({ ...of, answeredAt: this.time(), ...how })
  }

  private time(): string {
    return new Date(this.now()).toISOString()
  }
}

interface Asking {
  readonly to: Peer
  readonly of: PeerQuery
  readonly id: string
  readonly send: (of: PeerQuery & { readonly requestId: string }) => Promise<AnswerView>
}

/** The question is kept before it is sent: the answer may be faster than the reply. */
export async function askKept(own: OwnQueries, { to, of, id, send }: Asking): Promise<AnswerView> {
  own.put(to.id, id, of)
  try {
    const answer = await send({ ...of, requestId: id })
    own.replied(id, answer)
    return answer
  } catch (error) {
    own.remove(id)
    throw error
  }
}

function bounded({ summary, contextRefs, blockers, ...answer }: AnswerView): AnswerView {
  return {
    ...answer,
    summary: summary.slice(0, MOST_LETTERS),
    ...(blockers === undefined ? {} : { blockers: blockers.slice(0, MOST_BLOCKERS).map(brief) }),
    contextRefs: contextRefs.slice(0, MOST_REFS).map(({ summary: about, ...one }) => ({
      ...one,
      ...(about === undefined ? {} : { summary: brief(about) }),
    })),
  }
}

function viewAsked({ scope, room: _, ...query }: OwnQuery): AskedView {
  return { ...query, scope: scope.map(contextText) }
}
