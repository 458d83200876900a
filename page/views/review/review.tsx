/** A review: what the work of a task changes, comments on it, and the decision. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { CostText } from '../../parts/cost.tsx'
import { Diff, type Layout, Counts } from '../../parts/diff/diff.tsx'
import { commentsOf } from '../../parts/diff/diff-comments.ts'
import type { DiffFile } from '../../parts/diff/diff-parse.ts'
import { Icon } from '../../parts/icons.tsx'
import { STATUS_WORDS, StatusMark } from '../../parts/status.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { draft } from '../../store/drafts.ts'
import { addressOf, roomAddress } from '../../store/routes.ts'
import type { Task, WholeTask } from '../../store/types.ts'
import { Loading } from '../inbox/inbox.tsx'
import { Decide } from './review-decide.tsx'
import { OpenPullRequest, PullRequest } from './review-pull.tsx'
import { type ReviewDiff, useDiff, useLastLook } from './use-review.ts'
import { useTask } from '../task/use-task.ts'
import '../../style/review.css'

export function ReviewView({ id }: { readonly id: string }) {
  const { task, error } = useTask(id)
  if (task === null) return error === null ? <Loading /> : <Empty title={error} />
  return (
    <article class="view review" aria-label={visible(task.title)}>
      <Head task={task} />
      {task.status === 'review' ? <Work task={task} /> : <Decided task={task} />}
    </article>
  )
}

function Head({ task }: { readonly task: WholeTask }) {
  return (
    <header class="stack">
      <p class="soft small wrap">
        <a href={roomAddress(task.roomId)}>{task.roomId}</a> /{' '}
        <a href={addressOf('task', task.id ?? task.path)}>{visible(task.name)}</a>
      </p>
      <h1 class="wrap">{visible(task.title)}</h1>
      <p class="row facts">
        <StatusMark status={task.status} word />
        {task.completedAt === null ? null : (
          <span class="soft">
            <Time at={task.completedAt} />
          </span>
        )}
        {task.branch === null ? null : (
          <span class="soft wrap">
            <Icon name="branch" /> <code>{visible(task.branch)}</code>
          </span>
        )}
        {task.attempt === null || task.attempt < 2 ? null : <span class="soft">attempt {task.attempt}</span>}
        <Checks task={task} />
        <CostText cost={task.cost} />
        {task.sessionId === null ? null : <a href={addressOf('session', task.sessionId)}>Session</a>}
      </p>
      {task.result === null ? null : <p class="wrap">{visible(task.result)}</p>}
      {task.error === null ? null : <pre class="code bad-text">{visible(task.error)}</pre>}
    </header>
  )
}

function Checks({ task: { verified } }: { readonly task: Task }) {
  if (verified === null || verified.commands === 0) return null
  const isGood = verified.passed === verified.commands
  return (
    <span class={isGood ? 'good-text' : 'bad-text'}>
      <Icon name={isGood ? 'check' : 'warning'} /> {verified.passed} of {count(verified.commands, 'check')}{' '}
      passed
    </span>
  )
}

function Decided({ task }: { readonly task: Task }) {
  return (
    <Empty title={`This task isn't in review. It is ${STATUS_WORDS[task.status].toLowerCase()} now.`}>
      <p>
        <a href={addressOf('task', task.id ?? task.path)}>Open the task</a>
      </p>
    </Empty>
  )
}

function Work({ task }: { readonly task: Task }) {
  const [isNewOnly, setNewOnly] = useState(false)
  const [seen, setSeen] = useState<string | null>(null)
  const [way, setWay] = useState(task.review)
  useEffect(() => setWay(task.review), [task.review])
  const { review, files, error } = useDiff(task, isNewOnly ? seen : null)
  const lastLook = useLastLook(task, review?.head ?? null)
  if (lastLook !== null && seen === null) setSeen(lastLook)
  const comments = useMemo(() => commentsOf(task.id ?? task.path), [task.id, task.path])
  if (error !== null && review === null) return <Empty title={error} />
  if (review === null) return <div aria-busy="true" />
  return (
    <>
      <PullRequest task={task} review={review} way={way} onWay={setWay} />
      <Toolbar
        files={files}
        review={review}
        filter={{ isNewOnly, hasOlder: seen !== null, onNewOnly: setNewOnly }}
      >
        <OpenPullRequest task={task} review={review} way={way} onWay={setWay} />
      </Toolbar>
      {review.asked !== null && review.since === null ? (
        <p class="card soft">The work was begun again since your last look. All of it is shown.</p>
      ) : null}
      {files.length === 0 ? (
        <p class="card soft">
          {isNewOnly ? 'Nothing changed since your last look.' : 'The branch changes nothing.'}
        </p>
      ) : (
        <Diff files={files} layout={layout.value} comments={comments} />
      )}
      {review.cut ? (
        <p class="card wait-text">
          <Icon name="warning" /> The diff is longer than 1 MB. Only its beginning is shown. Look at the
          branch in git before you accept it.
        </p>
      ) : null}
      <Decide task={task} review={review} comments={comments} />
    </>
  )
}

const chosen = draft('review layout')
const layout = signal<Layout>(chosen.value === 'inline' ? 'inline' : 'split')

function chooseLayout(wanted: Layout): void {
  layout.value = wanted
  chosen.value = wanted
}

interface ToolbarProps {
  readonly files: readonly DiffFile[]
  readonly children: ComponentChildren
  readonly review: ReviewDiff
  readonly filter: {
    readonly isNewOnly: boolean
    /** A commit was looked at before, and there is a newer one. */
    readonly hasOlder: boolean
    readonly onNewOnly: (isNewOnly: boolean) => void
  }
}

function Toolbar({ files, children, review, filter: { isNewOnly, hasOlder, onNewOnly } }: ToolbarProps) {
  const sum = {
    added: files.reduce((all, { added }) => all + added, 0),
    removed: files.reduce((all, { removed }) => all + removed, 0),
  }
  return (
    <div class="row spread review-tools">
      <p class="row">
        <span class="strong">{count(files.length, 'file')}</span> <Counts file={sum} />
        <span class="soft small">
          into <code>{visible(review.base)}</code>
        </span>
      </p>
      <div class="row">
        {hasOlder ? (
          <label class="row check">
            <input
              type="checkbox"
              checked={isNewOnly}
              onChange={({ currentTarget }) => onNewOnly(currentTarget.checked)}
            />
            Only what changed since your last look
          </label>
        ) : null}
        {children}
        <fieldset class="choice only-wide">
          <legend class="hidden">Layout</legend>
          {LAYOUTS.map(([name, word]) => (
            <label key={name} class="button">
              <input
                type="radio"
                name="layout"
                checked={layout.value === name}
                onChange={() => chooseLayout(name)}
              />
              {word}
            </label>
          ))}
        </fieldset>
      </div>
    </div>
  )
}

const LAYOUTS = [
  ['split', 'Side by side'],
  ['inline', 'Inline'],
] as const
