/** What needs you, in all rooms. Each item opens in place and is decided there. */
import '../../style/inbox.css'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { RequestCard } from '../../parts/request-card.tsx'
import { useRowKeys } from '../../parts/keys/row-keys.ts'
import { StatusMark } from '../../parts/status.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { useChannel } from '../../store/channels.ts'
import { addressOf, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may, mayAnywhere } from '../../store/session.ts'
import type { Card, Inbox, Problem } from '../../store/types.ts'
import { forMe, inboxCount } from './inbox-items.ts'

export function InboxView() {
  const view = useRef<HTMLDivElement>(null)
  useRowKeys(view, { rows: '.section .card', opens: '.title-link', acts: ':scope > .button' })
  const { value, error } = useChannel<Inbox>('inbox')
  const inbox = forMe(value.value)
  if (error.value !== null) return <Empty title={error.value} />
  if (inbox === undefined) return <Loading />
  const total = inboxCount(inbox)
  return (
    <div ref={view} class="view narrow">
      <header class="view-head">
        <h1>Inbox</h1>
        <p class="soft">{total === 0 ? '' : count(total, 'item')}</p>
      </header>
      {total === 0 ? <NothingNeedsYou /> : <Sections inbox={inbox} />}
    </div>
  )
}

function Sections({ inbox }: { readonly inbox: Inbox }) {
  return (
    <>
      <Section title="Home" items={Object.values(inbox.home ?? {})}>
        {({ part, says }) => (
          <article key={part} class="card wrap">
            <p class="bad-text">
              <Icon name="warning" /> {visible(part)}
            </p>
            <p class="small">{visible(says)}</p>
          </article>
        )}
      </Section>
      <Section title="Requests" items={oldestFirst(inbox.requests, ({ id }) => id)}>
        {(request) => <RequestCard key={request.id} request={request} />}
      </Section>
      <Section title="Reviews" items={Object.values(inbox.reviews)}>
        {(card) => (
          <TaskRow key={card.id} card={card} address={addressOf('review', card.id)}>
            <a class="button primary" href={addressOf('review', card.id)}>
              Review
            </a>
          </TaskRow>
        )}
      </Section>
      <Section title="Assigned to you" items={Object.values(inbox.yours)}>
        {(card) => (
          <TaskRow key={card.id} card={card}>
            <Act card={card} method="task.complete" act="finish-task" done="is done">
              Mark as done
            </Act>
          </TaskRow>
        )}
      </Section>
      <Section title="Blocked" items={Object.values(inbox.blocked)}>
        {(card) => (
          <TaskRow key={card.id} card={card}>
            <Act card={card} method="task.start" act="move-task" done="starts">
              Start
            </Act>
          </TaskRow>
        )}
      </Section>
      <Section title="Failed" items={newestFirst(Object.values(inbox.failed))}>
        {(card) => (
          <TaskRow key={card.id} card={card}>
            <Act card={card} method="task.retry" act="move-task" done="is tried again">
              Retry
            </Act>
          </TaskRow>
        )}
      </Section>
      <Section title="Problems in files" items={Object.values(inbox.problems)}>
        {(problem) => (
          <ProblemRow key={`${problem.path}:${problem.line}:${problem.message}`} problem={problem} />
        )}
      </Section>
    </>
  )
}

