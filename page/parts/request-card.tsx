/** An approval request or a question, with the exact command or text, and its decision. */
import { call } from '../store/rpc.ts'
import { draft } from '../store/drafts.ts'
import { addressOf, roomAddress } from '../store/routes.ts'
import { may } from '../store/session.ts'
import type { Request } from '../store/types.ts'
import { Button, say } from './controls.tsx'
import { visible } from './text.ts'
import { Time } from './time.tsx'

export function RequestCard({ request }: { readonly request: Request }) {
  const isQuestion = request.kind === 'question'
  return (
    <article class="card request" aria-label={isQuestion ? 'Question' : 'Approval request'}>
      <p class="soft small">
        {isQuestion ? 'Question' : 'Approval request'} ·{' '}
        <a href={roomAddress(request.roomId)}>{request.roomId}</a>
        {request.taskId === null ? null : (
          <>
            {' · '}
            <a href={addressOf('task', request.taskId)}>
              {request.taskTitle === undefined || request.taskTitle === null
                ? 'task'
                : visible(request.taskTitle)}
            </a>
          </>
        )}
        {request.sessionId === null ? null : (
          <>
            {' · '}
            <a href={addressOf('session', request.sessionId)}>session</a>
          </>
        )}
        {request.expiresAt === null ? null : (
          <>
            {' · expires '}
            <Time at={request.expiresAt} />
          </>
        )}
      </p>
      <p class="strong wrap">{visible(request.reason === '' ? request.action.tool : request.reason)}</p>
      <What request={request} />
      {request.decision === 'pending' ? <Decision request={request} /> : null}
    </article>
  )
}

/** A text that is one block of code and nothing else is shown without its fence. */
const ONE_BLOCK = /^```\w*\n((?:(?!```)[\s\S])*)\n```$/

/** Exactly what a person approves: the text of the request's file, the call with its arguments, the files. */
function What({ request: { kind, action, body, reason } }: { readonly request: Request }) {
  const text = body
    .replace(/^Set `decision: approved` or [^\n]*\n*/, '')
    .replace(/\n## Answer\s*<!-- write the answer here, [^>]*-->\s*$/, '')
    .trim()
    .replace(ONE_BLOCK, '$1')
  const args = Object.entries(action.arguments)
  return (
    <>
      {text === '' || text === reason ? null : <pre class="code">{visible(text)}</pre>}
      {kind === 'question' || args.length === 0 ? null : (
        <dl class="pairs">
          <dt>Tool</dt>
          <dd>
            <code>{visible(action.tool)}</code>
          </dd>
          {args.map(([name, value]) => (
            <>
              <dt>{visible(name)}</dt>
              <dd>
                <Value value={value} />
              </dd>
            </>
          ))}
        </dl>
      )}
      {action.files.length === 0 ? null : (
        <p class="small soft">Files: {action.files.map((path) => visible(path)).join(', ')}</p>
      )}
    </>
  )
}

/** A short value in its line, a longer one as a block: always whole. */
function Value({ value }: { readonly value: unknown }) {
  const text = visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  return text.includes('\n') || text.length > 100 ? <pre class="code">{text}</pre> : <code>{text}</code>
}

/** Who may not decide sees the request, and no buttons. */
function Decision({ request }: { readonly request: Request }) {
  if (!may('settle-ask', request.roomId)) return <p class="soft small">You can't decide this request.</p>
  return request.kind === 'question' ? <Answer request={request} /> : <Approve request={request} />
}

function Approve({ request: { id } }: { readonly request: Request }) {
  const decide = (decision: string) => async () => {
    await call('ask.decide', { askId: id, decision })
    say(decision === 'approved' ? 'Approved.' : 'Denied.')
  }
  return (
    <div class="row">
      <Button tone="good" icon="check" onClick={decide('approved')}>
        Approve
      </Button>
      <Button tone="bad" icon="close" onClick={decide('denied')}>
        Deny
      </Button>
    </div>
  )
}

function Answer({ request: { id } }: { readonly request: Request }) {
  const text = draft(`answer ${id}`)
  const send = async () => {
    const answer = text.value.trim()
    if (answer === '') return say('Type an answer first.')
    await call('ask.decide', { askId: id, decision: 'answered', answer })
    text.value = ''
  }
  return (
    <div class="stack">
      <textarea
        aria-label="Your answer"
        placeholder="Your answer"
        rows={3}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send().catch(say)
        }}
      />
      <div class="row">
        <Button tone="primary" icon="send" onClick={send}>
          Answer
        </Button>
      </div>
    </div>
  )
}
