/** One event in plain words, with links to what it is about. */
import type { ComponentChildren } from 'preact'
import { addressOf, agentActivity, roomAddress } from '../../store/routes.ts'
import { me } from '../../store/session.ts'
import { past, subjectParts } from './past-words.ts'
import { visible } from '../text.ts'
import { Exact } from '../time.tsx'
import type { TimelineEvent } from './use-timeline.ts'

export function EventRow({ event }: { readonly event: TimelineEvent }) {
  const { at, kind, roomId, taskId, sessionId, agentId, commit, decision, source } = event
  const effect = decision?.effect ?? 'none'
  return (
    <li class="event" data-kind={kind} data-effect={effect} data-source={source}>
      <span class="event-at">
        <Exact at={at} />
      </span>
      <div class="event-body">
        <p class="wrap min0">
          <Who event={event} />
          {source === 'transcript' ? ': ' : ' '}
          <What event={event} />
        </p>
        <p class="soft small row">
          {roomId === null ? null : <a href={roomAddress(roomId)}>{roomId}</a>}
          {taskId === null ? null : <a href={addressOf('task', taskId)}>task</a>}
          {sessionId === null ? null : <a href={addressOf('session', sessionId)}>session</a>}
          {agentId === null ? null : <a href={agentActivity(agentId)}>{visible(agentId)}</a>}
          {decision?.askId == null ? null : <a href={addressOf('request', decision.askId)}>request</a>}
          {commit === null ? null : <Commit commit={commit} taskId={taskId} />}
        </p>
      </div>
    </li>
  )
}

function Who({ event: { actor, name } }: { readonly event: TimelineEvent }) {
  const isYou = me.value?.who === actor
  const [kind = '', id = ''] = actor.split(/:(.*)/s)
  const said = isYou ? 'You' : whoOf(kind, id, name)
  return (
    <span class="strong" title={visible(actor)}>
      {visible(said)}
    </span>
  )
}

function whoOf(kind: string, id: string, name: string | null): string {
  switch (kind) {
    case 'human':
      return name ?? 'The owner'
    case 'neo':
      return 'Neo'
    case 'member':
      return id
    case 'session':
      return 'An agent'
    case 'peer':
      return `Agent ${id}`
    case 'editor':
      return 'An editor'
    default:
      return name ?? `${kind} ${id}`.trim()
  }
}

function What({ event }: { readonly event: TimelineEvent }) {
  const { decision, source, says } = event
  if (decision !== null) return <Decision decision={decision} says={says} />
  if (source === 'git') return <Change event={event} />
  return <>{visible(says === '' ? event.kind : says)}</>
}

/** Where the summary of a method says what Neo does, not what the caller wants. */
const WORDS: Readonly<Record<string, string>> = {
  subscribe: 'follow live changes',
  'aoi.query': 'ask a question',
  'aoi.task.execute': 'hand over a task',
  'aoi.answer': 'answer a question',
}

interface DecisionProps {
  readonly decision: NonNullable<TimelineEvent['decision']>
  readonly says: string
}

function Decision({ decision: { method, does, effect }, says }: DecisionProps) {
  const what = WORDS[method] ?? does ?? method
  const small = what.charAt(0).toLowerCase() + what.slice(1)
  // The rule and its reason stand in brackets at the end.
  const [, reason] = /\([^:()]*: (.*)\)$/s.exec(says) ?? []
  if (effect === 'allow') return <>{past(what) ?? small}</>
  return (
    <>
      <span class={effect === 'deny' ? 'bad-text' : 'wait-text'}>
        {effect === 'deny' ? 'was refused' : 'asked for approval'}
      </span>
      : {small}
      {reason === undefined ? null : <Note>{reason}</Note>}
    </>
  )
}

function Change({ event: { says, taskId } }: { readonly event: TimelineEvent }) {
  const parts = subjectParts(says)
  if (parts === null || parts.verb === null) return <>saved “{visible(says)}”</>
  const { verb, object, result } = parts
  const hasFailed = verb === 'failed'
  return (
    <>
      {hasFailed ? 'marked' : verb}{' '}
      {taskId === null || object === '' ? (
        visible(object)
      ) : (
        <a href={addressOf('task', taskId)}>{visible(object)}</a>
      )}
      {hasFailed ? ' as failed' : ''}
      {result === null ? null : <Note>{result}</Note>}
    </>
  )
}

function Note({ children }: { readonly children: ComponentChildren }) {
  return <span class="soft"> · {typeof children === 'string' ? visible(children) : children}</span>
}

/** What a commit of a task changed has a view; the id of another one is copied. */
function Commit({ commit, taskId }: { readonly commit: string; readonly taskId: string | null }) {
  const short = commit.slice(0, 8)
  if (taskId !== null)
    return (
      <a class="mono" href={addressOf('commit', `${taskId}/${commit}`)} aria-label={`Commit ${short}`}>
        {short}
      </a>
    )
  return (
    <button
      type="button"
      class="link small mono"
      title="Copy the commit's id"
      aria-label={`Copy the commit's id, ${short}`}
      onClick={() => void navigator.clipboard?.writeText(commit)}
    >
      {short}
    </button>
  )
}
