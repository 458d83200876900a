/** The settings of a task and where it is: its own, else those of its room. */
import { Icon } from '../../parts/icons.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import { may } from '../../store/session.ts'
import type { WholeTask } from '../../store/types.ts'
import type { ComponentChildren } from 'preact'

export function Facts({ task }: { readonly task: WholeTask }) {
  const { settings, attempt, verified } = task
  return (
    <aside class="task-facts" aria-label="Details">
      <dl class="pairs">
        <Fact name="Worker" value={workerWords(settings.worker)} isInherited={task.worker === null} />
        {settings.worker === 'agent' ? (
          <Fact name="Model" value={settings.model} isInherited={task.model === null} />
        ) : null}
        <Fact name="Priority" value={task.priority} isInherited={false} />
        <Fact name="Labels" value={task.labels.join(', ')} isInherited={false} />
        {task.due === null ? null : (
          <Pair name="Due">
            <Time at={task.due} />
          </Pair>
        )}
        <Neighbours name="Depends on" tasks={task.dependencies} />
        <Neighbours name="Needed by" tasks={task.dependents} />
        <Fact
          name="Review"
          value={settings.worker === 'human' ? '' : (REVIEWS[settings.review] ?? '')}
          isInherited={task.review === null}
        />
        <Fact name="Checks" value={checksOf(verified, settings.verify)} isInherited={false} />
        <Fact name="Attempt" value={attempt === null ? '' : String(attempt)} isInherited={false} />
        <Work task={task} />
        <Pair name="File">
          {may('change-home') ? (
            <a href={addressOf('file', task.path)}>{visible(task.path)}</a>
          ) : (
            visible(task.path)
          )}
        </Pair>
      </dl>
    </aside>
  )
}

/** `exec:codex` is a program on the machine; the others have a word. */
export function workerWords(worker: string): string {
  return worker === 'human' ? 'a person' : worker
}

const REVIEWS: Readonly<Record<string, string>> = {
  none: 'merged without review',
  branch: 'by a person',
  pr: 'as a pull request',
}

function checksOf(verified: WholeTask['verified'], commands: readonly string[]): string {
  if (verified !== null) return `${verified.passed} of ${verified.commands} passed`
  return commands.join(', ')
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

interface FactProps {
  readonly name: string
  /** '' for none: then nothing is shown. */
  readonly value: string
  readonly isInherited: boolean
}

function Fact({ name, value, isInherited }: FactProps) {
  if (value === '') return null
  return (
    <Pair name={name}>
      {visible(value)}
      {isInherited ? <span class="soft small"> (of the room)</span> : null}
    </Pair>
  )
}

interface NeighboursProps {
  readonly name: string
  readonly tasks: WholeTask['dependencies']
}

function Neighbours({ name, tasks }: NeighboursProps) {
  if (tasks.length === 0) return null
  return (
    <Pair name={name}>
      {tasks.map((one) => (
        <p key={one.id ?? one.name} class="wrap">
          {one.id === null || one.status === null ? (
            visible(one.name)
          ) : (
            <>
              <StatusMark status={one.status} />{' '}
              <a href={addressOf('task', one.id)}>{visible(one.title ?? one.name)}</a>
            </>
          )}
        </p>
      ))}
    </Pair>
  )
}

function Work({ task: { branch, pullRequest } }: { readonly task: WholeTask }) {
  return (
    <>
      {branch === null ? null : (
        <Pair name="Branch">
          <code>{visible(branch)}</code>
        </Pair>
      )}
      {pullRequest === null ? null : (
        <Pair name="Pull request">
          <PullLink url={pullRequest} />
        </Pair>
      )}
    </>
  )
}

/** A file could hold any address; only web pages become links. */
function PullLink({ url }: { readonly url: string }) {
  if (!/^https:\/\//i.test(url)) return <>{visible(url)}</>
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {visible(url.replace(/^https:\/\//i, ''))} <Icon name="external" />
    </a>
  )
}
