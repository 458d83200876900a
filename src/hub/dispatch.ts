/**
 * One call, from its name to its result: known, well-formed, allowed, recorded, done. Invariants: 1. parameters are
 * checked before policy; 2. policy's decision is on the disk before anything runs (a look that it allows is in the file
 * by then, and synced a moment later); 3. what is asked for is never done in the same call; 4. an approval lifts every
 * objection but that of fixed keys; 5. no agent of another home and no member learns whether what they may not see
 * exists (views/without-hidden.ts).
 */
import { NeoError } from '../domain/home/error.ts'
import { decide } from '../domain/policy/policy.ts'
import type { Act, Principal, Resource, Ruling } from '../domain/policy/policy-acts.ts'
import { nearest } from '../files/values/suggest.ts'
import { checkParameters } from './check-parameters.ts'
import { type Actor, auditedAs, type HubEnv, look, type Method } from './env.ts'
import { HUB_CODES, HubError } from './hub.ts'
import { askRoom, openAsk } from './rights/approval-rules.ts'
import type { AuditEntry } from './rights/audit-log.ts'
import { rulesFor } from './rights/member-rules.ts'
import { NOT_YOURS } from './views/scopes-at.ts'
import {
  aboutNothing,
  boundTo,
  isLimited,
  listsSeen,
  NOWHERE,
  seenBy,
  withoutHidden,
} from './views/without-hidden.ts'

export interface Call {
  readonly principal: Principal
  readonly method: string
  readonly params: unknown
}

export async function dispatch(env: HubEnv, call: Call): Promise<unknown> {
  return carry(env, { ...call, approvedBy: null, along: [] })
}

function meant({ table }: HubEnv, name: string): string {
  const near = nearest(name, [...table.keys()])
  return near === null ? '' : `; did you mean "${near}"?`
}

interface Approved extends Call, Omit<Actor, 'principal'> {
  /** The room whose people have said yes. */
  readonly room?: string
}

/** The same for a call that a person has approved. Its commit includes the changes in `along`. */
export async function carry(hub: HubEnv, call: Approved): Promise<unknown> {
  const method = hub.table.get(call.method)
  if (method === undefined)
    throw new HubError(HUB_CODES.method, `Unknown method "${call.method}"${meant(hub, call.method)}`)
  // What agents of other homes read in one call is of one look.
  const env: HubEnv = PEER_READS.has(method.act) ? { ...hub, looks: 'once', looked: null } : hub
  const params: unknown = checkParameters(method.name, method.params, call.params ?? {})
  const { principal, approvedBy, along } = call
  try {
    const seen = approvedBy === null && isLimited(env, principal) ? await seenBy(env, principal) : null
    const resource = await resourceOf({ env, seen }, method, { principal, params })
    if (call.room !== undefined && call.room !== askRoom(principal, resource))
      throw new HubError(
        HUB_CODES.denied,
        `Denied: it was moved to ${resource.room === null ? 'no room' : `the room ${resource.room}`}`,
        {
          rule: 'asked-elsewhere',
          reason: `the approval was requested in the room ${call.room}`,
        },
      )
    await allowed(env, method, { call, params, resource, isLimited: seen !== null })
    const actor: Actor = { principal, approvedBy, along }
    if (seen === null) return await method.run(env, params, actor)
    const isLook = method.act === 'see'
    return await withoutHidden(env, principal, () =>
      isLook ? method.run(seen, params, actor) : method.run(env, boundTo(params, resource), actor),
    )
  } catch (error) {
    throw asHubError(error)
  }
}

interface Sight {
  readonly env: HubEnv
  /** The home as the caller sees it; null: all of it. */
  readonly seen: HubEnv | null
}

async function resourceOf(
  { env, seen }: Sight,
  method: Method,
  { principal, params }: Pick<Call, 'principal' | 'params'>,
): Promise<Resource> {
  const isSpeech = method.act === 'speak'
  const among = isSpeech ? env : (seen ?? env)
  try {
    return await withoutHidden(env, principal, () => method.resource(among, params, principal))
  } catch (error) {
    if (principal.kind === 'peer' && isOracle(method.act, asHubError(error))) return { room: null }
    if (seen === null || listsSeen(asHubError(error))) throw error
    const resource = aboutNothing(env, await look(seen), { principal, params })
    const rules = rulesFor(env, await look(seen), resource.room)
    // Who may do it there gets the error itself; to speak, the room doesn't matter.
    if (isSpeech || decide(principal, method.act, { resource, rules }).effect === 'deny') return resource
    throw error
  }
}

/** Invariant 5: policy decides about what isn't there as about what is nobody's. Errors of its own request go out. */
function isOracle(act: Act, { code }: HubError): boolean {
  return code === HUB_CODES.missing || code === HUB_CODES.busy || !act.startsWith('peer-')
}

