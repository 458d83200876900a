/** What other agents have asked or handed over, and what became of it. */
import { firstLine, visible } from '../../parts/text.ts'
import { StatusMark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import type { TaskStatus } from '../../store/types.ts'
import type { IncomingRequest } from './agent-types.ts'

const STATES: Readonly<
  Record<IncomingRequest['status'], { readonly shape: TaskStatus; readonly words: string }>
> = {
  answered: { shape: 'completed', words: 'Answered' },
  completed: { shape: 'completed', words: 'Completed' },
  waiting: { shape: 'review', words: 'Waits for you' },
  buffered: { shape: 'pending', words: 'Kept for later' },
  running: { shape: 'in_progress', words: 'Running' },
  refused: { shape: 'cancelled', words: 'Refused' },
  failed: { shape: 'failed', words: 'Failed' },
}

export function PeerRequests({ requests }: { readonly requests: readonly IncomingRequest[] }) {
  return (
    <section class="section" aria-label="Requests of other agents">
      <h2>Requests of other agents</h2>
      {requests.length === 0 ? (
        <p class="soft">No agent has asked anything yet.</p>
      ) : (
        <ul class="peer-requests">
          {requests.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </ul>
      )}
    </section>
  )
}

function RequestRow({ request }: { readonly request: IncomingRequest }) {
  const { agentId, kind, text, scope, status, at, askId, taskId } = request
  const { shape, words } = STATES[status]
  return (
    <li>
      <StatusMark status={shape} word label={words} />
      <div class="min0 grow">
        <p class="wrap">{firstLine(text)}</p>
        <p class="soft small wrap">
          {visible(agentId)} · {kind === 'query' ? 'question' : 'task'} · {scope.map(visible).join(', ')} ·{' '}
          <Time at={at} />
        </p>
      </div>
      {askId !== null && status === 'waiting' ? (
        <a href={addressOf('request', askId)}>Decide</a>
      ) : taskId === null ? null : (
        <a href={addressOf('task', taskId)}>Task</a>
      )}
    </li>
  )
}
