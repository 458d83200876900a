/** What we have asked other agents, newest first. An answer that comes later appears here by itself. */
import { useState } from 'preact/hooks'
import { StatusMark } from '../../parts/status.tsx'
import { firstLine, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import type { TaskStatus } from '../../store/types.ts'
import type { AskedQuestion } from './agent-types.ts'
import { PeerAnswer } from './peer-answer.tsx'

const STATES: Readonly<
  Record<AskedQuestion['status'], { readonly shape: TaskStatus; readonly words: string }>
> = {
  waiting: { shape: 'in_progress', words: 'Waiting' },
  answered: { shape: 'completed', words: 'Answered' },
  refused: { shape: 'failed', words: 'Refused' },
  ended: { shape: 'cancelled', words: 'No answer' },
}

export function AskedQuestions({ asked }: { readonly asked: readonly AskedQuestion[] }) {
  return (
    <section class="section" aria-label="Your questions">
      <h2>Your questions</h2>
      {asked.length === 0 ? (
        <p class="soft">You have asked no agent yet.</p>
      ) : (
        <ul class="peer-requests">
          {asked.map((question) => (
            <AskedRow key={question.id} question={question} />
          ))}
        </ul>
      )}
    </section>
  )
}

function AskedRow({ question }: { readonly question: AskedQuestion }) {
  const { agentId, query, scope, status, at, answer, why } = question
  const [isOpen, setOpen] = useState(false)
  const { shape, words } = STATES[status]
  return (
    <li>
      <StatusMark status={shape} word label={words} />
      <div class="min0 grow stack">
        <div>
          <p class="wrap">{isOpen ? visible(query) : firstLine(query)}</p>
          <p class="soft small wrap">
            {visible(agentId)} · {scope.map(visible).join(', ')} · <Time at={at} />
            {why === null ? null : ` · ${visible(why)}`}
          </p>
        </div>
        {isOpen && answer !== null ? <PeerAnswer answer={answer} from={agentId} /> : null}
      </div>
      {answer === null ? null : (
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the answer' : 'Show the answer'}
        </button>
      )}
    </li>
  )
}
