/**
 * Scopes as the hub's methods see them: what policy and callers get to know of one, and a search in it. Invariant 1: of a
 * scope only names, kinds, counts and times are returned, nothing that was said. Invariant 2: a private chat is searched by
 * its owner and by Neo while it answers there, and by no one else.
 */
import { join } from 'node:path'
import { accountsIn, baseOfTopic, isScopeName, ownerOf } from '../../domain/policy/known-people.ts'
import { decide } from '../../domain/policy/policy.ts'
import type { Principal, ScopeResource } from '../../domain/policy/policy-acts.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { ownersIn } from '../../engine/people/member-files.ts'
import { allScopes, scopeAt, scopeStore } from '../../engine/people/scope-store.ts'
import type { Found, Search } from '../../memory/search/search-index.ts'
import type { HubEnv } from '../env.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { membersOf, peopleOf } from '../rights/member-rules.ts'
import { missing } from './find-in-home.ts'

/** Throws HubError `missing` for a name that nothing is known of. */
export function findScope(env: HubEnv, name: string): ScopeAt {
  const found = isScopeName(name) ? scopeAt(scopeStore(env.context), name) : null
  if (found === null || (found.file === null && found.key === '')) throw missing('conversation', name)
  return found
}

/** The same for a name that nothing is known of: it looks like somebody else's private chat. */
export function scopeNamed(env: HubEnv, name: string): ScopeResource {
  try {
    return scopeResource(env, findScope(env, name))
  } catch {
    return { name, type: 'dm', roles: [], members: [], problem: null, owner: null, silenced: null }
  }
}

export function scopeResource(env: HubEnv, scope: ScopeAt): ScopeResource {
  const { name, type, roles, members, problem, key } = scope
  const { scopes: board } = env.context
  const owner = ownerOf(key, peopleOf(env), allowFrom(env, key))
  return {
    ...{ name, type, roles, members, problem },
    owner: (type !== 'dm' && problem === null) || owner.kind === 'unknown' ? null : owner,
    silenced: board.silenced(name) ?? board.silenced(baseOfTopic(name) ?? name),
  }
}

function allowFrom({ context }: HubEnv, key: string): readonly string[] {
  const channels = context.look.config().rest['channels'] as Readonly<Record<string, unknown>> | undefined
  const name = key.slice(0, key.indexOf(':'))
  const channel = channels?.[name] as { readonly allow_from?: unknown } | undefined
  return ownersIn(context, accountsIn(channel?.allow_from, name))
}

/** Those that the caller may look at. */
export function scopesSeen(env: HubEnv, principal: Principal): readonly ScopeAt[] {
  const rules = { members: membersOf(env), approvers: [], workspaces: [] }
  return allScopes(scopeStore(env.context)).filter((scope) => {
    const resource = { room: null, scope: scopeResource(env, scope) }
    return decide(principal, 'see-scope', { resource, rules }).effect === 'allow'
  })
}

/** Why nobody is heard there; null where those are who belong to it. */
export function whyDead(env: HubEnv, scope: ScopeAt): string | null {
  const { problem, silenced, owner } = scopeResource(env, scope)
  if (problem !== null) return problem
  if (silenced !== null) return silenced
  if (scope.type === 'dm' && owner === null) return 'no member and no entry of allow_from has this number'
  return null
}

const MOST_BYTES = 64 * 1024 * 1024
const SAID = /"type":"(?:user|assistant)"/g

/** How much was said there, by people and by Neo. */
export function itemCount({ context }: HubEnv, { state, folder, keeps }: ScopeAt): number {
  const { files } = context.world
  const folders = [join(state, 'transcripts'), ...(keeps === 'shared' ? [join(folder, 'transcripts')] : [])]
  const counts = folders.flatMap((at) =>
    files.names(at).map((name) => {
      const read = files.read(join(at, name), MOST_BYTES)
      return read.kind === 'file' ? (read.bytes.toString('utf8').match(SAID)?.length ?? 0) : 0
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Null if none is named. Throws HubError `denied`. */
export function scopeToSearch(env: HubEnv, name: string | undefined, principal: Principal): ScopeAt | null {
  return name === undefined ? null : scopeToRead(env, name, principal)
}

/** A conversation whose words the caller may read: a private chat its owner alone. Throws HubError `denied`. */
export function scopeToRead(env: HubEnv, name: string, principal: Principal): ScopeAt {
  const isOwner = principal.kind === 'human'
  const resource = isOwner ? scopeResource(env, findScope(env, name)) : scopeNamed(env, name)
  const reason = whyNotRead(env, resource, principal)
  if (reason === null) return findScope(env, name)
  throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule: 'other-scope', reason })
}

export function canReadScope(env: HubEnv, scope: ScopeAt, principal: Principal): boolean {
  return whyNotRead(env, scopeResource(env, scope), principal) === null
}

function whyNotRead(env: HubEnv, scope: ScopeResource, principal: Principal): string | null {
  const rules = { members: membersOf(env), approvers: [], workspaces: [] }
  const ruling = decide(principal, 'see-scope', { resource: { room: null, scope }, rules })
  const isElses = principal.kind === 'human' && scope.type === 'dm' && scope.owner?.kind !== 'human'
  if (ruling.effect === 'allow' && !isElses) return null
  if (isElses) return 'it is somebody else’s conversation'
  return ruling.rule === 'scope-members' ? NOT_YOURS : ruling.reason
}

/** Of groups too: who takes no part isn't told what there is. */
export const NOT_YOURS = 'this is another person’s conversation'

/** The best of both. */
export async function withScope(
  env: HubEnv,
  home: Found,
  { scope, of }: { readonly scope: ScopeAt; readonly of: Omit<Search, 'parts'> },
): Promise<Found> {
  // Most calls search nothing, and need no index.
  const { searchScope } = await import('../../memory/search/scope-recall.ts')
  const own = await searchScope(env.context, scope, of)
  const named = own.hits.map((hit) => {
    const source = `${scope.name}/${hit.passage.source.slice(hit.passage.source.lastIndexOf('/') + 1)}`
    return { ...hit, passage: { ...hit.passage, part: '', source } }
  })
  const hits = [...named, ...home.hits].toSorted((a, b) => b.score - a.score).slice(0, of.limit)
  return { hits, total: home.total + own.total }
}
