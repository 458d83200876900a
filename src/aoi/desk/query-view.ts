/** What the caller of a query gets, by how far it is. */
import { AgentRefusal, type Answer, AOI_CODES } from '../agent-core.ts'
import type { HubError } from '../../hub/hub.ts'
import type { Clock } from '../../ports/world.ts'
import type { PeerRequest } from './requests.ts'

export function busy(): AgentRefusal {
  return new AgentRefusal(AOI_CODES.busy, 'The agent is busy; try again', { retry_after: 1 })
}

/** The caller stops waiting after its time; the work goes on. */
export async function orTimeout(
  clock: Pick<Clock, 'after'>,
  work: Promise<Answer>,
  { queryId, timeoutS }: { readonly queryId: string; readonly timeoutS: number },
): Promise<Answer> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    stop = clock.after(timeoutS * 1_000, () =>
      reject(new AgentRefusal(AOI_CODES.timeout, 'Timeout', { query_id: queryId })),
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
    work.catch(() => {})
  }
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
