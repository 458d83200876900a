/** The task types that access rules let an agent start; for its card. */
import type { Context } from '../../engine/context.ts'
import { peersIn } from '../../engine/people/peer-files.ts'

export function templatesAllowed(context: Context, agentId: string | null): readonly string[] {
  const peer = peersIn(context).find(({ id }) => id === agentId)
  if (peer === undefined) return []
  const rules = context.look
    .config()
    .access.rules.filter(
      (rule) => rule.agentId === peer.id || rule.agentId === '*' || rule.agentRole === peer.role,
    )
  return [...new Set(rules.flatMap(({ tasks }) => tasks))].toSorted()
}
