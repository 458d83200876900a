/**
 * The story of a task, told top to bottom: who made it, what was changed, each attempt with what it did, its checks and
 * its cost, each request with its decision. Live or of last month.
 */
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { me } from '../../store/session.ts'
import type { Story, WholeTask } from '../../store/types.ts'
import { Attempt } from './task-attempt.tsx'
import { CommitLink } from './task-commit.tsx'
import '../../style/story.css'

type Item = Story[number]

interface StoryPage {
  readonly items: Story
  readonly cut: boolean
}

interface TaskStoryProps {
  readonly task: WholeTask
  readonly stamp: string
}

export function TaskStory({ task, stamp }: TaskStoryProps) {
  const { story, error } = useStory(task, stamp)
  const [isAll, setAll] = useState(false)
  const items = story?.items ?? []
  const hidden = isAll ? 0 : Math.max(0, items.length - MOST_AT_FIRST)
  return (
    <section class="story" aria-label="Story" aria-busy={story === null && error === null}>
      <h2>What happened</h2>
      {error === null ? null : <p class="bad-text">{error}</p>}
      {story?.cut === true ? <p class="soft small">What is older than this is in History.</p> : null}
      <ol>
        {items.slice(0, hidden === 0 ? 0 : 1).map((item) => (
          <StoryItem key={keyOf(item)} item={item} task={task} />
        ))}
        {hidden === 0 ? null : (
          <li class="story-line">
            <button type="button" class="link" onClick={() => setAll(true)}>
              Show {count(hidden - 1, 'earlier event')}
            </button>
          </li>
        )}
        {together(items.slice(hidden)).map((item) => (
          <StoryItem key={keyOf(item)} item={item} task={task} />
        ))}
      </ol>
    </section>
  )
}

const MOST_AT_FIRST = 40

function keyOf({ kind, at, attempt, request, commit }: Item): string {
  return attempt?.sessionId ?? request?.id ?? `${kind} ${at} ${commit ?? ''}`
}

/** Fetched again when something about the task is new. */
function useStory(
  { id, path }: WholeTask,
  stamp: string,
): { readonly story: StoryPage | null; readonly error: string | null } {
  const [story, setStory] = useState<StoryPage | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call<StoryPage>('task.story', { taskId: id ?? path }, stop.signal).then(
      (found) => {
        setStory(found)
        setError(null)
      },
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [id, path, stamp])
  return { story, error }
}

/** Changes of one kind by one person, one after the other, are one line: the last of them. */
function together(items: Story): Story {
  return items.filter((item, index) => {
    const next = items[index + 1]
    if (item.kind !== 'change' || next === undefined || next.kind !== 'change') return true
    return !(item.event === next.event && item.by === next.by && REPEATED.has(item.event ?? ''))
  })
}

const REPEATED: ReadonlySet<string> = new Set(['update', 'block', 'unblock'])

function StoryItem({ item, task }: { readonly item: Item; readonly task: WholeTask }) {
  if (item.attempt !== null) return <Attempt attempt={item.attempt} task={task} />
  if (item.request !== null) return <Asked item={item} request={item.request} />
  return <Change item={item} task={task} />
}

interface AskedProps {
  readonly item: Item
  readonly request: NonNullable<Item['request']>
}

function Asked({ item, request }: AskedProps) {
  const { id, kind, decision, decidedBy, decidedAt, answer, reason, action } = request
  return (
    <li class="story-line">
      <Icon name="chat" />
      <div class="grow min0">
        <p class="wrap">
          <span class="strong">{whoIs(item.by, null)}</span>{' '}
          {kind === 'question' ? 'asked a question' : 'asked for approval'}:{' '}
          <a href={addressOf('request', id)}>{visible(reason === '' ? action.tool : reason)}</a>
        </p>
        {decision === 'pending' ? null : (
          <p class={decision === 'denied' ? 'bad-text' : 'good-text'}>
            {answer !== null && kind === 'question' ? DECISIONS.answered : DECISIONS[decision]}
            {decidedBy === null ? '' : ` by ${visible(decidedBy)}`}{' '}
            {decidedAt === null ? null : <Time at={decidedAt} />}
            {answer === null ? null : <span class="wrap">: {visible(answer)}</span>}
          </p>
        )}
      </div>
      <span class="soft small">
        <Time at={item.at} />
      </span>
    </li>
  )
}

const DECISIONS = { approved: 'Approved', denied: 'Denied', answered: 'Answered', pending: '' } as const

const WORDS: Readonly<Record<string, readonly [icon: IconName, words: string]>> = {
  update: ['file', 'changed the task'],
  edit: ['file', 'edited the file'],
  block: ['warning', 'blocked it'],
  unblock: ['play', 'unblocked it'],
  start: ['play', 'started it'],
  retry: ['retry', 'retried it'],
  requeue: ['retry', 'put it back in the queue'],
  stop: ['stop', 'stopped it'],
  cancel: ['close', 'cancelled it'],
  complete: ['check', 'completed it'],
  fail: ['close', 'marked it as failed'],
  reject: ['close', 'rejected the work'],
  publish: ['branch', 'opened a pull request'],
  merge: ['branch', 'merged the work'],
  'hand-over': ['send', 'assigned it to a person'],
}

function Change({ item, task }: { readonly item: Item; readonly task: WholeTask }) {
  const { kind, at, by, name, event, says, commit } = item
  const known = WORDS[event ?? '']
  const [icon, words] =
    kind === 'created'
      ? (['plus', 'created the task'] as const)
      : (known ?? ['file', event === 'commit' ? `committed: ${says}` : says])
  const why = known === undefined ? null : reasonIn(says)
  return (
    <li class="story-line">
      <Icon name={icon} />
      <p class="grow min0 wrap">
        <span class="strong">{whoIs(by, name)}</span> {visible(words)}
        {why === null ? '' : `: ${visible(why)}`} <CommitLink task={task} commit={commit} />
      </p>
      <span class="soft small">
        <Time at={at} />
      </span>
    </li>
  )
}

/** `block build (no model is set)`. */
function reasonIn(says: string): string | null {
  return /\((.+)\)$/s.exec(says)?.[1] ?? null
}

/** The person who is signed in is `You`. */
export function whoIs(by: string, name: string | null): string {
  if (by === me.value?.who) return 'You'
  if (by === 'human') return visible(name ?? 'The owner')
  const [kind = '', rest = ''] = by.split(/:(.*)/s)
  if (kind === 'neo') return 'Neo'
  if (kind === 'editor') return 'An editor'
  if (kind === 'session') return 'An agent'
  if (kind === 'schedule') return `The schedule ${visible(rest)}`
  return visible(name ?? rest)
}
