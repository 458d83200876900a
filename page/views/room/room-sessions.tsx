/** The sessions of a room: those at work first, then past ones with their task, how they ended, how long and at what cost. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty } from '../../parts/controls.tsx'
import { priceOf } from '../../parts/cost.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { number, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Took } from '../../parts/took.tsx'
import { addressOf, path } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import type { Card, TaskStatus, WholeSession } from '../../store/types.ts'
import '../../style/room.css'

interface RoomSessionsProps {
  readonly room: string
  readonly cards: Readonly<Record<string, Card>>
}

const PAGE = 100
/** The most that the hub gives. */
const MOST = 1_000

export function RoomSessions({ room, cards }: RoomSessionsProps) {
  const [limit, setLimit] = useState(PAGE)
  const { sessions, error } = useSessions(room, { cards, limit })
  if (error !== null) return <Empty title={error} />
  if (sessions === null) return <div aria-busy="true" />
  if (sessions.length === 0)
    return (
      <Empty title="No sessions yet.">
        <p class="soft">A session is one run of a task. Start a task to see it here.</p>
      </Empty>
    )
  const atWork = sessions.filter(({ state }) => state !== 'ended')
  const past = sessions.filter(({ state }) => state === 'ended')
  return (
    <div class="room-sessions">
      <Section title="At work" sessions={atWork} cards={cards} />
      <Section title="Past" sessions={past} cards={cards} />
      {sessions.length < limit || limit >= MOST ? null : (
        <p>
          <Button onClick={() => setLimit(MOST)}>Show older</Button>
        </p>
      )}
    </div>
  )
}

/** Fetched again when a session begins or ends: then another one is at work. */
function useSessions(
  room: string,
  { cards, limit }: { readonly cards: RoomSessionsProps['cards']; readonly limit: number },
) {
  const [sessions, setSessions] = useState<readonly WholeSession[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  const working = Object.values(cards)
    .filter(({ status }) => status === 'in_progress')
    .map(({ sessionId }) => sessionId)
    .join(' ')
  useEffect(() => {
    const stop = new AbortController()
    call<readonly WholeSession[]>('session.list', { roomId: room, limit }, stop.signal).then(
      setSessions,
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [room, limit, working])
  return { sessions, error }
}

interface SectionProps {
  readonly title: string
  readonly sessions: readonly WholeSession[]
  readonly cards: RoomSessionsProps['cards']
}

function Section({ title, sessions, cards }: SectionProps) {
  if (sessions.length === 0) return null
  return (
    <section class="section" aria-label={title}>
      <h2>
        {title} <span class="badge quiet">{number(sessions.length)}</span>
      </h2>
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <Row session={session} card={cards[session.taskId]} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const LIKE: Readonly<Record<WholeSession['status'], readonly [TaskStatus, string]>> = {
  starting: ['in_progress', 'Starting'],
  running: ['in_progress', 'Running'],
  waiting_for_input: ['blocked', 'Waits for an answer'],
  verifying: ['in_progress', 'Checking'],
  completed: ['completed', 'Completed'],
  failed: ['failed', 'Failed'],
  stopped: ['cancelled', 'Stopped'],
}

interface RowProps {
  readonly session: WholeSession
  readonly card: Card | undefined
}

function Row({ session, card }: RowProps) {
  const { id, status, state, worker, model, startedAt, endedAt, cost, summary } = session
  const [like, word] = LIKE[status]
  const address = addressOf('session', id)
  const title = session.title ?? card?.title ?? /^# (.+)$/m.exec(summary)?.[1] ?? id
  const step = state === 'ended' || card?.sessionId !== id ? null : card.currentStep
  return (
    <a class="list-row session-row" href={address} aria-current={path.value === address ? 'true' : undefined}>
      <StatusMark status={like} label={word} />
      <span class="clip grow min0">
        {visible(title)}
        {step === null ? null : <span class="soft small"> {visible(step)}</span>}
      </span>
      <span class="soft small worker clip">{visible(model ?? worker)}</span>
      <span class="soft small num cost">
        {cost === null ? '' : `${number(cost.tokens)} tokens, ${priceOf(cost)}`}
      </span>
      <span class="small num took">
        <Took from={startedAt} to={endedAt} />
      </span>
      <span class="soft small when">
        <Time at={startedAt} />
      </span>
    </a>
  )
}
