/** What a session asks, and the field for a message to it. */
import { Button, say } from '../../parts/controls.tsx'
import { RequestCard } from '../../parts/request-card.tsx'
import { visible } from '../../parts/text.ts'
import { useChannel } from '../../store/channels.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Inbox, Session } from '../../store/types.ts'

interface TalkProps {
  readonly session: Session
  readonly question: string | null
}

export function Talk({ session, question }: TalkProps) {
  const inbox = useChannel<Inbox>('inbox')
  const requests = Object.values(inbox.value.value?.requests ?? {}).filter(
    ({ sessionId }) => sessionId === session.id,
  )
  if (requests.length > 0)
    return (
      <div class="talk stack">
        {requests.map((request) => (
          <RequestCard key={request.id} request={request} />
        ))}
      </div>
    )
  // Runbooks read no messages.
  if (session.worker === 'shell' || !may('talk', session.roomId)) return null
  return (
    <div class="talk">
      {question === null ? null : <p class="card wrap">{visible(question)}</p>}
      <Message session={session} isAnswer={question !== null} />
    </div>
  )
}

function Message({ session, isAnswer }: { readonly session: Session; readonly isAnswer: boolean }) {
  const text = draft(`message ${session.id}`)
  const label = isAnswer ? 'Your answer' : 'Message to the session'
  const send = async () => {
    const content = text.value.trim()
    if (content === '') return say('Type a message first.')
    await call('message.send', { sessionId: session.id, content })
    text.value = ''
    say(isAnswer ? 'Answered.' : 'Sent. The session reads it after its present step.')
  }
  return (
    <div class="row message-row">
      <textarea
        class="grow"
        rows={1}
        aria-label={label}
        placeholder={`${label} (Ctrl Enter sends)`}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send().catch(say)
        }}
      />
      <Button tone="primary" icon="send" onClick={send}>
        {isAnswer ? 'Answer' : 'Send'}
      </Button>
    </div>
  )
}
