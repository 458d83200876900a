/** Events of audit.timeline, newest first, a page at a time. */
import { useEffect, useState } from 'preact/hooks'
import { addressOf, roomAddress } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { Button, Empty } from './controls.tsx'
import { visible } from './text.ts'
import { Time } from './time.tsx'

export interface TimelineEvent {
  readonly at: string
  readonly source: 'audit' | 'git' | 'transcript'
  readonly kind: string
  readonly actor: string
  readonly name: string | null
  readonly roomId: string | null
  readonly taskId: string | null
  readonly sessionId: string | null
  readonly says: string
  readonly file: string | null
  readonly commit: string | null
}

interface Page {
  readonly events: readonly TimelineEvent[]
  readonly cursor: string | null
}

interface TimelineProps {
  /** Parameters of audit.timeline. */
  readonly about: Readonly<Record<string, unknown>>
  /** When this changes, the first page is fetched again. */
  readonly version?: string
}

const PAGE = 50

export function Timeline({ about, version = '' }: TimelineProps) {
  const [events, setEvents] = useState<readonly TimelineEvent[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const key = JSON.stringify(about)
  useEffect(() => {
    const stop = new AbortController()
    call<Page>('audit.timeline', { ...about, limit: PAGE }, stop.signal).then(
      (page) => {
        setEvents(page.events)
        setCursor(page.cursor)
      },
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [key, version])
  const more = async () => {
    const page = await call<Page>('audit.timeline', { ...about, limit: PAGE, cursor })
    setEvents([...(events ?? []), ...page.events])
    setCursor(page.cursor)
  }
  if (error !== null) return <Empty title={error} />
  if (events === null) return <div aria-busy="true" />
  if (events.length === 0) return <Empty title="Nothing happened yet." />
  return (
    <>
      <ol class="timeline">
        {events.map((event, index) => (
          <Event key={`${event.at} ${event.commit ?? ''} ${index}`} event={event} />
        ))}
      </ol>
      {cursor === null ? null : <Button onClick={more}>Show older</Button>}
    </>
  )
}

function Event({ event }: { readonly event: TimelineEvent }) {
  const { at, kind, actor, name, roomId, taskId, sessionId, says, commit } = event
  return (
    <li class="event" data-kind={kind}>
      <span class="event-at soft small">
        <Time at={at} />
      </span>
      <div class="min0 grow">
        <p class="wrap">{visible(says === '' ? kind : says)}</p>
        <p class="soft small row">
          <span>{visible(name ?? actor)}</span>
          {roomId === null ? null : <a href={roomAddress(roomId)}>{roomId}</a>}
          {taskId === null ? null : <a href={addressOf('task', taskId)}>task</a>}
          {sessionId === null ? null : <a href={addressOf('session', sessionId)}>session</a>}
          {commit === null ? null : <code title={commit}>{commit.slice(0, 8)}</code>}
        </p>
      </div>
    </li>
  )
}
