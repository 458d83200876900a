/**
 * Policy for agents of other homes. Invariant 1: the access rules decide by the contexts of the request and the peer's own
 * file, nothing that it says of itself. Invariant 2: a refusal says the same whether what was asked for exists or not.
 */
import { decideAccess } from '../peer/access-rules.ts'
import { NO_ACCESS } from '../peer/peer.ts'
import { type Act, allow, deny, type On, type Ruling } from './policy-acts.ts'

export const NO_PEER_ACCESS = 'no rule gives this agent access'

export function forPeer(id: string, act: Act, { resource, rules }: On): Ruling {
  const { known, access = NO_ACCESS, now = 0 } = rules.peers ?? {}
  const peer = known?.get(id)
  if (peer === undefined) return deny('peer-default', NO_PEER_ACCESS)
  if (act === 'move-task' && resource.author === `peer:${id}` && resource.to === 'cancelled')
    return allow('own-work', 'made by this agent')
  if (act === 'see' && resource.author === `peer:${id}`) return allow('own-work', 'made by this agent')
  if (act === 'peer-hello') return allow('known-agent', 'its file is in workspace/agents')
  if (act !== 'peer-read' && act !== 'peer-write') return deny('peer-acts', NO_PEER_ACCESS)
  const wants = act === 'peer-read' ? 'read' : 'write'
  const scope = resource.contexts ?? []
  const decided = decideAccess({ agentId: id, role: peer.role ?? undefined, scope, wants, access, now })
  const rule = decided.rule ?? 'access.default'
  return decided.allowed ? allow(rule, decided.reason) : deny(rule, NO_PEER_ACCESS)
}
