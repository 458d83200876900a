/** Asks an agent a question, in its card, and shows the answer with what it is based on. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field } from '../../parts/controls.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import type { AnswerOf, ContextRef, PeerAgent } from './agent-types.ts'
import { ContextField } from './context-field.tsx'

/** How long the hub waits for the answer. */
const TIMEOUT_S = 60

export function AskPeer({ peer, onClose }: { readonly peer: PeerAgent; readonly onClose: () => void }) {
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
      <div aria-live="polite">{answer === null ? null : <Answered answer={answer} from={peer.id} />}</div>
    </section>
  )
}

function Answered({ answer, from }: { readonly answer: AnswerOf; readonly from: string }) {
  const { completed, summary, progress, blockers = [], contextRefs } = answer
  return (
    <article class="peer-answer stack" aria-label={`Answer of ${visible(from)}`}>
      {completed ? null : <p class="wait-text strong">Not answered yet. {visible(from)} answers later.</p>}
      {summary === '' ? null : <Markdown text={summary} />}
      {progress === undefined ? null : <p>Progress: {Math.round(progress)} %</p>}
      {blockers.length === 0 ? null : (
        <div>
          <p class="strong">Blocked by</p>
          <ul class="dotted">
            {blockers.map((blocker) => (
              <li key={blocker}>{visible(blocker)}</li>
            ))}
          </ul>
        </div>
      )}
      {contextRefs.length === 0 ? (
        completed ? (
          <p class="soft small">It names nothing that the answer is based on.</p>
        ) : null
      ) : (
        <div>
          <p class="strong">Based on</p>
          <ul class="dotted">
            {contextRefs.map(({ type, ref, summary: what }) => (
              <li key={`${type} ${ref}`} class="wrap">
                <span class="soft">{visible(type)}</span> <code>{visible(ref)}</code>{' '}
                {what === undefined ? '' : visible(what)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </article>
  )
}
