/** The sections `agent` and `access` of neo.yaml: this home in the agent protocol, and what agents of other homes may do. */
import { wrongPattern } from '../../domain/peer/pattern-match.ts'
import {
  type AccessConfig,
  type AccessRule,
  type AgentConfig,
  NO_ACCESS,
  type OwnContext,
  PERMISSION_LEVELS,
} from '../../domain/peer/peer.ts'
import { contextsOf } from '../kinds/read-agent.ts'
import { addProblem, type CheckContext, nameOf, placeInList } from '../values/check-value.ts'
import { msOf } from '../values/duration.ts'
import { withoutUndefined } from '../values/header-values.ts'
import type { Infer } from '../values/shape.ts'
import { instantOf, utcOf } from '../values/times.ts'
import {
  type accessShape,
  type agentSectionShape,
  type ownContextShape,
  RATE,
  type ruleShape,
} from './peer-shapes.ts'

interface PeerSections {
  readonly access: Infer<typeof accessShape> | undefined
  readonly agent: Infer<typeof agentSectionShape> | undefined
}

/** May add problems to `on`. `zone`: of local times. */
export function peerSections(
  on: CheckContext,
  { access, agent }: PeerSections,
  zone: string,
): { readonly agent: AgentConfig | null; readonly access: AccessConfig } {
  return {
    agent: agent === undefined ? null : agentOf(on, agent),
    access: access === undefined ? NO_ACCESS : accessOf(on, access, zone),
  }
}

function accessOf(on: CheckContext, given: NonNullable<PeerSections['access']>, zone: string): AccessConfig {
  const since = given.audit_mode ?? 'off'
  return {
    default: given.default ?? 'none',
    auditSince: since === 'off' ? null : instantOf(since, zone),
    rules: (given.rules ?? []).flatMap((one) => ruleOf(on, one, zone) ?? []),
  }
}

/** Null if it is invalid, which adds a problem; then the whole configuration isn't used. */
function ruleOf(on: CheckContext, given: Infer<typeof ruleShape>, zone: string): AccessRule | null {
  const path = ['access', 'rules', placeInList(given)]
  const { agent_id: id, agent_role: role, pattern, permission, expires_at: expires } = given
  const scopeType = given.scope_type ?? '*'
  const isWhole = [
    id !== undefined || role !== undefined || misses(on, path, 'agent_id, or agent_role'),
    pattern !== undefined || misses(on, path, 'pattern'),
    permission !== undefined || misses(on, path, 'permission'),
  ].every((one) => one)
  if (!isWhole || pattern === undefined || permission === undefined) return null
  const wrong = wrongPattern(scopeType, pattern)
  if (wrong !== null) invalid(on, [...path, 'pattern'], { wrong: `the pattern ${wrong}`, hint: PATTERN_HINT })
  return {
    agentId: id ?? '*',
    scopeType,
    pattern: pattern.normalize('NFC'),
    permission,
    auto: given.auto ?? false,
    priority: given.priority ?? 'normal',
    tasks: given.tasks ?? [],
    ...withoutUndefined<Partial<AccessRule>>({
      agentRole: role,
      expiresAt: utcOf(expires, zone),
      reason: given.reason,
      grantedBy: given.granted_by,
    }),
  }
}

const PATTERN_HINT = 'Use such as acme/webapp, acme/webapp/src/** or acme/webapp#*'

/** A key with an invalid value has a problem already. */
function misses(on: CheckContext, path: readonly (string | number)[], key: string): false {
  const [name = ''] = key.split(',')
  const place = nameOf(path)
  if (!on.problems.some(({ message }) => message.startsWith(`${place}.${name}:`)))
    invalid(on, path, { wrong: `missing ${key}`, hint: MISSING[name] ?? `Add ${name}` })
  return false
}

const MISSING: Readonly<Record<string, string>> = {
  agent_id: 'Add agent_id: ID, or agent_id: "*" for every agent',
  pattern: 'Add pattern: acme/webapp, or another repository, folder, file or issue',
  permission: `Add permission: one of ${PERMISSION_LEVELS.join(', ')}`,
}

const RATE_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

