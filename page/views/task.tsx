/** A task: what it is, what happened to it, what you can do. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button, Dialog, Empty } from '../parts/controls.tsx'
import { lazyView } from '../parts/lazy.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { StatusMark } from '../parts/status.tsx'
import { visible } from '../parts/text.ts'
import { Elapsed, Time } from '../parts/time.tsx'
import { addressOf, closeDetail, roomAddress } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'
import type { Card, Task } from '../store/types.ts'
import { Loading } from './inbox.tsx'
import { moveTo } from './moves.ts'
import { useTask } from './use-task.ts'

const History = lazyView(() => import('./task-history.tsx').then(({ TaskHistory }) => TaskHistory))
const Editor = lazyView(() => import('./task-edit.tsx').then(({ TaskEdit }) => TaskEdit))

const TABS = ['overview', 'edit', 'history'] as const
type Tab = (typeof TABS)[number]
const WORDS: Readonly<Record<Tab, string>> = { overview: 'Overview', edit: 'Edit', history: 'History' }

export function TaskView({ id }: { readonly id: string }) {
  const { task, error } = useTask(id)
  const [tab, setTab] = useState<Tab>('overview')
  if (task === null) return error === null ? <Loading /> : <Empty title={error} />
  return (
    <article class="view detail" aria-label={task.title}>
      <header class="stack">
        <p class="soft small wrap">
          <a href={roomAddress(task.roomId)}>{task.roomId}</a> / {visible(task.name)}
        </p>
        <h1 class="wrap">{visible(task.title)}</h1>
        <StatusLine task={task} />
        <Actions task={task} />
      </header>
      {error === null ? null : <p class="bad-text">{error}</p>}
      <div class="tabs" role="tablist">
        {TABS.filter((name) => name !== 'edit' || may('change-task', task.roomId)).map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            aria-selected={tab === name}
            onClick={() => setTab(name)}
          >
            {WORDS[name]}
          </button>
        ))}
      </div>
      {tab === 'overview' ? <Overview task={task} /> : null}
      {tab === 'edit' ? <Editor key={task.path} task={task} onDone={() => setTab('overview')} /> : null}
      {tab === 'history' ? <History task={task} /> : null}
    </article>
  )
}

function StatusLine({ task }: { readonly task: Task }) {
  return (
    <p class="row">
      <StatusMark status={task.status} word />
      {task.status === 'in_progress' && task.startedAt !== null ? <Elapsed from={task.startedAt} /> : null}
      {task.currentStep === null || task.status !== 'in_progress' ? null : (
        <span class="soft">{visible(task.currentStep)}</span>
      )}
      {task.completedAt === null ? null : (
        <span class="soft">
          <Time at={task.completedAt} />
        </span>
      )}
      {task.retryAt === null ? null : (
        <span class="soft">
          retries <Time at={task.retryAt} />
        </span>
      )}
    </p>
  )
}

function Actions({ task }: { readonly task: Task }) {
  const card = { id: task.id ?? task.path, status: task.status } as Card
  const start = moveTo(card, 'in_progress')
  const again = moveTo(card, 'pending')
  const done = moveTo(card, 'completed')
  const cancel = moveTo(card, 'cancelled')
  if (!may('change-task', task.roomId) && !may('move-task', task.roomId)) return null
  const isForHuman = task.worker === 'human' || (task.status === 'in_progress' && task.sessionId === null)
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
      {done === null || !isForHuman ? null : (
        <Button tone="good" icon="check" onClick={async () => void (await done())}>
          Mark as done
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
          {task.status === 'in_progress' ? 'Stop and cancel' : 'Cancel task'}
        </Button>
      )}
      {may('delete-task', task.roomId) ? <Button onClick={() => ask(card.id)}>Delete</Button> : null}
      {deleting.value === card.id ? <Delete task={task} /> : null}
    </div>
  )
}

/** The task whose deletion is being confirmed. */
const deleting = signal<string | null>(null)

function ask(id: string): void {
  deleting.value = id
}

function Delete({ task }: { readonly task: Task }) {
  const close = () => {
    deleting.value = null
  }
  const remove = async () => {
    await call('task.delete', { taskId: task.id ?? task.path })
    close()
    closeDetail()
  }
  return (
    <Dialog title="Delete this task?" onClose={close}>
      <p class="wrap">
        Neo deletes {visible(task.path)} and stops its work. Git keeps the history of the file.
      </p>
      <div class="row end">
        <Button onClick={close}>Keep</Button>
        <Button tone="bad" onClick={remove}>
          Delete
        </Button>
      </div>
    </Dialog>
  )
}

function Overview({ task }: { readonly task: Task }) {
  return (
    <>
      {task.error === null ? null : <pre class="code bad-text">{visible(task.error)}</pre>}
      {task.result === null ? null : <p class="wrap">{visible(task.result)}</p>}
      <Facts task={task} />
      <Markdown text={task.description} />
    </>
  )
}

function Facts({ task }: { readonly task: Task }) {
  const { verified, attempt } = task
  const rows: readonly (readonly [string, string | null])[] = [
    ['Waits for', task.blocked],
    ['Priority', task.priority],
    ['Worker', task.worker ?? "the room's"],
    ['Labels', task.labels.join(', ')],
    ['Depends on', task.dependsOn.join(', ')],
    ['Due', task.due],
    ['Branch', task.branch],
    ['Attempt', attempt === null ? null : String(attempt)],
    ['Checks', verified === null ? null : `${verified.passed} of ${verified.commands} passed`],
    ['Created by', task.createdBy],
  ]
  const shown = rows.filter(([, value]) => value !== null && value !== '')
  return (
    <dl class="pairs">
      {shown.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} value`}>{visible(value ?? '')}</dd>,
      ])}
      <dt>File</dt>
      <dd>
        {may('change-home') ? (
          <a href={addressOf('file', task.path)}>{visible(task.path)}</a>
        ) : (
          visible(task.path)
        )}
      </dd>
    </dl>
  )
}
