/**
 * What a conversation remembers, beside what the home does, for those who have a part in it. Invariant 1: a private chat
 * is searched by its owner and by Neo while he answers there, and by nobody else.
 */
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { decide } from '../../domain/policy/policy.ts'
import type { Found, Search } from '../../memory/search/search-index.ts'
import { searchScope } from '../../memory/search/scope-recall.ts'
import type { HubEnv } from '../env.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { findScope, scopeResource } from './scopes-at.ts'

/** Null if none is named. Throws HubError `denied`. */
export function scopeToSearch(env: HubEnv, name: string | undefined, principal: Principal): ScopeAt | null {
  return name === undefined ? null : scopeToRead(env, name, principal)
}

/** A conversation whose words the caller may read: a private chat its owner alone. Throws HubError `denied`. */
export function scopeToRead(env: HubEnv, name: string, principal: Principal): ScopeAt {
  const scope = findScope(env, name)
  const resource = scopeResource(env, scope)
  const rules = { members: membersOf(env), approvers: [], workspaces: [] }
  const ruling = decide(principal, 'see-scope', { resource: { room: null, scope: resource }, rules })
  const isElses = principal.kind === 'human' && scope.type === 'dm' && resource.owner?.kind !== 'human'
  if (ruling.effect === 'allow' && !isElses) return scope
  const reason = isElses ? 'it is somebody else’s conversation' : ruling.reason
  throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule: 'other-scope', reason })
}

/** The best of both. */
export async function withScope(
  env: HubEnv,
  home: Found,
  { scope, of }: { readonly scope: ScopeAt; readonly of: Omit<Search, 'parts'> },
): Promise<Found> {
  const own = await searchScope(env.context, scope, of)
  const named = own.hits.map((hit) => {
    const source = `${scope.name}/${hit.passage.source.slice(hit.passage.source.lastIndexOf('/') + 1)}`
    return { ...hit, passage: { ...hit.passage, part: '', source } }
  })
  const hits = [...named, ...home.hits].toSorted((a, b) => b.score - a.score).slice(0, of.limit)
  return { hits, total: home.total + own.total }
}
