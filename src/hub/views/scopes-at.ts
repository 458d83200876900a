/**
 * Scopes as the hub's methods see them: what policy is told of one, and what callers are told. Invariant 1: nothing that
 * was said is given: only names, kinds, counts and times.
 */
import { join } from 'node:path'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { accountsIn, baseOfTopic, isScopeName, ownerOf } from '../../domain/policy/known-people.ts'
import { decide } from '../../domain/policy/policy.ts'
import type { ScopeResource, Principal } from '../../domain/policy/policy-acts.ts'
import { ownersIn } from '../../engine/people/member-files.ts'
import { allScopes, scopeStore, scopeAt } from '../../engine/people/scope-store.ts'
import type { HubEnv } from '../env.ts'
import { missing } from './find-in-home.ts'
import { membersOf, peopleOf } from '../rights/member-rules.ts'

/** Throws HubError `missing` for a name that nothing is known of. */
export function findScope(env: HubEnv, name: string): ScopeAt {
  const found = isScopeName(name) ? scopeAt(scopeStore(env.context), name) : null
  if (found === null || (found.file === null && found.key === '')) throw missing('conversation', name)
  return found
}

export function scopeResource(env: HubEnv, scope: ScopeAt): ScopeResource {
  const { name, type, roles, members, problem, key } = scope
  const { scopes: board } = env.context
  const owner = ownerOf(key, peopleOf(env), allowFrom(env, key))
  return {
    ...{ name, type, roles, members, problem },
    owner: type !== 'dm' || owner.kind === 'unknown' ? null : owner,
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