function oldestFirst<T>(items: Readonly<Record<string, T>>, key: (item: T) => string): readonly T[] {
  return Object.values(items).toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

function newestFirst(cards: readonly Card[]): readonly Card[] {
  return cards.toSorted((a, b) => ((a.completedAt ?? '') > (b.completedAt ?? '') ? -1 : 1))
}

const SHOWN_AT_FIRST = 20
const SHOWN_MORE = 50

interface SectionProps<T> {
  readonly title: string
  readonly items: readonly T[]
  readonly children: (item: T) => ComponentChildren
}

function Section<T>({ title, items, children }: SectionProps<T>) {
  const [most, setMost] = useState(SHOWN_AT_FIRST)
  if (items.length === 0) return null
  const shown = items.slice(0, most)
  const rest = items.length - shown.length
  return (
    <section class="section" aria-label={title}>
      <h2>
        {title} <span class="badge quiet">{items.length}</span>
      </h2>
      <div class="stack">{shown.map(children)}</div>
      {rest === 0 ? null : (
        <button type="button" class="button more" onClick={() => setMost(most + SHOWN_MORE)}>
          {rest > SHOWN_MORE ? `${SHOWN_MORE} more of ${rest}` : `${rest} more`}
        </button>
      )}
    </section>
  )
}

interface TaskRowProps {
  readonly card: Card
  readonly address?: string
  readonly children: ComponentChildren
}

function TaskRow({ card, address, children }: TaskRowProps) {
  return (
    <article class="card row spread">
      <div class="grow min0">
        <a class="title-link" href={address ?? addressOf('task', card.id)}>
          <StatusMark status={card.status} /> {visible(card.title)}
        </a>
        <p class="soft small clip">
          <a href={roomAddress(card.roomId)}>{card.roomId}</a>
          {card.completedAt === null ? null : (
            <>
              {' · '}
              <Time at={card.completedAt} />
            </>
          )}
          {whyOf(card)}
        </p>
      </div>
      {children}
    </article>
  )
}

const WAITS: Readonly<Record<string, string>> = {
  model: 'no model can be used',
  budget: 'the budget is used up',
  ask: 'waits for a decision',
  disk: 'the disk limit is reached',
  interrupted: 'was interrupted',
  filter: 'was stopped by a filter',
}

function whyOf({ blocked, note }: Card): string {
  const why = note ?? (blocked === null || blocked === undefined ? null : (WAITS[blocked] ?? blocked))
  return why === null || why === undefined ? '' : ` · ${visible(why)}`
}

interface ActProps {
  readonly card: Card
  readonly method: string
  /** The permission that it needs. */
  readonly act: string
  /** What is said of the task then. */
  readonly done: string
  readonly children: string
}

/** One call about a task; absent for who may not make it. */
function Act({ card, method, act, done, children }: ActProps) {
  if (!may(act, card.roomId, card.worker ?? null)) return null
  const press = async () => {
    await call(method, { taskId: card.id })
    say(`“${visible(card.title)}” ${done}.`)
  }
  return <Button onClick={press}>{children}</Button>
}

function ProblemRow({ problem }: { readonly problem: Problem }) {
  const { path, line, column, message, hint, level } = problem
  const at = [line, column].filter((part) => part !== null).join(':')
  return (
    <article class="card row spread">
      <div class="grow min0">
        <p class={level === 'error' ? 'bad-text' : 'wait-text'}>
          <Icon name="warning" /> {visible(message)}
        </p>
        {hint === '' || isCommand(hint) ? null : <p class="small wrap">{visible(hint)}</p>}
        <p class="soft small clip">
          {visible(path)}
          {at === '' ? '' : `, line ${at}`}
        </p>
      </div>
      <ProblemLink problem={problem} />
    </article>
  )
}

/** Members have no terminal. */
function isCommand(hint: string): boolean {
  return !may('change-home') && /\bneo [a-z]|\bgit [a-z]/.test(hint)
}

/** The file at the line, for who may edit it; a task that can be read opens as a task. */
function ProblemLink({ problem: { path, line, level } }: { readonly problem: Problem }) {
  if (may('change-home'))
    return (
      <a class="button" href={`${addressOf('file', path)}${line === null ? '' : `?line=${line}`}`}>
        Open file
      </a>
    )
  if (level === 'error' || !/^rooms\/[^/]+\/tasks\//.test(path)) return null
  return (
    <a class="button" href={addressOf('task', path)}>
      Open task
    </a>
  )
}

function NothingNeedsYou() {
  return (
    <Empty title="Nothing needs you.">
      <p class="soft">
        Requests, reviews, failures and problems in files appear here. You can{' '}
        <a href="/rooms">open a room</a>
        {mayAnywhere('make-task') ? ' and create a task' : ''}
        {may('talk', 'lobby') ? (
          <>
            , or <a href="/chat/lobby">ask Neo</a>
          </>
        ) : null}
        .
      </p>
    </Empty>
  )
}

/** Empty at first: most answers arrive before an eye could read a word. */
export function Loading() {
  return <div class="view" aria-busy="true" />
}
