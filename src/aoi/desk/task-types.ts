/** What the card of this home shows an agent: the contexts and task types that the access rules give it, and no others. */
import { decideAccess } from '../../domain/peer/access-rules.ts'
import type { ContextRef } from '../../domain/peer/peer.ts'
import type { Context } from '../../engine/context.ts'
import { peerIn } from '../../engine/people/peer-files.ts'

interface Shown {
  readonly contexts: readonly ContextRef[]
  readonly taskTypes: readonly string[]
}

/** @param agentId null: somebody unknown */
export function shownTo(context: Context, agentId: string | null, own: readonly ContextRef[]): Shown {
  const peer = agentId === null ? null : peerIn(context, agentId)
  if (peer === null || peer.revoked) return { contexts: [], taskTypes: [] }
  const { access } = context.look.config()
  const now = context.world.clock.now()
  const decided = (ref: ContextRef, wants: 'read' | 'write') =>
    decideAccess({ agentId: peer.id, role: peer.role, scope: [ref], wants, access, now })
  const seen = own.filter((ref) => {
    const { allowed, audited } = decided(ref, 'read')
    return allowed && !audited
  })
  const types = own.flatMap((ref) => {
    const { allowed, tasks } = decided(ref, 'write')
    return allowed ? tasks : []
  })
  return {
    contexts: seen.map(({ type, identifier }) => ({ type, identifier })),
    taskTypes: [...new Set(types)].toSorted(),
  }
}
