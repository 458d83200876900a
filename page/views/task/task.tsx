/** A task: what it is, what it waits for, what happened to it, what you can do. */
import { useState } from 'preact/hooks'
import { CostText } from '../../parts/cost.tsx'
import { Empty } from '../../parts/controls.tsx'
import { lazyView } from '../../parts/lazy.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { RequestCard } from '../../parts/request-card.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Elapsed, Time } from '../../parts/time.tsx'
import { draft } from '../../store/drafts.ts'
import { roomAddress } from '../../store/routes.ts'
import { may } from '../../store/session.ts'
import type { WholeTask } from '../../store/types.ts'
import { Loading } from '../inbox/inbox.tsx'
import { Actions } from './task-actions.tsx'
import { Facts } from './task-facts.tsx'
import { WaitsFor } from './task-waits.tsx'
import { useRequests, useTask } from './use-task.ts'
import '../../style/task.css'

const Story = lazyView(() => import('./task-story.tsx').then(({ TaskStory }) => TaskStory))
const History = lazyView(() => import('./task-history.tsx').then(({ TaskHistory }) => TaskHistory))
const Editor = lazyView(() => import('./task-edit.tsx').then(({ TaskEdit }) => TaskEdit))

const TABS = ['overview', 'edit', 'history'] as const
type Tab = (typeof TABS)[number]
const WORDS: Readonly<Record<Tab, string>> = { overview: 'Overview', edit: 'Edit', history: 'History' }

export function TaskView({ id }: { readonly id: string }) {
  const { task, error, stamp } = useTask(id)
  const [tab, setTab] = useState<Tab>('overview')
  if (task === null) return error === null ? <Loading /> : <Empty title={error} />
  return (
    <article class="view task" aria-label={visible(task.title)}>
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
        {TABS.filter((name) => name !== 'edit' || may('change-task', task.roomId, task.worker)).map(
          (name) => (
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
          ),
        )}
      </div>
      {tab === 'overview' ? <Overview task={task} stamp={stamp} onEdit={() => setTab('edit')} /> : null}
      {tab === 'edit' ? <Editor key={task.path} task={task} onDone={() => setTab('overview')} /> : null}
      {tab === 'history' ? <History task={task} /> : null}
    </article>
  )
}

function StatusLine({ task }: { readonly task: WholeTask }) {
  const isWorking = task.status === 'in_progress'
  return (
    <p class="row task-status">
      <StatusMark status={task.status} word />
      {isWorking && task.startedAt !== null ? <Elapsed from={task.startedAt} /> : null}
      {isWorking && task.progress !== null && task.progress > 0 ? (
        <progress max={100} value={task.progress} aria-label="Progress" />
      ) : null}
      {isWorking && task.currentStep !== null ? (
        <span class="soft wrap">{visible(task.currentStep)}</span>
      ) : null}
      {task.completedAt === null ? null : (
        <span class="soft">
          <Time at={task.completedAt} />
        </span>
      )}
      <CostText cost={task.cost} />
    </p>
  )
}

interface OverviewProps {
  readonly task: WholeTask
  readonly stamp: string
  readonly onEdit: () => void
}

function Overview({ task, stamp, onEdit }: OverviewProps) {
  const requests = useRequests(task)
  const isFailed = task.status === 'failed' && task.error !== null
  return (
    <>
      <WaitsFor task={task} hidden={requests.length > 0 ? ['request'] : []} />
      {requests.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      {draft(`task ${task.id ?? task.path}`).value === '' || !may('change-task', task.roomId) ? null : (
        <p class="row wait-text">
          You have typed changes that are not saved.
          <button type="button" class="link" onClick={onEdit}>
            Continue
          </button>
        </p>
      )}
      {isFailed ? <pre class="code bad-text">{visible(task.error ?? '')}</pre> : null}
      <div class="task-body">
        <div class="task-main">
          {task.description.trim() === '' ? (
            <p class="soft">
              No description.{' '}
              {may('change-task', task.roomId, task.worker) ? (
                <button type="button" class="link" onClick={onEdit}>
                  Add one
                </button>
              ) : null}
            </p>
          ) : (
            <Markdown text={task.description} />
          )}
          <Story task={task} stamp={stamp} />
        </div>
        <Facts task={task} />
      </div>
    </>
  )
}
