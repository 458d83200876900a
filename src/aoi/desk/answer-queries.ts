/**
 * Queries of agents of other homes, from the request to the answer: gathered by the hub under the access rules, worded by a
 * model if there is one, held back in focus hours, approved by a person unless a rule says otherwise. Invariants: 1. nothing
 * is answered that the rules don't allow at that moment; 2. what a person approved is what goes out; 3. a query that is
 * interrupted by a restart is answered after it; 4. a caller that sends its request again, because the answer was lost, gets
 * the same answer; AGAIN_MS after it was given, the same words are a new question.
 */
import type { AgentConfig, ContextRef } from '../../domain/peer/peer.ts'
import { confidenceOf, mayAnswerUnasked, whenToAnswer } from '../../domain/peer/secretary.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { HubError, type Hub } from '../../hub/hub.ts'
import type { ApprovedAnswer } from '../../hub/peer-control.ts'
import type { Clock } from '../../ports/world.ts'
import { AgentRefusal, type Answer, AOI_CODES, type QueryParams } from '../agent-core.ts'
import type { FairQueue } from './fair-queue.ts'
import { askIn, busy, orTimeout, viewOf } from './query-view.ts'
import { refusalOf } from './refusals.ts'
import { hasEnded, idOf, MOST_OPEN, type PeerRequest, type Requests } from './requests.ts'

export type Gathered = ResultOf<'aoi.query'>

export interface Worded {
  readonly summary: string
  /** Numbers of the references that it uses; others don't exist. */
  readonly refs: readonly { readonly exists: boolean; readonly at: number }[]
}

export interface QueryDeps {
  readonly hub: Pick<Hub, 'call'>
  readonly clock: Clock
  readonly requests: Requests
  readonly queue: FairQueue
  config(): AgentConfig
  /** Hour of the day of the home. */
  timezone(): string
  /** It has a file and is not revoked. */
  isKnown(agentId: string): boolean
  /** Of its file; the home's own limit if it says none. */
  mostOf(agentId: string): number
  /** There is a model, which needs facts. */
  canWord(): boolean
  /** Null without a model, or without a budget for it. */
  word(query: string, gathered: Gathered, signal: AbortSignal): Promise<Worded | null>
  /** Told whenever a request has changed. */
  changed(request: PeerRequest): void
  /** A notification goes to the agent. */
  ended(request: PeerRequest): void
}

/** Queries of one agent that wait for a person: each is a notice. */
const MOST_WAITING = 10
/** Characters of a question in an approval request. */
const MOST_SHOWN = 2_000
const AGAIN_MS = 10 * 60_000

/** A request that is made: what it asks, and the id that follows from it. */
interface Made {
  readonly id: string
  readonly agentId: string
  readonly requestId: string
  readonly params: QueryParams
}

export class Queries {
  private readonly abort = new AbortController()
  /** Requests that came and are not on record yet. */
  private readonly running = new Set<string>()
  /** What ends the wait of a buffered query. */
  private readonly buffered = new Map<string, () => void>()

  constructor(private readonly deps: QueryDeps) {}

  async ask(agentId: string, requestId: string, params: QueryParams): Promise<Answer> {
    const { requests } = this.deps
    const id = idOf({ kind: 'query', agentId, requestId }, [params.query, params.scope])
    const known = this.given(requests.get(id))
    if (known !== null) return viewOf(known)
    const open = requests.open().filter((one) => one.agentId === agentId)
    const waiting = open.filter(({ status }) => status === 'waiting')
    if (open.length >= MOST_OPEN || waiting.length >= MOST_WAITING) throw busy()
    if (this.running.has(id)) throw busy()
    this.running.add(id)
    const most = this.deps.mostOf(agentId)
    const run = this.deps.queue.run(agentId, most, () => this.first({ id, agentId, requestId, params }))
    if (run === null) {
      this.running.delete(id)
      throw busy()
    }
    const work = run.finally(() => this.running.delete(id))
    return await orTimeout(this.deps.clock, work, { queryId: id, timeoutS: params.timeoutS })
  }

