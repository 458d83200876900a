/**
 * Policy of conversations: who may speak in a scope, read it, store something in it, share from it or purge it.
 * Invariant 1: a group for parents admits no child, no matter what else its file says. Invariant 2: only its owner
 * uses a private chat: the owner of the home may tidy and purge it, but not read it, add to it or share from it.
 * Invariant 3: Neo acts only in the scope that it answers in, and never shares or purges. Invariant 4: a member learns
 * why a conversation is closed only if they take part in it.
 */
import { hasChildsRights, refusedInGroup } from './known-people.ts'
import {
  type Act,
  allow,
  deny,
  type On,
  type Principal,
  type Ruling,
  type ScopeResource,
  stricter,
} from './policy-acts.ts'
import { forMember } from './policy-member.ts'

const SCOPE_ACTS = ['speak', 'see-scope', 'keep-scope', 'tend-scope', 'share', 'purge-scope'] as const
type ScopeAct = (typeof SCOPE_ACTS)[number]

export function isScopeAct(act: Act): act is ScopeAct {
  return SCOPE_ACTS.some((one) => one === act)
}

export function inScope(caller: Principal, act: ScopeAct, on: On): Ruling {
  const { scope } = on.resource
  switch (caller.kind) {
    case 'human':
      return dead(act, scope) ?? elses(act, scope) ?? allow('owner', 'owner of the home')
    case 'member':
      return forMemberIn(caller.id, act, on)
    case 'neo':
      return forNeoIn(caller, act, on)
    case 'session':
      return deny('session-acts', "a session can't access conversations")
    case 'peer':
      return deny('peer-default', 'no rule gives this agent access')
    case 'editor':
      return deny('person-decides', 'a conversation is for people, not for editors')
  }
}

/** Denies acts in a scope that is closed; else null. */
function dead(act: ScopeAct, scope: ScopeResource | undefined): Ruling | null {
  if (act !== 'speak' || scope === undefined) return null
  if (scope.problem !== null) return deny('scope-file', scope.problem)
  return scope.silenced === null ? null : deny('silent', scope.silenced)
}

/** The owner tidies and purges everything in the home, but has no part in private chats of others. */
const PARTS: ReadonlySet<ScopeAct> = new Set<ScopeAct>(['speak', 'keep-scope', 'share'])

function elses(act: ScopeAct, scope: ScopeResource | undefined): Ruling | null {
  if (scope?.type !== 'dm' || scope.owner?.kind !== 'member' || !PARTS.has(act)) return null
  return deny('other-scope', 'this is another person’s conversation')
}

function forMemberIn(id: string, act: ScopeAct, on: On): Ruling {
  const { resource, rules } = on
  const member = rules.members.get(id)
  if (member === undefined) return deny('member-unknown', `${id} is not a member of this home`)
  // For the list of conversations, each one is checked separately.
  if (resource.scope === undefined)
    return act === 'see-scope'
      ? allow('member', 'own conversations')
      : deny('member-acts', 'no conversation given')
  const why = whyNotIn({ id, role: member.role }, resource.scope)
  if (why !== null) return deny('scope-members', why)
  if (resource.scope.problem !== null) return deny('scope-file', resource.scope.problem)
  const closed = dead(act, resource.scope)
  if (closed !== null) return closed
  switch (act) {
    case 'speak':
    case 'see-scope':
    case 'keep-scope':
    case 'tend-scope':
      return allow('scope-members', 'participant of the conversation')
    case 'share':
      return forMember(id, 'remember', on)
    case 'purge-scope':
      return resource.scope.owner !== null && !hasChildsRights(member.role)
        ? allow('own-scope', 'own conversation')
        : deny('own-scope', 'only the owner of the home can purge it')
  }
}

function whyNotIn(
  member: { readonly id: string; readonly role: string },
  { type, owner, roles, members, problem }: ScopeResource,
): string | null {
  // Who is in a group whose file can't be read, nobody knows.
  const isOwn = owner?.kind === 'member' && owner.id === member.id
  if (type === 'dm' || problem !== null) return isOwn ? null : 'this is another person’s conversation'
  return refusedInGroup({ kind: 'member', ...member }, { type, roles, members })
}

function forNeoIn(caller: Principal & { readonly kind: 'neo' }, act: ScopeAct, on: On): Ruling {
  const { onBehalfOf } = caller
  if (onBehalfOf === undefined || onBehalfOf.scope === null || onBehalfOf.scope !== on.resource.scope?.name)
    return deny('other-scope', 'Neo can act only in the conversation in which it answers')
  if (act !== 'see-scope' && act !== 'keep-scope') return deny('person-decides', 'only a person can do this')
  const own = allow('own-scope', 'current conversation')
  if (onBehalfOf.speaker === 'human') return own
  return stricter(own, forMemberIn(onBehalfOf.speaker.slice('member:'.length), act, on))
}
