/** A task: what it is, what happened, what you can do. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty } from '../parts/controls.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { STATUS_WORDS, StatusMark } from '../parts/status.tsx'
import { visible } from '../parts/text.ts'
import { Elapsed, Time } from '../parts/time.tsx'
import { useChannel } from '../store/channels.ts'
import { addressOf, roomAddress } from '../store/routes.ts'
import { call, CODES, RpcError } from '../store/rpc.ts'
import type { Card, Task } from '../store/types.ts'
import { Loading } from './inbox.tsx'
import { moveTo } from './moves.ts'

/** The task and what its room's channel says of it; fetched again when its card changes. */
function useTask(id: string): { readonly task: Task | null; readonly error: string | null } {
  const [task, setTask] = useState<Task | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { value } = useChannel<{ readonly tasks: Readonly<Record<string, Card>> }>(
    task === null ? null : `room:${task.roomId}:tasks`,
  )
  const card = task === null ? undefined : value.value?.tasks[task.id ?? task.path]
  useEffect(() => {
    const stop = new AbortController()
    call<Task>('task.get', { taskId: id }, stop.signal).then(
      (found) => {
        setTask(found)
        setError(null)
      },
      (failure) => {
        if (stop.signal.aborted) return
        const isGone = failure instanceof RpcError && failure.code === CODES.missing
        setError(isGone ? "This task doesn't exist, or you have no access to its room." : failure.message)
      },
    )
    return () => stop.abort()
  }, [id, card])
  return { task, error }
}

export function TaskView({ id }: { readonly id: string }) {
  const { task, error } = useTask(id)
  if (error !== null) return <Empty title={error} />
  if (task === null) return <Loading />
  return (
    <article class="view detail">
      <p class="soft small">
        <a href={roomAddress(task.roomId)}>{task.roomId}</a> / {visible(task.name)}
      </p>
      <h1>{visible(task.title)}</h1>
      <p class="row">
        <StatusMark status={task.status} word />
        {task.status === 'in_progress' && task.startedAt !== null ? <Elapsed from={task.startedAt} /> : null}
        {task.completedAt === null ? null : (
          <span class="soft">
            <Time at={task.completedAt} />
          </span>
        )}
      </p>
      <Actions task={task} />
      {task.error === null ? null : <pre class="code bad-text">{visible(task.error)}</pre>}
      {task.result === null ? null : <p class="wrap">{visible(task.result)}</p>}
      <Facts task={task} />
      <Markdown text={task.description} />
    </article>
  )
}

function Actions({ task }: { readonly task: Task }) {
  const card = { id: task.id ?? task.path, status: task.status } as Card
  const start = moveTo(card, 'in_progress')
  const again = moveTo(card, 'pending')
  const cancel = moveTo(card, 'cancelled')
  return (
    <div class="row">
      {task.status === 'review' ? (
        <a class="button primary" href={addressOf('review', card.id)}>
          Review
        </a>
      ) : null}
      {start === null ? null : (
        <Button tone="primary" icon="play" onClick={async () => void (await start())}>
          Start now
        </Button>
      )}
      {again === null ? null : (
        <Button icon="retry" onClick={async () => void (await again())}>
          {task.status === 'draft' ? 'Make pending' : 'Retry'}
        </Button>
      )}
      {task.sessionId === null ? null : (
        <a class="button" href={addressOf('session', task.sessionId)}>
          Session
        </a>
      )}
      {cancel === null ? null : (
        <Button icon="stop" onClick={async () => void (await cancel())}>
          {task.status === 'in_progress' ? 'Stop and cancel' : 'Cancel'}
        </Button>
      )}
    </div>
  )
}

function Facts({ task }: { readonly task: Task }) {
  const rows: readonly (readonly [string, string | null])[] = [
    ['Status', STATUS_WORDS[task.status]],
    ['Priority', task.priority],
    ['Worker', task.worker ?? "the room's"],
    ['Labels', task.labels.join(', ')],
    ['Depends on', task.dependsOn.join(', ')],
    ['Due', task.due],
    ['Branch', task.branch],
    ['Attempt', task.attempt === null ? null : String(task.attempt)],
    ['Checks', task.verified === null ? null : `${task.verified.passed} of ${task.verified.commands} passed`],
    ['Created by', task.createdBy],
  ]
  return (
    <dl class="pairs">
      {rows.map(([name, value]) =>
        value === null || value === '' ? null : (
          <>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </>
        ),
      )}
    </dl>
  )
}