  /** Null if it is to be answered again (invariant 4). */
  private given(known: PeerRequest | null): PeerRequest | null {
    if (known === null || !hasEnded(known)) return known
    const { clock, requests } = this.deps
    const now = clock.now()
    if (known.givenAt === undefined) requests.set({ ...known, givenAt: now })
    return now - (known.givenAt ?? now) > AGAIN_MS ? null : known
  }

  /** The first look decides whether it is refused; what follows may take long. */
  private async first({ id, agentId, requestId, params }: Made): Promise<Answer> {
    const { query: text, scope, priority } = params
    const gathered = await this.gather(agentId, params)
    const request: PeerRequest = {
      ...{ id, agentId, requestId, kind: 'query', text, scope, priority, status: 'running' },
      at: new Date(this.deps.clock.now()).toISOString(),
      roomId: gathered.roomId,
      ...{ askId: null, taskId: null, notifies: params.isAsync },
    }
    // The answer that was given before, in its place of the list.
    this.deps.requests.remove(id)
    const later = this.bufferedUntil(request, gathered)
    if (later !== null) return viewOf(this.buffer(request, later))
    // On record before it is answered: a revocation ends it.
    this.set(request)
    const answered = this.answer(request, gathered)
    answered.catch((error: unknown) => this.failed(request, error))
    return viewOf(params.isAsync ? request : await answered)
  }

  private async gather(
    agentId: string,
    { query, scope }: { readonly query: string; readonly scope: readonly ContextRef[] },
  ) {
    const contextScope = scope.map(({ type, identifier }) => ({ type, identifier }))
    const facts = this.deps.canWord()
    try {
      const principal = { kind: 'peer', id: agentId } as const
      return (await this.deps.hub.call(principal, 'aoi.query', { query, contextScope, facts })) as Gathered
    } catch (error) {
      throw refusalOf(error, { permission: 'read', scope })
    }
  }

  private bufferedUntil({ priority }: PeerRequest, { priority: cap }: Gathered): number | null {
    const { clock } = this.deps
    const when = whenToAnswer({
      wish: priority,
      cap,
      config: this.deps.config(),
      now: clock.now(),
      zone: this.deps.timezone(),
    })
    return when === 'now' ? null : when.bufferUntil
  }

  private buffer(request: PeerRequest, until: number): PeerRequest {
    const kept = this.set({ ...request, status: 'buffered', until, notifies: true })
    this.wait(kept)
    return kept
  }

  private wait(request: PeerRequest): void {
    this.buffered.get(request.id)?.()
    const ms = Math.max(0, (request.until ?? 0) - this.deps.clock.now())
    this.buffered.set(
      request.id,
      this.deps.clock.after(ms, () => {
        this.buffered.delete(request.id)
        void this.resume(request.id)
      }),
    )
  }

  /** Once more from the rules: they may have changed in the meantime. */
  private async resume(id: string): Promise<void> {
    const request = this.deps.requests.get(id)
    if (request === null || hasEnded(request) || this.abort.signal.aborted) return
    try {
      const gathered = await this.gather(request.agentId, { query: request.text, scope: request.scope })
      await this.answer({ ...request, status: 'running' }, gathered)
    } catch (error) {
      this.failed(request, error)
    }
  }

