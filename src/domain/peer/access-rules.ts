/**
 * Whether a peer may read or write parts of the shared work. Invariants: 1. what no rule grants is refused; 2. of several
 * rules the most specific decides (agent, then role, then everybody; then the longer pattern), and of equal ones the
 * lowest permission; the order of rules doesn't matter; 3. of several contexts the weakest decides; 4. nobody gets more
 * than `write` from afar; 5. audit mode lets reading pass, for 24 hours, and nothing else.
 * The cases are in docs/access-rules.md. What goes into an answer must be checked again, each file as a context of its own.
 */
import { normalContext } from './contexts.ts'
import { patternCovers } from './pattern-match.ts'
import {
  type AccessConfig,
  type AccessRule,
  type ContextRef,
  PEER_PRIORITIES,
  PERMISSION_LEVELS,
  type PeerPriority,
  type PermissionLevel,
} from './peer.ts'

export interface AccessRequest {
  /** Of an authenticated peer that is not revoked. */
  readonly agentId: string
  /** As in its file. */
  readonly role: string | undefined
  /** Never "all" if it is empty: it is refused. */
  readonly scope: readonly ContextRef[]
  readonly wants: 'read' | 'write'
  readonly access: AccessConfig
  readonly now: number
}

export interface AccessDecision {
  readonly allowed: boolean
  /** What the rules give, also in audit mode. */
  readonly permission: Exclude<PermissionLevel, 'admin'>
  /** `access.rules[2]`, the one that decided; null: `access.default` did. */
  readonly rule: string | null
  readonly reason: string
  /** True: the rules refuse it, and audit mode lets it pass. */
  readonly audited: boolean
  readonly auto: boolean
  readonly priority: PeerPriority
  /** Task types that all rules that decided name. */
  readonly tasks: readonly string[]
}

type Finding = Pick<AccessDecision, 'permission' | 'rule' | 'reason' | 'auto' | 'priority' | 'tasks'>

const AUDIT_MS = 24 * 3_600_000
const REFUSED: Finding = {
  permission: 'none',
  rule: null,
  reason: '',
  auto: false,
  priority: 'normal',
  tasks: [],
}

export function decideAccess(request: AccessRequest): AccessDecision {
  const [first, ...more] = request.scope.map((ref) => findingFor(request, ref))
  if (first === undefined)
    return { ...REFUSED, allowed: false, audited: false, reason: 'the request names no context' }
  const found = more.reduce(weaker, first)
  if (isAtLeast(found.permission, request.wants)) return { ...found, allowed: true, audited: false }
  const reason = `${found.reason}; ${request.wants} is needed`
  const refused = { ...found, reason, auto: false, tasks: [] }
  if (!passesAudit(request)) return { ...refused, allowed: false, audited: false }
  return { ...refused, allowed: true, audited: true, reason: `audit mode is on; without it: ${reason}` }
}

/** When audit mode ends; null if it is off. A start in the future doesn't count. */
export function auditUntil({ auditSince }: Pick<AccessConfig, 'auditSince'>, now: number): number | null {
  const since = auditSince === null ? Number.NaN : Date.parse(auditSince)
  return since <= now && now < since + AUDIT_MS ? since + AUDIT_MS : null
}

/** A context that is not one is refused by its form, which audit mode doesn't change. */
function passesAudit({ wants, access, now, scope }: AccessRequest): boolean {
  return (
    wants === 'read' && auditUntil(access, now) !== null && scope.every((ref) => 'type' in normalContext(ref))
  )
}

function findingFor(request: AccessRequest, given: ContextRef): Finding {
  const ref = normalContext(given)
  if ('wrong' in ref) return { ...REFUSED, reason: `the context ${ref.wrong}` }
  const rules = decidingRules(request, ref)
  const [first] = rules
  const name = `${ref.type} ${ref.identifier}`
  if (first === undefined) {
    const permission = capped(request.access.default)
    return { ...REFUSED, permission, reason: `no rule covers ${name}; access.default is ${permission}` }
  }
  const permission = capped(first.rule.permission)
  const who = first.rule.agentId === request.agentId ? 'this agent' : subjectName(first.rule)
  return {
    permission,
    rule: `access.rules[${first.at}]`,
    reason: `access.rules[${first.at}] gives ${who} ${permission} on ${name}`,
    auto: rules.every(({ rule }) => rule.auto),
    priority: rules.map(({ rule }) => rule.priority).reduce(lowerPriority),
    tasks: rules.map(({ rule }) => rule.tasks).reduce(shared),
  }
}

interface Placed {
  readonly rule: AccessRule
  readonly at: number
}

/** The most specific rules of the lowest permission, in the order of the file. */
function decidingRules({ agentId, role, access, now }: AccessRequest, ref: ContextRef): readonly Placed[] {
  let best: readonly Placed[] = []
  access.rules.forEach((rule, at) => {
    if (rankOf(rule, agentId, role) === null || isExpired(rule, now)) return
    if (!patternCovers(rule.scopeType, rule.pattern, ref)) return
    const order = best[0] === undefined ? 1 : compare(rule, best[0].rule, agentId)
    if (order > 0) best = [{ rule, at }]
    else if (order === 0) best = [...best, { rule, at }]
  })
  return best
}

/** Above zero: the first goes before the second. Both are for this agent. */
function compare(a: AccessRule, b: AccessRule, agentId: string): number {
  return (
    subjectRank(a, agentId) - subjectRank(b, agentId) ||
    a.pattern.length - b.pattern.length ||
    PERMISSION_LEVELS.indexOf(b.permission) - PERMISSION_LEVELS.indexOf(a.permission)
  )
}

/** Null: the rule is for others. */
function rankOf(rule: AccessRule, agentId: string, role: string | undefined): number | null {
  if (rule.agentId !== agentId && rule.agentId !== '*') return null
  if (rule.agentRole !== undefined && rule.agentRole !== role) return null
  return subjectRank(rule, agentId)
}

function subjectRank({ agentId, agentRole }: AccessRule, own: string): number {
  if (agentId === own) return 2
  return agentRole === undefined ? 0 : 1
}

function subjectName({ agentRole }: AccessRule): string {
  return agentRole === undefined ? 'every agent' : `agents with role ${agentRole}`
}

/** A time that can't be read has passed. */
function isExpired({ expiresAt }: AccessRule, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now)
}

function capped(permission: PermissionLevel): AccessDecision['permission'] {
  return permission === 'admin' ? 'write' : permission
}

function isAtLeast(permission: PermissionLevel, wanted: PermissionLevel): boolean {
  return PERMISSION_LEVELS.indexOf(permission) >= PERMISSION_LEVELS.indexOf(wanted)
}

/** The first of equals names the rule. */
function weaker(a: Finding, b: Finding): Finding {
  const least = isAtLeast(b.permission, a.permission) ? a : b
  return {
    ...least,
    auto: a.auto && b.auto,
    priority: lowerPriority(a.priority, b.priority),
    tasks: shared(a.tasks, b.tasks),
  }
}

export function lowerPriority(a: PeerPriority, b: PeerPriority): PeerPriority {
  return PEER_PRIORITIES.indexOf(a) < PEER_PRIORITIES.indexOf(b) ? a : b
}

function shared(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((one) => b.includes(one))
}
