/**
 * Agents of other homes (peers) and what the agent protocol says about them. A peer is a file,
 * `workspace/agents/<id>.md`: its role, capabilities and endpoint come from there, never from what it announces.
 */

export const CONTEXT_TYPES = ['repository', 'folder', 'file', 'issue'] as const
export type ContextType = (typeof CONTEXT_TYPES)[number]

/**
 * A part of the shared work. `identifier`: a repository such as `acme/webapp`; a folder or file is the repository and a
 * path, `acme/webapp/src/login.ts`; an issue is `acme/webapp#12`.
 */
export interface ContextRef {
  readonly type: ContextType
  readonly identifier: string
}

export const AGENT_ACTIONS = [
  'context.read',
  'context.write',
  'task.execute',
  'query.send',
  'query.respond',
] as const
export type AgentAction = (typeof AGENT_ACTIONS)[number]

export const PEER_PRIORITIES = ['low', 'normal', 'high'] as const
export type PeerPriority = (typeof PEER_PRIORITIES)[number]

export type PeerStatus = 'online' | 'offline' | 'busy'

export interface Peer {
  /** The name of its file, `[a-z0-9-]+`. The role is never read from it. */
  readonly id: string
  readonly role?: string
  readonly owner?: string
  /** Base URL of its server, `https://host:port`; absent: it only calls us. */
  readonly endpoint?: string
  /** `p256:` and its SubjectPublicKeyInfo (DER) in base64url. Requests are checked against it, and the TLS certificate. */
  readonly publicKey?: string
  /** SHA-256 of a TLS certificate that it has not made itself, `sha256:` and 64 hex digits. */
  readonly certificate?: string
  readonly capabilities: readonly AgentAction[]
  readonly contexts: readonly ContextRef[]
  /** The member whose machine it is: a node. */
  readonly member?: string
  /** Stable id of its machine in Tailscale. */
  readonly tailscaleNodeId?: string
  readonly maxConcurrentQueries?: number
  /** No access at all; the file stays as a record. */
  readonly revoked: boolean
  readonly body: string
}

export const PERMISSION_LEVELS = ['none', 'read', 'write', 'admin'] as const
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

export interface AccessRule {
  /** An id, or `*`. */
  readonly agentId: string
  readonly agentRole?: string
  /** `*`: any type. */
  readonly scopeType: ContextType | '*'
  /** Glob over identifiers: `*` stops at `/`, `**` doesn't. */
  readonly pattern: string
  readonly permission: PermissionLevel
  /** ISO 8601; the rule doesn't count from then on. */
  readonly expiresAt?: string
  readonly reason?: string
  readonly grantedBy?: string
  /** Answers may go out without approval, if `agent.auto_respond` is reached. */
  readonly auto: boolean
  /** The highest priority that counts; a peer's priority is a wish. */
  readonly priority: PeerPriority
  /** Task types (templates) that it may start. */
  readonly tasks: readonly string[]
}

export interface AccessConfig {
  readonly default: PermissionLevel
  /** Since when rules are only logged for reading, ISO 8601; it ends after 24 hours. Null: off. */
  readonly auditSince: string | null
  readonly rules: readonly AccessRule[]
}

export const NO_ACCESS: AccessConfig = { default: 'none', auditSince: null, rules: [] }

/** A context that this home answers for. */
export interface OwnContext extends ContextRef {
  readonly room: string
  /** Never told to peers. */
  readonly localPath?: string
}

/** The `agent:` section of neo.yaml; the protocol is on if it has an id. */
export interface AgentConfig {
  readonly id: string
  readonly role: string
  readonly owner: string
  readonly host: string
  readonly port: number
  /** Where others reach it, if that isn't `https://<host>:<port>`. */
  readonly endpoint: string | null
  /** `self`: a certificate made from the agent's key. `off`: plain HTTP, for a proxy or tunnel in front, loopback only. */
  readonly tls: 'self' | 'off' | { readonly cert: string; readonly key: string }
  readonly contexts: readonly OwnContext[]
  /** First and last hour of the day in which only urgent queries interrupt. */
  readonly focusHours: readonly [number, number] | null
  /** False: no query interrupts in focus hours, not even one of high priority. */
  readonly interrupt: boolean
  /** Least confidence, 0 to 1, at which an answer may go out without approval. */
  readonly autoRespond: number
  readonly approvalRequired: boolean
  /** Requests of one peer, at most. */
  readonly rate: { readonly requests: number; readonly perMs: number }
  /** Queries of all peers that are answered at the same time. */
  readonly maxQueries: number
  readonly discoveryIntervalMs: number
  /** Who does delegated tasks, `exec:<name>` or `mcp:<server>`; null: the worker of the room. */
  readonly workAi: string | null
  readonly mirror: {
    readonly enabled: boolean
    readonly indexIntervalMs: number
    readonly retentionDays: number
  }
  /** `tailnet`: the identity headers of a local Tailscale proxy count for peers with `tailscale_node`. */
  readonly tailscale: { readonly enabled: boolean; readonly tailnet: string | null }
}

/** `type:identifier`; a repository or an issue without a type. */
export function contextNamed(text: string): ContextRef {
  const type = CONTEXT_TYPES.find((one) => text.startsWith(`${one}:`))
  if (type !== undefined) return { type, identifier: text.slice(type.length + 1) }
  return { type: text.includes('#') ? 'issue' : 'repository', identifier: text }
}
