/**
 * Agents of other homes, as the hub sees them: what they are asked, and what they have asked. src/aoi/ implements it.
 * Invariant 1: a call ends: with an answer, an error of the peer, or a HubError `busy` that says why not.
 */
import type { ContextRef, Peer, PeerPriority, PeerStatus } from '../domain/peer/peer.ts'

export interface PeerControl {
  /** Makes the key of this home if it has no key yet. */
  key(): { readonly publicKey: string; readonly created: boolean }
  /** Null if no key was made yet. */
  publicKey(): string | null
  /** Where this home's agent listens now, and why it doesn't. */
  listening(): { readonly at: string | null; readonly trouble: string | null }
  state(id: string): { readonly status: PeerStatus; readonly lastSeenAt: string | null }
  /** What peers have asked, newest first. */
  requests(most: number): readonly PeerRequestView[]
  /** What this home has asked peers, newest first. */
  asked(most: number): readonly AskedView[]
  /** Looks at an endpoint whose agent is not known yet. */
  inspect(endpoint: string): Promise<Inspected>
  discover(peer: Peer): Promise<readonly FoundAgent[]>
  query(peer: Peer, of: PeerQuery): Promise<AnswerView>
  execute(peer: Peer, of: PeerTask): Promise<DelegatedView>
  /** Ends what runs for it, and what it waits for. */
  revoked(id: string): Promise<void>
  /** A person has approved this answer: it goes out as it was shown. */
  approved(answer: ApprovedAnswer): void
}

export interface Inspected {
  readonly id: string
  readonly publicKey: string
  /** Of the TLS certificate, if it is not made from the key; null over plain HTTP. */
  readonly certificate: string | null
}

export interface FoundAgent {
  readonly id: string
  readonly role: string | null
  readonly owner: string | null
  readonly endpoint: string | null
  readonly status: PeerStatus
  readonly contexts: readonly ContextRef[]
}

export interface PeerQuery {
  readonly query: string
  readonly scope: readonly ContextRef[]
  readonly priority: PeerPriority
  readonly isAsync: boolean
  readonly timeoutS: number
  /** Whose Neo asked: a later answer is a message there. Absent or null: it is a notice. */
  readonly room?: string | null
}

export interface PeerTask {
  /** The same id gives the same task again. */
  readonly requestId: string
  readonly taskType: string
  readonly taskParams: Readonly<Record<string, string>>
  readonly scope: readonly ContextRef[]
  readonly isAsync: boolean
}

export interface Reference {
  readonly type: string
  readonly ref: string
  readonly summary?: string | undefined
}

export interface AnswerView {
  readonly queryId: string
  readonly completed: boolean
  readonly summary: string
  readonly progress?: number | undefined
  readonly blockers?: readonly string[] | undefined
  readonly contextRefs: readonly Reference[]
}

export const ASKED_STATES = ['waiting', 'answered', 'refused', 'ended'] as const

export interface AskedView {
  /** As in the `queryId` of its answer. */
  readonly id: string
  readonly agentId: string
  readonly query: string
  readonly scope: readonly string[]
  readonly status: (typeof ASKED_STATES)[number]
  /** ISO 8601 UTC. */
  readonly at: string
  readonly answeredAt: string | null
  readonly answer: AnswerView | null
  /** The reason for a missing answer, also while it is still to come. */
  readonly why: string | null
}

export interface ApprovedAnswer extends Omit<AnswerView, 'completed'> {
  readonly agentId: string
}

export interface DelegatedView {
  readonly taskId: string
  readonly status: 'pending' | 'completed' | 'failed'
  readonly state: string
  readonly output?: string | undefined
  readonly error?: string | undefined
}

export const REQUEST_STATES = [
  'answered',
  'waiting',
  'buffered',
  'refused',
  'running',
  'completed',
  'failed',
] as const

export interface PeerRequestView {
  readonly id: string
  readonly agentId: string
  readonly kind: 'query' | 'task'
  readonly text: string
  readonly scope: readonly string[]
  readonly status: (typeof REQUEST_STATES)[number]
  /** ISO 8601 UTC. */
  readonly at: string
  readonly askId: string | null
  readonly taskId: string | null
  readonly roomId: string | null
}
