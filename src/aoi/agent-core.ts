/**
 * What peers can do here, independent of the protocol in which they say it: AOI and A2A translate to this. Each call is
 * made as the authenticated peer, and goes through the hub.
 */
import type { ContextRef, PeerPriority } from '../domain/peer/peer.ts'

export interface QueryParams {
  readonly query: string
  readonly scope: readonly ContextRef[]
  readonly priority: PeerPriority
  /** True: answered by a notification later. */
  readonly isAsync: boolean
  /** Seconds that the caller waits at most. */
  readonly timeoutS: number
}

export interface ContextEvidence {
  readonly type: 'commit' | 'file' | 'line' | 'symbol' | 'issue'
  /** Commit id, path, or `path:line`. */
  readonly ref: string
  readonly summary?: string
}

export interface Answer {
  /** Present from the start; the caller finds the answer under it later. */
  readonly queryId: string
  readonly completed: boolean
  readonly summary: string
  /** 0 to 100, from tasks. */
  readonly progress?: number
  readonly blockers?: readonly string[]
  readonly refs: readonly ContextEvidence[]
  /** True: a person has to approve it first. */
  readonly waitsForPerson?: boolean
  /** Set when it was refused after it had been accepted. */
  readonly refused?: string
}

export interface ExecuteParams {
  readonly taskType: string
  readonly taskParams: Readonly<Record<string, unknown>>
  readonly scope: readonly ContextRef[]
  readonly isAsync: boolean
}

export interface Delegated {
  readonly taskId: string
  readonly status: 'pending' | 'completed' | 'failed'
  /** In words, for people: `in_progress`, `review`, … */
  readonly state: string
  readonly output?: string
  readonly error?: string
  /** ISO 8601 UTC. */
  readonly updatedAt: string
}

/** The codes of the agent protocol, besides those of JSON-RPC for messages that can't be read. */
export const AOI_CODES = {
  params: -32602,
  internal: -32603,
  denied: -32001,
  context: -32002,
  agent: -32003,
  busy: -32004,
  timeout: -32005,
  rate: -32006,
} as const

/** A refusal, with one of AOI_CODES. */
export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

export function overRate(waitMs: number): AgentRefusal {
  return new AgentRefusal(AOI_CODES.rate, 'Rate limit exceeded', { retry_after: Math.ceil(waitMs / 1_000) })
}

/** `requestId` makes calls idempotent: the same of the same peer gives the state of the first. Throws AgentRefusal. */
export interface AgentCore {
  /** Who we are, for cards: contexts are left out for callers who may not see them. */
  self(peer: string | null): {
    readonly id: string
    readonly role: string
    readonly owner: string
    readonly contexts: readonly ContextRef[]
    readonly taskTypes: readonly string[]
  }
  query(peer: string, requestId: string, params: QueryParams): Promise<Answer>
  /** Null: no such query of this peer. */
  answer(peer: string, queryId: string): Promise<Answer | null>
  execute(peer: string, requestId: string, params: ExecuteParams): Promise<Delegated>
  /** Null: no such task of this peer. */
  task(peer: string, taskId: string): Promise<Delegated | null>
  tasks(peer: string): Promise<readonly Delegated[]>
  /** Null: no such task of this peer, or it has ended. */
  cancel(peer: string, taskId: string): Promise<Delegated | null>
  /** The same by the id of the request that made the task, for a caller that never got the answer. */
  cancelRequest(peer: string, requestId: string): Promise<Delegated | null>
  /** Tells when something of this peer may have changed. Gives what ends it. */
  watch(peer: string, changed: () => void): () => void
}
