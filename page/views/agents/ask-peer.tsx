/** Asks an agent a question, in its card, and shows the answer: at once, or when it comes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import type { AnswerOf, AskedQuestion, ContextRef, PeerAgent } from './agent-types.ts'
import { ContextField } from './context-field.tsx'
import { PeerAnswer } from './peer-answer.tsx'

/** How long the hub waits for the answer. */
const TIMEOUT_S = 60

interface AskPeerProps {
  readonly peer: PeerAgent
  readonly asked: readonly AskedQuestion[]
  readonly onClose: () => void
}

export function AskPeer({ peer, asked, onClose }: AskPeerProps) {
  const text = draft(`ask ${peer.id}`)
  const [context, setContext] = useState<ContextRef>(
    peer.contexts[0] ?? { type: 'repository', identifier: '' },
  )
  const [answer, setAnswer] = useState<AnswerOf | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const isReady = text.value.trim() !== '' && context.identifier.trim() !== ''
  const ask = async () => {
    setAnswer(null)
    const contextScope = [{ type: context.type, identifier: context.identifier.trim() }]
    const params = { agentId: peer.id, query: text.value.trim(), contextScope, timeout: TIMEOUT_S }
    setAnswer(await call<AnswerOf>('agent.query', params))
    text.value = ''
  }
  return (
    <section class="ask-peer stack" aria-label={`Ask ${visible(peer.id)}`}>
      <ContextField value={context} known={peer.contexts} onChange={setContext} />
      <Field label="Question">
        <textarea
          ref={field}
          rows={3}
          maxLength={4_000}
          value={text.value}
          placeholder="such as: Is the login page done?"
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </Field>
      <div class="row end">
        <Button onClick={onClose}>Close</Button>
        <Button tone="primary" icon="send" disabled={!isReady} onClick={ask}>
          Send the question
        </Button>
      </div>
      <div aria-live="polite">
        {answer === null ? null : <Said said={answer} asked={asked} from={peer.id} />}
      </div>
    </section>
  )
}

interface SaidProps {
  /** What came back at once. */
  readonly said: AnswerOf
  readonly asked: readonly AskedQuestion[]
  readonly from: string
}

function Said({ said, asked, from }: SaidProps) {
  if (said.completed) return <PeerAnswer answer={said} from={from} />
  const question = asked.find(({ id }) => id === said.queryId)
  if (question?.answer) return <PeerAnswer answer={question.answer} from={from} />
  if (question?.status === 'refused' || question?.status === 'ended')
    return (
      <p class="bad-text wrap">
        {visible(from)} does not answer{question.why === null ? '' : `: ${visible(question.why)}`}.
      </p>
    )
  return (
    <div class="peer-answer stack">
      <p class="wait-text strong">Not answered yet. The answer appears here, and under Your questions.</p>
      {said.summary === '' ? null : <p class="soft wrap">{visible(said.summary)}</p>}
    </div>
  )
}
