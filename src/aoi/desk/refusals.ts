/** Refusals of the agent protocol, with its codes, made from those of the hub. */
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { ContextRef } from '../../domain/peer/peer.ts'
import { AgentRefusal, AOI_CODES } from '../agent-core.ts'

interface Wanted {
  readonly permission: 'read' | 'write'
  readonly scope: readonly ContextRef[]
}

/** What the hub says of rules, files and people stays here. */
export function refusalOf(error: unknown, { permission, scope }: Wanted): AgentRefusal {
  if (error instanceof AgentRefusal) return error
  if (!(error instanceof HubError)) return new AgentRefusal(AOI_CODES.internal, 'Internal error')
  switch (error.code) {
    case HUB_CODES.denied:
      return new AgentRefusal(AOI_CODES.denied, 'Permission denied', {
        reason: 'no rule gives this agent access',
        required_permission: permission,
        requested_scope: scope,
      })
    case HUB_CODES.missing:
      return new AgentRefusal(AOI_CODES.context, 'Context not found', { requested_scope: scope })
    case HUB_CODES.params:
      return new AgentRefusal(AOI_CODES.params, error.message, error.data as Record<string, unknown>)
    case HUB_CODES.busy:
      return new AgentRefusal(AOI_CODES.busy, 'The agent is busy; try again')
    default:
      return new AgentRefusal(AOI_CODES.internal, 'Internal error')
  }
}