  private async answer(request: PeerRequest, gathered: Gathered): Promise<PeerRequest> {
    const worded = await this.deps.word(request.text, gathered, this.abort.signal)
    const refs = gathered.contextRefs
    const named = worded?.refs ?? refs.map((_, at) => ({ exists: true, at }))
    const used = named.flatMap(({ exists, at }) => (exists ? (refs[at] ?? []) : []))
    const answer: Answer = {
      queryId: request.id,
      completed: true,
      summary: worded?.summary ?? gathered.summary,
      ...(gathered.progress === undefined ? {} : { progress: gathered.progress }),
      blockers: gathered.blockers,
      refs: used.map(({ type, ref, summary }) => ({
        type: type as Answer['refs'][number]['type'],
        ref,
        ...(summary === undefined ? {} : { summary }),
      })),
    }
    const confidence = confidenceOf(named.map(({ exists }) => ({ exists, inScope: exists })))
    const current = this.deps.requests.get(request.id)
    if (current !== null && hasEnded(current)) return current
    // The rules may have changed while the model was thinking.
    if (worded !== null) await this.gather(request.agentId, { query: request.text, scope: request.scope })
    if (mayAnswerUnasked({ confidence, auto: gathered.auto, config: this.deps.config() }))
      return this.end({ ...request, status: 'answered', answer })
    return await this.putToPerson(request, answer)
  }

  private async putToPerson(request: PeerRequest, answer: Answer): Promise<PeerRequest> {
    const { refs, completed: _, ...rest } = answer
    const query = request.text.slice(0, MOST_SHOWN)
    const params = { ...rest, contextRefs: refs, agentId: request.agentId, query }
    const principal = { kind: 'neo', room: request.roomId ?? 'lobby' } as const
    try {
      await this.deps.hub.call(principal, 'aoi.answer', params)
      throw new AgentRefusal(AOI_CODES.internal, 'Internal error')
    } catch (error) {
      const ask = error instanceof HubError ? askIn(error) : null
      if (ask === null) throw refusalOf(error, { permission: 'read', scope: request.scope })
      return this.set({ ...request, status: 'waiting', askId: ask, notifies: true })
    }
  }

  approved({ queryId, agentId, contextRefs, ...rest }: ApprovedAnswer): void {
    const request = this.deps.requests.get(queryId)
    if (request === null || request.agentId !== agentId || hasEnded(request)) return
    if (!this.deps.isKnown(agentId)) {
      this.refuse(request, 'this agent is revoked')
      return
    }
    const refs = contextRefs as unknown as Answer['refs']
    const { summary, progress, blockers } = rest
    const answer: Answer = {
      ...{ queryId, completed: true, summary, refs },
      ...(progress === undefined ? {} : { progress }),
      ...(blockers === undefined ? {} : { blockers }),
    }
    this.end({ ...request, status: 'answered', answer })
  }

  refuse(request: PeerRequest, why: string): void {
    this.buffered.get(request.id)?.()
    this.buffered.delete(request.id)
    const answer: Answer = { queryId: request.id, completed: true, summary: '', refs: [], refused: why }
    this.end({ ...request, status: 'refused', answer })
  }

  private failed({ id }: PeerRequest, error: unknown): void {
    const current = this.deps.requests.get(id)
    if (this.abort.signal.aborted || current === null || hasEnded(current)) return
    const why = error instanceof AgentRefusal ? error.message : 'The query could not be answered'
    if (current.notifies) this.refuse(current, why)
    else {
      // Its caller has got the error, and may ask again.
      this.deps.requests.remove(id)
      this.deps.changed(current)
    }
  }

  private end(request: PeerRequest): PeerRequest {
    if (!request.notifies) return this.set({ ...request, givenAt: this.deps.clock.now() })
    const ended = this.set(request)
    this.deps.ended(ended)
    return ended
  }

  private set(request: PeerRequest): PeerRequest {
    this.deps.requests.set(request)
    this.deps.changed(request)
    return request
  }

  /** Continues what a restart has interrupted. */
  begin(): void {
    for (const request of this.deps.requests.open()) {
      if (request.kind !== 'query') continue
      if (request.status === 'buffered') this.wait(request)
      else if (request.status === 'running') this.wait({ ...request, until: 0 })
    }
  }

  close(): void {
    this.abort.abort('leave')
    for (const stop of this.buffered.values()) stop()
  }
}
