/** What the hub says about agents of other homes: docs/api.md, `agent.*` and `access.*`. */

export interface ContextRef {
  readonly type: string
  readonly identifier: string
}

export interface OwnAgent {
  readonly id: string
  readonly role: string
  readonly owner: string
  readonly endpoint: string
  /** Null: it has no key yet. */
  readonly publicKey: string | null
  readonly listening: string | null
  readonly trouble: string | null
  readonly auditUntil: string | null
}

export interface PeerAgent {
  readonly id: string
  readonly role: string | null
  readonly owner: string | null
  readonly endpoint: string | null
  readonly status: 'online' | 'offline' | 'busy' | 'revoked'
  readonly lastSeenAt: string | null
  readonly publicKey: string | null
  readonly contexts: readonly ContextRef[]
  /** The member whose machine it is. */
  readonly member: string | null
}

export interface Persona {
  readonly name: string
  readonly description: string
  readonly path: string
}

export interface AgentList {
  /** Null: the protocol is off. */
  readonly self: OwnAgent | null
  readonly agents: readonly PeerAgent[]
  readonly personas: readonly Persona[]
}

export interface Rule {
  /** Its place in neo.yaml: `access.rules[0]`. */
  readonly rule: string
  readonly agentId: string
  readonly agentRole: string | null
  readonly scopeType: string
  readonly pattern: string
  readonly permission: string
  readonly expiresAt: string | null
  readonly reason: string | null
  readonly grantedBy: string | null
  readonly auto: boolean
  readonly priority: string
  readonly tasks: readonly string[]
}

export interface Rules {
  readonly default: string
  readonly auditUntil: string | null
  readonly rules: readonly Rule[]
}

export interface Decided {
  readonly allowed: boolean
  readonly permission: string
  /** Null: the default. */
  readonly matchedRule: string | null
  readonly reason: string
}

export interface IncomingRequest {
  readonly id: string
  readonly agentId: string
  readonly kind: 'query' | 'task'
  readonly text: string
  readonly scope: readonly string[]
  readonly status: 'answered' | 'waiting' | 'buffered' | 'refused' | 'running' | 'completed' | 'failed'
  readonly at: string
  readonly askId: string | null
  readonly taskId: string | null
  readonly roomId: string | null
}

export interface AnswerOf {
  readonly queryId: string
  readonly completed: boolean
  readonly summary: string
  readonly progress?: number
  readonly blockers?: readonly string[]
  readonly contextRefs: readonly { readonly type: string; readonly ref: string; readonly summary?: string }[]
}

export interface AskedQuestion {
  /** The `queryId` of its answer. */
  readonly id: string
  readonly agentId: string
  readonly query: string
  readonly scope: readonly string[]
  readonly status: 'waiting' | 'answered' | 'refused' | 'ended'
  readonly at: string
  readonly answer: AnswerOf | null
  /** The reason for a missing answer, also while it is still to come. */
  readonly why: string | null
}

export const CONTEXT_TYPES = ['repository', 'folder', 'file', 'issue'] as const