interface Asked {
  readonly call: Call & { readonly approvedBy: string | null }
  readonly isLimited: boolean
  readonly params: unknown
  readonly resource: Resource
}

/** Throws HubError `denied` with the rule, and the id of the request if the call became one. */
async function allowed(env: HubEnv, method: Method, asked: Asked): Promise<void> {
  const { call, params, resource } = asked
  const { principal, approvedBy } = call
  const snapshot = await look(env)
  const asIf: Principal = approvedBy === null ? principal : { kind: 'human' }
  const decided = decide(asIf, method.act, { resource, rules: rulesFor(env, snapshot, resource.room) })
  const ruling = asked.isLimited ? toldLimited(decided) : decided
  const ask =
    ruling.effect === 'ask'
      ? await openAsk(env, snapshot, { principal, method: method.name, params, resource, ruling })
      : null
  record(env, method, { ...asked, ...call, params, ruling, ask })
  if (ruling.effect === 'allow') return
  const { rule, reason } = ruling
  const said = ask === null ? `Denied: ${reason}` : `Approval required: ${reason} (request ${ask})`
  throw new HubError(HUB_CODES.denied, said, { rule, reason, ...(ask === null ? {} : { ask }) })
}

/** The same words for what isn't there and what they don't see. */
function toldLimited(ruling: Ruling): Ruling {
  const { effect, rule, reason } = ruling
  if (effect !== 'deny') return ruling
  if (rule === 'scope-members') return { ...ruling, reason: NOT_YOURS }
  const isOfRoom = rule === 'member-rooms' || rule === 'own-room'
  return isOfRoom ? { ...ruling, reason: `${reason}, or nothing there has this name` } : ruling
}

interface Ruled extends Asked {
  readonly ruling: Ruling
  readonly ask: string | null
}

/** Acts that change nothing. They are frequent: one turn of a conversation has several. */
const LOOKS: ReadonlySet<Act> = new Set<Act>(['see', 'see-home', 'see-scope', 'speak'])
/** As frequent, but always recorded. */
const PEER_READS: ReadonlySet<Act> = new Set<Act>(['peer-hello', 'peer-read'])

function record(env: HubEnv, method: Method, of: Omit<Ruled, 'call'> & Asked['call']): void {
  const entry: AuditEntry = {
    who: auditedAs(of.principal),
    method: method.name,
    act: method.act,
    room: of.resource.room === NOWHERE ? null : of.resource.room,
    about: idsIn(of.params),
    effect: of.ruling.effect,
    rule: of.approvedBy === null ? of.ruling.rule : 'approved',
    reason: of.ruling.reason,
    ...(of.ask === null ? {} : { ask: of.ask }),
    ...(of.approvedBy === null ? {} : { approvedBy: of.approvedBy }),
  }
  const isLook = of.ruling.effect === 'allow' && LOOKS.has(method.act)
  if (isLook && env.looksAudited === 'never') return
  try {
    const isFrequent = isLook || (of.ruling.effect === 'allow' && PEER_READS.has(method.act))
    const line = env.audit.record(entry, isFrequent ? 'later' : undefined)
    env.channels.publish('audit', line)
  } catch (error) {
    if (!isLook || env.looksAudited === 'always') throw error
  }
}

function idsIn(params: unknown): Record<string, string> {
  if (typeof params !== 'object' || params === null) return {}
  const entries = Object.entries(params)
  const ids = entries
    .filter(([key]) => key.endsWith('Id'))
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const { updates } = params as { readonly updates?: unknown }
  const keys = typeof updates === 'object' && updates !== null ? { sets: Object.keys(updates).join(' ') } : {}
  return { ...Object.fromEntries(ids), ...keys }
}

/** Errors of the engine, with the hub's codes. */
function asHubError(error: unknown): HubError {
  if (error instanceof HubError) return error
  if (!(error instanceof NeoError)) {
    const text = error instanceof Error ? error.message : String(error)
    return new HubError(HUB_CODES.internal, `Internal error: ${text}`)
  }
  const { why, next } = error.more
  const data = {
    ...(why === undefined ? {} : { why }),
    ...(next === undefined ? {} : { next }),
    code: error.code,
  }
  switch (error.code) {
    case 'missing':
      return new HubError(HUB_CODES.missing, error.message, data)
    case 'usage':
      return new HubError(HUB_CODES.params, error.message, { issues: [{ path: [], message: error.message }] })
    case 'failed':
    case 'held':
    case 'refused':
      return new HubError(HUB_CODES.busy, error.message, data)
    case 'config':
    case 'disk':
    case 'git':
    case 'internal':
      return new HubError(HUB_CODES.internal, error.message, data)
  }
}
