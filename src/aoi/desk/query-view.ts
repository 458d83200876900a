/** What the caller of a query gets, by how far it is. */
import { AgentRefusal, type Answer, AOI_CODES, type QueryParams } from '../agent-core.ts'
import type { HubError } from '../../hub/hub.ts'
import type { PeerRequest } from './requests.ts'

/** The same id for something else is a mistake of the caller, who would believe the old answer. */
export function sameOf(
  known: PeerRequest,
  { query, scope }: Pick<QueryParams, 'query' | 'scope'>,
): PeerRequest {
  if (known.text === query && JSON.stringify(known.scope) === JSON.stringify(scope)) return known
  throw new AgentRefusal(AOI_CODES.params, 'This id was used for another request')
}

export function busy(): AgentRefusal {
  return new AgentRefusal(AOI_CODES.busy, 'The agent is busy; try again', { retry_after: 1 })
}

/** The approval request that a refused call became. */
export function askIn({ data }: HubError): string | null {
  const { ask } = (data ?? {}) as { readonly ask?: unknown }
  return typeof ask === 'string' ? ask : null
}

export function viewOf({ id, status, answer }: PeerRequest): Answer {
  if (answer !== undefined) return answer
  const waitsForPerson = status === 'waiting'
  return { queryId: id, completed: false, summary: SAYS[status] ?? '', refs: [], waitsForPerson }
}

const SAYS: Partial<Record<PeerRequest['status'], string>> = {
  waiting: 'A person has to approve the answer first.',
  buffered: 'The answer comes after the focus hours of its owner.',
  running: 'The answer comes later.',
}
