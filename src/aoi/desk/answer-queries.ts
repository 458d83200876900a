/**
 * Queries of agents of other homes, from the request to the answer: gathered by the hub under the access rules, worded by a
 * model if there is one, held back in focus hours, approved by a person unless a rule says otherwise. Invariants: 1. nothing
 * is answered that the rules don't allow at that moment; 2. what a person approved is what goes out; 3. a query that is
 * interrupted by a restart is answered after it.
 */
import type { ContextRef } from '../../domain/peer/peer.ts'
import { confidenceOf, mayAnswerUnasked, whenToAnswer } from '../../domain/peer/secretary.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { HubError, type Hub } from '../../hub/hub.ts'
import type { AgentConfig } from '../../domain/peer/peer.ts'
import type { ApprovedAnswer } from '../../hub/peer-control.ts'
import type { Clock } from '../../ports/world.ts'
import { AgentRefusal, type Answer, AOI_CODES, type QueryParams } from '../agent-core.ts'
import type { FairQueue } from './fair-queue.ts'
import { askIn, busy, sameOf, viewOf } from './query-view.ts'
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

export interface Queries {
  ask(agentId: string, requestId: string, params: QueryParams): Promise<Answer>
  approved(answer: ApprovedAnswer): void
  refuse(request: PeerRequest, why: string): void
  /** Continues what a restart has interrupted. */
  begin(): void
  close(): void
}

/** Queries of one agent that wait for a person: each is a notice. */
const MOST_WAITING = 10
/** Characters of a question in an approval request. */
const MOST_SHOWN = 2_000

export function openQueries(deps: QueryDeps): Queries {
  return new HomeQueries(deps)
}

class HomeQueries implements Queries {
  private readonly deps: QueryDeps
  private readonly abort = new AbortController()
  /** Requests that came and are not on record yet. */
  private readonly running = new Set<string>()
  /** What ends the wait of a buffered query. */
  private readonly buffered = new Map<string, () => void>()

  constructor(deps: QueryDeps) {
    this.deps = deps
  }

  async ask(agentId: string, requestId: string, params: QueryParams): Promise<Answer> {
    const { requests } = this.deps
    const known = requests.find(agentId, requestId, 'query')
    if (known !== null) return viewOf(sameOf(known, params))
    const open = requests.open().filter((one) => one.agentId === agentId)
    const waiting = open.filter(({ status }) => status === 'waiting')
    if (open.length >= MOST_OPEN || waiting.length >= MOST_WAITING) throw busy()
    const id = idOf(agentId, requestId, 'query')
    if (this.running.has(id)) throw busy()
    this.running.add(id)
    const most = this.deps.mostOf(agentId)
    const run = this.deps.queue.run(agentId, most, () => this.first(agentId, requestId, params))
    if (run === null) {
      this.running.delete(id)
      throw busy()
    }
    return await this.within(
      run.finally(() => this.running.delete(id)),
      params,
      id,
    )
  }

  /** The first look decides whether it is refused; what follows may take long. */
  private async first(agentId: string, requestId: string, params: QueryParams): Promise<Answer> {
    const gathered = await this.gather(agentId, params)
    const request: PeerRequest = {
      id: idOf(agentId, requestId, 'query'),
      ...{
        agentId,
        requestId,
        kind: 'query',
        text: params.query,
        scope: params.scope,
        priority: params.priority,
      },
      status: 'running',
      at: new Date(this.deps.clock.now()).toISOString(),
      roomId: gathered.roomId,
      ...{ askId: null, taskId: null, notifies: params.isAsync },
    }
    const later = this.bufferedUntil(request, gathered)
    if (later !== null) return viewOf(this.buffer(request, later))
    // On record before it is answered: a revocation ends it.
    this.set(request)
    if (!params.isAsync) return viewOf(await this.answer(request, gathered))
    void this.answer(request, gathered).catch((error: unknown) => this.failed(request, error))
    return viewOf(request)
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

  private failed(request: PeerRequest, error: unknown): void {
    if (this.abort.signal.aborted) return
    const why = error instanceof AgentRefusal ? error.message : 'The query could not be answered'
    const current = this.deps.requests.get(request.id)
    if (current !== null && !hasEnded(current)) this.refuse(current, why)
  }

  /** The caller stops waiting; the answer is kept. */
  private async within(work: Promise<Answer>, { timeoutS }: QueryParams, queryId: string): Promise<Answer> {
    let stop = () => {}
    const late = new Promise<never>((_, reject) => {
      stop = this.deps.clock.after(timeoutS * 1_000, () =>
        reject(new AgentRefusal(AOI_CODES.timeout, 'Timeout', { query_id: queryId })),
      )
    })
    try {
      return await Promise.race([work, late])
    } finally {
      stop()
      work.catch(() => {})
    }
  }

  private end(request: PeerRequest): PeerRequest {
    const ended = this.set(request)
    if (ended.notifies) this.deps.ended(ended)
    return ended
  }

  private set(request: PeerRequest): PeerRequest {
    this.deps.requests.set(request)
    this.deps.changed(request)
    return request
  }

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