function agentOf(on: CheckContext, given: NonNullable<PeerSections['agent']>): AgentConfig | null {
  const host = given.host ?? '127.0.0.1'
  const contexts = ownContexts(on, given.contexts ?? [])
  const tls = tlsOf(on, given.tls, host)
  const focusHours = focusOf(on, given.focus_hours)
  const [, requests, unit] = RATE.exec(given.rate ?? '') ?? ['', '30', 'm']
  if (given.id === undefined) return withoutId(on)
  return {
    id: given.id,
    role: given.role ?? 'engineer',
    owner: given.owner ?? given.id,
    host,
    port: given.port ?? 8443,
    endpoint: given.endpoint?.replace(/\/$/, '') ?? null,
    tls,
    contexts,
    focusHours,
    interrupt: given.interrupt !== 'off',
    autoRespond: given.auto_respond ?? 0.8,
    approvalRequired: given.approval_required ?? true,
    rate: { requests: Number(requests), perMs: RATE_MS[unit ?? 'm'] ?? 60_000 },
    maxQueries: given.max_queries ?? 4,
    discoveryIntervalMs: msOf(given.discovery_interval) ?? 60_000,
    workAi: given.work_ai ?? null,
    mirror: mirrorOf(given.mirror ?? {}),
    tailscale: { enabled: given.tailscale?.enabled ?? false, tailnet: given.tailscale?.tailnet ?? null },
  }
}

function mirrorOf(given: NonNullable<NonNullable<PeerSections['agent']>['mirror']>): AgentConfig['mirror'] {
  return {
    enabled: given.enabled ?? false,
    indexIntervalMs: msOf(given.index_interval) ?? 30_000,
    retentionDays: given.retention_days ?? 30,
  }
}

function withoutId(on: CheckContext): null {
  if (on.problems.some(({ message }) => message.startsWith('agent.id:'))) return null
  addProblem(on, ['agent'], {
    code: 'type',
    severity: 'warning',
    message: 'agent: missing id, so the agent protocol is off',
    hint: 'Add id: a name such as eng-sato',
  })
  return null
}

function ownContexts(
  on: CheckContext,
  given: readonly Infer<typeof ownContextShape>[],
): readonly OwnContext[] {
  const path = ['agent', 'contexts']
  const places: number[] = []
  const own = given.flatMap((one): readonly OwnContext[] => {
    const at = placeInList(one)
    const [ref] = contextsOf(on, path, [one])
    const { room, local_path: localPath } = one
    if (room === undefined)
      invalid(on, [...path, at], { wrong: 'missing room', hint: 'Add room: the folder name of a room' })
    if (ref === undefined || room === undefined) return []
    places.push(at)
    return [{ ...ref, room, ...(localPath === undefined ? {} : { localPath }) }]
  })
  own.forEach((one, at) => {
    const first = own.findIndex(({ type, identifier }) => type === one.type && identifier === one.identifier)
    if (first < at)
      invalid(on, [...path, places[at] ?? 0], {
        wrong: `${one.identifier} has a room already`,
        hint: 'Keep one room for each context',
      })
  })
  return own
}

function tlsOf(
  on: CheckContext,
  given: NonNullable<PeerSections['agent']>['tls'],
  host: string,
): AgentConfig['tls'] {
  if (given === undefined || given === 'self') return 'self'
  if (given === 'off') {
    if (!/^(?:localhost|127\.[\d.]+|::1)$/i.test(host))
      invalid(on, ['agent', 'tls'], {
        wrong: `off, and host is ${host}: requests would be sent in clear text`,
        hint: 'Use tls: self, or host: 127.0.0.1 with a proxy or tunnel in front',
      })
    return 'off'
  }
  const { cert, key } = given
  if (cert !== undefined && key !== undefined) return { cert, key }
  invalid(on, ['agent', 'tls'], {
    wrong: 'missing cert or key',
    hint: 'Use { cert: FILE, key: FILE }, or self',
  })
  return 'self'
}

function focusOf(on: CheckContext, given: readonly number[] | undefined): AgentConfig['focusHours'] {
  if (given === undefined) return null
  const [from, to] = given
  if (given.length === 2 && from !== undefined && to !== undefined && from % 24 !== to % 24) return [from, to]
  invalid(on, ['agent', 'focus_hours'], {
    wrong: 'not two different hours',
    hint: 'Use the first and the last hour, such as [9, 17]',
  })
  return null
}

function invalid(
  on: CheckContext,
  path: readonly (string | number)[],
  { wrong, hint }: { readonly wrong: string; readonly hint: string },
): void {
  addProblem(on, path, { code: 'type', message: `${nameOf(path)}: ${wrong}`, hint })
}
