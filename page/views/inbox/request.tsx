/** One request: to be decided, or how it was decided. */
import { useEffect, useState } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { RequestCard } from '../../parts/request-card.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'
import type { Inbox, Request } from '../../store/types.ts'
import { Loading } from './inbox.tsx'

/** @param id of the request, or its path */
export function RequestView({ id }: { readonly id: string }) {
  const inbox = useChannel<Inbox>('inbox')
  const open = inbox.value.value?.requests[id]
  const isKnown = inbox.value.value !== undefined
  const [request, setRequest] = useState<Request | 'missing' | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    if (!isKnown) return
    if (open !== undefined) return setRequest(open)
    const stop = new AbortController()
    call<readonly Request[]>('ask.list', { all: true }, stop.signal).then(
      (all) => setRequest(all.find((one) => one.id === id) ?? 'missing'),
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [id, isKnown, open])
  if (error !== null) return <Empty title={error} />
  if (request === 'missing')
    return <Empty title="This request doesn't exist, or you have no access to its room." />
  if (request === null) return <Loading />
  const isQuestion = request.kind === 'question'
  return (
    <article class="view detail">
      <h1>{isQuestion ? 'Question' : 'Approval request'}</h1>
      {request.decision === 'pending' ? null : <Decision request={request} />}
      <RequestCard request={request} />
    </article>
  )
}

const WORDS = { approved: 'Approved', denied: 'Denied', answered: 'Answered', pending: '' } as const

function Decision({ request }: { readonly request: Request }) {
  const { decision, decidedBy, decidedAt, handledAt, answer } = request
  return (
    <div class="card">
      <p class={decision === 'denied' ? 'bad-text' : 'good-text'}>
        {WORDS[decision]}
        {decidedBy === null ? '' : ` by ${visible(decidedBy)}`}
        {decidedAt === null ? null : (
          <>
            {' '}
            <Time at={decidedAt} />
          </>
        )}
      </p>
      {answer === null ? null : <p class="wrap">{visible(answer)}</p>}
      {handledAt === null ? <p class="soft small">It is being carried out.</p> : null}
    </div>
  )
}
