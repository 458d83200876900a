/** The contexts that an agent of another home names: how they are compared, whose they are, and what its rule says. */
import { decideAccess } from '../../../domain/peer/access-rules.ts'
import { normalContext, roomOf } from '../../../domain/peer/contexts.ts'
import type { ContextRef, OwnContext } from '../../../domain/peer/peer.ts'
import type { Snapshot } from '../../../domain/plan/snapshot.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import { peerIn } from '../../../engine/people/peer-files.ts'
import { type HubEnv, look } from '../../env.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import type { Asked } from './scoped-facts.ts'

/** Each as it is compared. Throws HubError `params`. */
function contextsOf(scope: readonly ContextRef[]): readonly ContextRef[] {
  return scope.map((ref, at) => {
    const context = normalContext(ref)
    if ('wrong' in context) throw badParams(['contextScope', at], context.wrong)
    return context
  })
}

/** Throws HubError `missing` for a context of nobody. */
export function ownOf(snapshot: Snapshot, scope: readonly ContextRef[]): Asked['contexts'] {
  const contexts = snapshot.config.agent?.contexts ?? []
  return contextsOf(scope).map((asked) => {
    const own = roomOf(contexts, asked)
    if (own === null || snapshot.rooms.get(own.room)?.room.status === 'archived')
      throw new HubError(HUB_CODES.missing, 'Context not found', { contexts: [asked.identifier] })
    return { asked, own }
  })
}

/** The room whose people decide; null if the context is nobody's. */
function firstRoom(snapshot: Snapshot, scope: readonly ContextRef[]): string | null {
  const contexts: readonly OwnContext[] = snapshot.config.agent?.contexts ?? []
  return contextsOf(scope).map((asked) => roomOf(contexts, asked)?.room ?? null)[0] ?? null
}

export const aboutScope = async (
  env: HubEnv,
  { contextScope: scope }: { readonly contextScope: readonly ContextRef[] },
) => ({
  room: firstRoom(await look(env), scope),
  contexts: contextsOf(scope),
})

/** What the deciding rule says besides the permission; the owner of the home has no limits. */
export function ruleFor(
  env: HubEnv,
  snapshot: Snapshot,
  of: {
    readonly principal: Principal
    readonly scope: readonly ContextRef[]
    readonly wants: 'read' | 'write'
  },
) {
  const { principal, scope, wants } = of
  if (principal.kind !== 'peer') return { auto: true, priority: 'high' as const, tasks: null }
  return accessOf(env, snapshot, { id: principal.id, scope: contextsOf(scope), wants })
}

interface Access {
  readonly id: string
  readonly scope: readonly ContextRef[]
  readonly wants: 'read' | 'write'
}

/** What the access rules say to an agent now. */
export function accessOf(env: HubEnv, { config: { access } }: Snapshot, { id, scope, wants }: Access) {
  const role = peerIn(env.context, id)?.role
  return decideAccess({ agentId: id, role, scope, wants, access, now: env.context.world.clock.now() })
}

/** Null if no rule for the agent hides a part of what another one shows. */
export function readerOf(env: HubEnv, snapshot: Snapshot, principal: Principal): Asked['mayRead'] {
  if (principal.kind !== 'peer') return null
  const role = peerIn(env.context, principal.id)?.role
  const hides = snapshot.config.access.rules.some(
    ({ agentId: id, agentRole, permission, scopeType }) =>
      permission === 'none' &&
      (scopeType === 'folder' || scopeType === 'file' || scopeType === '*') &&
      (id === principal.id || id === '*') &&
      (agentRole === undefined || agentRole === role),
  )
  return hides ? (context) => maySee(env, snapshot, { principal, context }) : null
}

export function maySee(
  env: HubEnv,
  snapshot: Snapshot,
  { principal, context }: { readonly principal: Principal; readonly context: ContextRef },
): boolean {
  if (principal.kind !== 'peer') return true
  const { allowed, audited } = accessOf(env, snapshot, { id: principal.id, scope: [context], wants: 'read' })
  return allowed && !audited
}
