/** A session: what its worker says and does, live or long ago; talk to it, answer it, stop it. */
import { useState } from 'preact/hooks'
import { Button, Empty } from '../../parts/controls.tsx'
import { CostText } from '../../parts/cost.tsx'
import { Icon } from '../../parts/icons.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { count, visible } from '../../parts/text.ts'
import { Elapsed, Time } from '../../parts/time.tsx'
import { Transcript } from '../../parts/transcript/transcript.tsx'
import { useChannel } from '../../store/channels.ts'
import { addressOf, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Card, Session, TaskStatus, WholeSession } from '../../store/types.ts'
import { Loading } from '../inbox/inbox.tsx'
import { Talk } from './session-talk.tsx'
import { type SessionState, useSession } from './use-session.ts'
import '../../style/session.css'

export function SessionView({ id }: { readonly id: string }) {
  const { session, state, error } = useSession(id)
  if (session === null) return error === null ? <Loading /> : <Empty title={error} />
  const isLive = session.state !== 'ended'
  return (
    <article class="view session" aria-label={visible(session.title ?? 'Session')}>
      <Head session={session} state={state} />
      <Transcript sessionId={id} isLive={isLive} />
      {isLive ? <Talk session={session} question={state?.question ?? null} /> : null}
    </article>
  )
}

const WORDS: Readonly<Record<Session['status'], readonly [word: string, like: TaskStatus]>> = {
  starting: ['Starting', 'in_progress'],
  running: ['Running', 'in_progress'],
  waiting_for_input: ['Waits for you', 'blocked'],
  verifying: ['Checking', 'in_progress'],
  completed: ['Completed', 'completed'],
  failed: ['Failed', 'failed'],
  stopped: ['Stopped', 'cancelled'],
}

interface HeadProps {
  readonly session: WholeSession
  readonly state: SessionState | undefined
}

function Head({ session, state }: HeadProps) {
  const status = statusOf(session, state)
  const card = useCard(session)
  const title = session.title ?? card?.title ?? titleIn(session.summary)
  const isLive = session.state !== 'ended'
  return (
    <header class="stack">
      <p class="soft small wrap">
        <a href={roomAddress(session.roomId)}>{session.roomId}</a> / session {session.id}
      </p>
      <div class="row spread">
        <h1 class="wrap grow min0">{visible(title)}</h1>
        <div class="row">
          {session.taskId === '' ? null : (
            <a class="button" href={addressOf('task', session.taskId)}>
              Task
            </a>
          )}
          {card?.status === 'review' && card.sessionId === session.id ? (
            <a class="button primary" href={addressOf('review', card.id)}>
              Review
            </a>
          ) : null}
          {isLive && may('stop-session', session.roomId) ? <Stop session={session} /> : null}
        </div>
      </div>
      <p class="row facts">
        <Status status={status} />
        <Elapsed from={session.startedAt} to={session.endedAt} />
        {isLive ? <Progress card={card} /> : null}
        <Facts session={session} />
      </p>
    </header>
  )
}

/** The live state knows before the file does. */
function statusOf(session: Session, state: SessionState | undefined): Session['status'] {
  const status = state?.status
  return status !== undefined && status in WORDS ? (status as Session['status']) : session.status
}

function titleIn(summary: string): string {
  return /^# (.+)$/m.exec(summary)?.[1] ?? 'Session'
}

function useCard({ roomId, taskId }: Session): Card | undefined {
  const { value } = useChannel<{ readonly tasks: Readonly<Record<string, Card>> }>(`room:${roomId}:tasks`)
  return value.value?.tasks[taskId]
}

function Status({ status }: { readonly status: Session['status'] }) {
  const [word, like] = WORDS[status]
  return <StatusMark status={like} label={word} word />
}

function Progress({ card }: { readonly card: Card | undefined }) {
  if (card === undefined || (card.progress === null && card.currentStep === null)) return null
  return (
    <span class="row">
      {card.progress === null || card.progress === 0 ? null : (
        <progress max={100} value={card.progress} aria-label="Progress">
          {card.progress} %
        </progress>
      )}
      {card.currentStep === null ? null : <span class="soft wrap">{visible(card.currentStep)}</span>}
    </span>
  )
}

function Facts({ session }: { readonly session: WholeSession }) {
  return (
    <>
      <span class="soft">
        {visible(session.worker)}
        {session.model === null ? '' : `, ${visible(session.model)}`}
      </span>
      <CostText cost={session.cost} />
      {session.turns === 0 ? null : <span class="soft num">{count(session.turns, 'turn')}</span>}
      {session.branch === '' ? null : (
        <span class="soft wrap">
          <Icon name="branch" /> <code>{visible(session.branch)}</code>
        </span>
      )}
      <span class="soft">
        started <Time at={session.startedAt} />
      </span>
    </>
  )
}

/** What runs is lost, so it needs a second click. */
function Stop({ session }: { readonly session: Session }) {
  const [isSure, setSure] = useState(false)
  const stop = async () => {
    if (!isSure) return setSure(true)
    await call('session.stop', { sessionId: session.id })
    setSure(false)
  }
  return (
    <>
      {isSure ? <Button onClick={() => setSure(false)}>Let it run</Button> : null}
      <Button
        tone="bad"
        icon="stop"
        onClick={stop}
        title="End its processes. The task waits until you start it again."
      >
        {isSure ? 'Yes, stop it' : 'Stop'}
      </Button>
    </>
  )
}
