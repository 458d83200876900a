/** One attempt at a task: how it ended, its checks, what it cost, and, when opened, all that it did. */
import { useState } from 'preact/hooks'
import { Ansi } from '../../parts/transcript/ansi.tsx'
import { CostText } from '../../parts/cost.tsx'
import { Icon } from '../../parts/icons.tsx'
import { lazyView } from '../../parts/lazy.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { duration, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Took } from '../../parts/took.tsx'
import { addressOf } from '../../store/routes.ts'
import type { Story, TaskStatus, WholeTask } from '../../store/types.ts'
import { CommitLink } from './task-commit.tsx'
import '../../style/transcript.css'

const Transcript = lazyView(() =>
  import('../../parts/transcript/transcript.tsx').then(({ Transcript }) => Transcript),
)

type StoryAttempt = NonNullable<Story[number]['attempt']>
type Status = NonNullable<StoryAttempt['status']>

const WORDS: Readonly<Record<Status, readonly [word: string, like: TaskStatus]>> = {
  starting: ['starting', 'in_progress'],
  running: ['running', 'in_progress'],
  waiting_for_input: ['waits for an answer', 'blocked'],
  verifying: ['checking', 'in_progress'],
  completed: ['completed', 'completed'],
  failed: ['failed', 'failed'],
  stopped: ['stopped', 'cancelled'],
}

interface AttemptProps {
  readonly attempt: StoryAttempt
  readonly task: WholeTask
}

export function Attempt({ attempt, task }: AttemptProps) {
  const [isOpen, setOpen] = useState(false)
  const { sessionId, status, error, result, isKept } = attempt
  const [word, like] = WORDS[status ?? 'stopped']
  const isLive = attempt.endedAt === null && sessionId === task.sessionId && task.status === 'in_progress'
  return (
    <li class="story-item">
      <StatusMark status={like} label={word} />
      <section class="card attempt" aria-label={`Attempt ${attempt.number ?? ''}`}>
        <Head attempt={attempt} word={word} />
        {error === null || isSaidAbove(attempt, task) ? null : (
          <pre class="code bad-text">{visible(error)}</pre>
        )}
        {result === null ? null : <Markdown text={result} />}
        <Checks checks={attempt.checks} />
        <Commits attempt={attempt} task={task} />
        {isKept ? (
          <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name="chevron" />
            <span class="fold-title">What it did</span>
          </button>
        ) : (
          <p class="soft small">Its details are no longer kept. They are in the git history.</p>
        )}
        {isOpen ? <Transcript sessionId={sessionId} isLive={isLive} follows={false} /> : null}
      </section>
    </li>
  )
}

/** The view of a failed task begins with its error. */
function isSaidAbove({ error, sessionId }: StoryAttempt, task: WholeTask): boolean {
  return task.status === 'failed' && sessionId === task.sessionId && error === task.error
}

function Head({ attempt, word }: { readonly attempt: StoryAttempt; readonly word: string }) {
  const { number, worker, model, startedAt, endedAt, cost, sessionId, isKept } = attempt
  return (
    <p class="row attempt-head">
      <span class="strong">
        Attempt {number} {word}
      </span>
      {worker === null ? null : (
        <span class="soft">
          {visible(worker)}
          {model === null ? '' : `, ${visible(model)}`}
        </span>
      )}
      <span class="soft">
        <Took from={startedAt} to={endedAt} />
      </span>
      <CostText cost={cost} />
      <span class="row attempt-when">
        {isKept ? <a href={addressOf('session', sessionId)}>Session</a> : null}
        <span class="soft small">
          <Time at={startedAt} />
        </span>
      </span>
    </p>
  )
}

function Checks({ checks }: Pick<StoryAttempt, 'checks'>) {
  if (checks.length === 0) return null
  return (
    <ul class="checks" aria-label="Checks">
      {checks.map((check) => (
        <Check key={check.command} check={check} />
      ))}
    </ul>
  )
}

function Check({ check }: { readonly check: StoryAttempt['checks'][number] }) {
  const { command, isPassed, ended, ms, output } = check
  const [isOpen, setOpen] = useState(!isPassed)
  return (
    <li class="call" data-state={isPassed ? 'done' : 'failed'}>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevron" />
        <Icon name={isPassed ? 'check' : 'close'} />
        <code class="grow min0 check-command">{visible(command)}</code>
        <span class="small call-state">{isPassed ? 'passed' : `failed, ${visible(ended)}`}</span>
        <span class="small num soft">{ms === null ? '' : duration(ms)}</span>
      </button>
      {isOpen ? (
        <div class="fold-body">
          {output.trim() === '' ? (
            <p class="soft small">No output.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
            <section class="code output" aria-label={`Output of ${visible(command)}`} tabIndex={0}>
              <pre>
                <Ansi text={output} />
              </pre>
            </section>
          )}
        </div>
      ) : null}
    </li>
  )
}

const TOLD: Readonly<Record<string, string>> = {
  merge: 'Merged',
  review: 'Sent to review',
  publish: 'Pull request opened',
  requeue: 'Put back in the queue',
  reject: 'Rejected',
}

/** What became of its work. */
function Commits({ attempt, task }: AttemptProps) {
  const told = attempt.commits.filter(({ event }) => event !== null && event in TOLD)
  if (told.length === 0) return null
  return (
    <ul class="small soft outcome">
      {told.map(({ event, at, commit }) => (
        <li key={`${event} ${commit}`} class="row">
          <Icon name="branch" />
          <span>{TOLD[event ?? '']}</span>
          <CommitLink task={task} commit={commit} />
          <Time at={at} />
        </li>
      ))}
      {task.status === 'review' && attempt.sessionId === task.sessionId ? (
        <li>
          <a href={addressOf('review', task.id ?? task.path)}>Open the review</a>
        </li>
      ) : null}
    </ul>
  )
}
