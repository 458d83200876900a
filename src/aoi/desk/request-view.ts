/** How requests of agents look to clients of this home. */
import { contextText } from '../../hub/methods/agents/agent-shapes.ts'
import type { PeerRequestView } from '../../hub/peer-control.ts'
import type { PeerRequest } from './requests.ts'

export function viewRequest(request: PeerRequest): PeerRequestView {
  const { id, agentId, kind, text, status, at, askId, taskId, roomId, scope } = request
  return { id, agentId, kind, text, scope: scope.map(contextText), status, at, askId, taskId, roomId }
}
