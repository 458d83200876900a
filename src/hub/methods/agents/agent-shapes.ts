/** What methods about agents of other homes take and return. */
import { z } from 'zod'
import type { Shown } from '../../env.ts'
import {
  AGENT_ACTIONS,
  type AgentConfig,
  CONTEXT_TYPES,
  type ContextRef,
  PEER_PRIORITIES,
  PERMISSION_LEVELS,
} from '../../../domain/peer/peer.ts'
import { auditUntil } from '../../../domain/peer/access-rules.ts'
import { ASKED_STATES, REQUEST_STATES } from '../../peer-control.ts'

const text = z.string()
const textOrNull = text.nullable()

export const agentIdText = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, 'an id has only a-z, 0-9 and -, at most 64 of them')
export const agentId = agentIdText.describe('The agent: the name of its file in `workspace/agents/`')

const contextRef = z.strictObject({
  type: z.enum(CONTEXT_TYPES),
  identifier: z
    .string()
    .min(1)
    .max(512)
    .describe('`owner/repository`, with `/path` for a folder or file, `#12` for an issue'),
})
export const contextScope = z
  .array(contextRef)
  .min(1, 'name at least one context; an empty list is never everything')
  .max(20)
  .describe('What it is about. It is never empty')
export const queryText = z.string().trim().min(1).max(4_000)
export const priority = z
  .enum(PEER_PRIORITIES)
  .optional()
  .describe('Priority; the access rule of the other home limits it. Otherwise `normal`')
export const timeout = z
  .number()
  .min(1)
  .max(300)
  .optional()
  .describe('Seconds to wait for the answer. Otherwise 30')
export const limit = z.int().min(1).max(1_000).default(100).describe('At most this many')
export const taskType = z
  .string()
  .regex(/^[A-Za-z0-9][\w-]{0,79}$/, 'the name of a template')
  .describe('The name of a template in the `templates/tasks/` of the home that does it')

export const agentView = z.strictObject({
  id: text,
  role: textOrNull,
  owner: textOrNull,
  endpoint: textOrNull,
  status: z.enum(['online', 'offline', 'busy', 'revoked']),
  lastSeenAt: textOrNull,
  publicKey: textOrNull,
  capabilities: z.array(z.enum(AGENT_ACTIONS)),
  contexts: z.array(contextRef),
  member: textOrNull.describe('The member whose machine it is'),
})
export type AgentView = Shown<z.input<typeof agentView>>

export const selfView = z.strictObject({
  id: text,
  role: text,
  owner: text,
  endpoint: textOrNull.describe('Where other homes reach it; null if only this machine does'),
  publicKey: textOrNull.describe('Null until `agent.keygen`'),
  listening: textOrNull.describe('Where it listens now; null if it does not'),
  trouble: textOrNull.describe('Why it does not listen'),
  auditUntil: textOrNull.describe('Until then access rules for reading are logged, not enforced'),
  contexts: z.array(z.strictObject({ type: text, identifier: text, roomId: text })),
})

export const personaView = z.strictObject({ name: text, description: text, path: text })

export const reference = z.strictObject({
  type: text.describe('`commit`, `file`, `line` or `issue`'),
  ref: text.describe('A commit, a path, or `path:line`'),
  summary: text.optional(),
})

export const answerView = z.strictObject({
  queryId: text.describe('As in `agent.asked`'),
  completed: z.boolean().describe('`false`: the answer comes later'),
  summary: text,
  progress: z.number().optional().describe('Percent of the tasks that are completed'),
  blockers: z.array(text).optional(),
  contextRefs: z.array(reference),
})

export const askedView = z.strictObject({
  id: text.describe('As in the `queryId` of its answer'),
  agentId: text,
  query: text,
  scope: z.array(text),
  status: z.enum(ASKED_STATES).describe('`ended`: there will be no answer, since you have revoked the agent'),
  at: text,
  answeredAt: textOrNull,
  answer: answerView.nullable(),
  why: textOrNull.describe('Why `answer` is null: the agent has not answered yet, or refused'),
})

export const delegatedView = z.strictObject({
  taskId: text,
  status: z.enum(['pending', 'completed', 'failed']),
  state: text.describe('As the other home says it, such as `in_progress` or `review`'),
  output: text.optional(),
  error: text.optional(),
})

export const requestView = z.strictObject({
  id: text,
  agentId: text,
  kind: z.enum(['query', 'task']),
  text,
  scope: z.array(text),
  status: z.enum(REQUEST_STATES),
  at: text,
  askId: textOrNull.describe('The approval request that it waits for'),
  taskId: textOrNull,
  roomId: textOrNull,
})

export const ruleView = z.strictObject({
  rule: text.describe('Its place in `neo.yaml`, such as `access.rules[0]`'),
  agentId: text,
  agentRole: textOrNull,
  scopeType: text,
  pattern: text,
  permission: z.enum(PERMISSION_LEVELS),
  expiresAt: textOrNull,
  reason: textOrNull,
  grantedBy: textOrNull,
  auto: z.boolean(),
  priority: z.enum(PEER_PRIORITIES),
  tasks: z.array(text),
})

/** `agent.endpoint`, else the address that it listens at, unless only this machine can use that. */
export function endpointOf({
  endpoint,
  host,
  port,
}: Pick<AgentConfig, 'endpoint' | 'host' | 'port'>): string | null {
  if (endpoint !== null) return endpoint
  const isOwn = /^(?:localhost|127\..*|::1?|0\.0\.0\.0)$/.test(host)
  return isOwn ? null : `https://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** `repository:acme/webapp` */
export function contextText({ type, identifier }: ContextRef): string {
  return `${type}:${identifier}`
}

/** When audit mode ends, ISO 8601 UTC; null if it is not on. */
export function auditEnd(access: Parameters<typeof auditUntil>[0], now: number): string | null {
  const until = auditUntil(access, now)
  return until === null ? null : new Date(until).toISOString()
}
