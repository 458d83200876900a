/** The board: a column a status. Cards are dragged, or moved with the keys [ and ]. */
import { type Signal, useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { IconButton, say } from '../../parts/controls.tsx'
import { ShortPrice } from '../../parts/cost.tsx'
import { sortedAgain } from '../../parts/sorted-again.ts'
import { STATUS_WORDS, STATUSES, StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Elapsed, Time } from '../../parts/time.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { useChannel } from '../../store/channels.ts'
import { addressOf, path } from '../../store/routes.ts'
import type { Card, Cost, TaskStatus } from '../../store/types.ts'
import { moveTo } from './moves.ts'
import { byEnd, byUrgency } from './priorities.ts'
import { type Cards, waitsFor } from './waits-for-card.ts'

interface BoardProps {
  readonly cards: readonly Card[]
  readonly onNew: (status: 'pending' | 'draft') => void
}

/** Always shown; the others only if they hold a card. */
const ALWAYS: ReadonlySet<TaskStatus> = new Set(['pending', 'in_progress', 'review', 'completed'])
const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled'])
const CARD_HEIGHT = 106

export function Board({ cards, onNew }: BoardProps) {
  const dragged = useSignal<Card | null>(null)
  const before = useRef<readonly Column[]>([])
  const room = cards[0]?.roomId
  const { value: state } = useChannel<RoomTasks>(room === undefined ? null : `room:${room}:tasks`)
  const columns = useMemo(() => columnsOf(cards, before.current), [cards])
  before.current = columns
  return (
    <div class="board">
      {columns.map((column) => (
        <BoardColumn
          key={column.status}
          column={column}
          state={state.value ?? NOTHING}
          dragged={dragged}
          onNew={onNew}
        />
      ))}
    </div>
  )
}

interface RoomTasks {
  readonly tasks: Cards
  readonly costs: Readonly<Record<string, Cost>>
}

const NOTHING: RoomTasks = { tasks: {}, costs: {} }

interface ColumnProps extends Pick<BoardProps, 'onNew'> {
  readonly column: Column
  /** Of the whole room, also what the filter hides. */
  readonly state: RoomTasks
  readonly dragged: Signal<Card | null>
}

function BoardColumn({ column: { status, cards }, state, dragged, onNew }: ColumnProps) {
  const takes = dragged.value !== null && moveTo(dragged.value, status) !== null
  return (
    <section
      class="column"
      aria-label={STATUS_WORDS[status]}
      data-drop={takes}
      onDragOver={(event) => {
        if (takes) event.preventDefault()
      }}
      onDrop={(event) => {
        event.preventDefault()
        if (dragged.value !== null) move(dragged.value, status)
        dragged.value = null
      }}
    >
      <header class="row spread">
        <h2>
          <StatusMark status={status} /> {STATUS_WORDS[status]} <span class="soft num">{cards.length}</span>
        </h2>
        {status === 'pending' || status === 'draft' ? (
          <IconButton icon="plus" label={`New ${status} task`} onClick={() => onNew(status)} />
        ) : null}
      </header>
      <Windowed items={cards} height={CARD_HEIGHT} keyOf={({ id }) => id} label={STATUS_WORDS[status]}>
        {(card) => (
          <BoardCard
            card={card}
            cost={state.costs[card.id] ?? null}
            waits={waitsFor(card, state.tasks)}
            onDrag={(held) => (dragged.value = held)}
          />
        )}
      </Windowed>
    </section>
  )
}

interface Column {
  readonly status: TaskStatus
  readonly cards: readonly Card[]
}

/** @param before the last result */
function columnsOf(cards: readonly Card[], before: readonly Column[]): readonly Column[] {
  const byStatus = new Map(STATUSES.map((status) => [status, [] as Card[]]))
  for (const card of cards) byStatus.get(card.status)?.push(card)
  return STATUSES.map((status) => {
    const sorted = before.find((column) => column.status === status)?.cards ?? []
    const compare = ENDED.has(status) ? byEnd : byUrgency
    return { status, cards: sortedAgain(sorted, byStatus.get(status) ?? [], compare) }
  }).filter(({ status, cards: own }) => own.length > 0 || ALWAYS.has(status))
}

function move(card: Card, to: TaskStatus): void {
  moveTo(card, to)?.().catch(say)
}

function step(card: Card, by: 1 | -1): void {
  const from = STATUSES.indexOf(card.status)
  for (let at = from + by; at >= 0 && at < STATUSES.length; at += by) {
    const to = STATUSES[at]
    if (to === undefined || moveTo(card, to) === null) continue
    move(card, to)
    return
  }
  say(`A ${STATUS_WORDS[card.status].toLowerCase()} task can't be moved in this direction.`)
}

interface BoardCardProps {
  readonly card: Card
  readonly cost: Cost | null
  /** The title of the first task that it waits for. */
  readonly waits: string | null
  readonly onDrag: (card: Card | null) => void
}

function BoardCard({ card, cost, waits, onDrag }: BoardCardProps) {
  const address = addressOf('task', card.id)
  return (
    <a
      class="board-card"
      href={address}
      draggable
      aria-current={path.value === address ? 'true' : undefined}
      aria-keyshortcuts="[ ]"
      onDragStart={() => onDrag(card)}
      onDragEnd={() => onDrag(null)}
      onKeyDown={(event) => {
        if (event.key === ']') step(card, 1)
        if (event.key === '[') step(card, -1)
      }}
    >
      <span class="board-title">{visible(card.title)}</span>
      <CardFacts card={card} cost={cost} waits={waits} />
    </a>
  )
}

function CardFacts({ card, cost, waits }: Omit<BoardCardProps, 'onDrag'>) {
  const { status, progress, startedAt, completedAt, currentStep, note, priority, labels, due } = card
  const text = status === 'in_progress' ? currentStep : waits === null ? note : `waits for ${waits}`
  return (
    <>
      <span class="soft small clip">
        {text === null ? labels.map((label) => `#${label}`).join(' ') : visible(text)}
      </span>
      <span class="row small soft card-foot">
        {priority === 'normal' ? null : (
          <span class="priority" data-priority={priority}>
            {priority}
          </span>
        )}
        {due === null ? null : <span>due {due}</span>}
        <span class="grow" />
        {status === 'in_progress' && progress !== null ? (
          <progress max={100} value={progress} aria-label={`${progress} %`} />
        ) : null}
        {status === 'in_progress' && startedAt !== null ? <Elapsed from={startedAt} /> : null}
        {cost === null ? null : <ShortPrice cost={cost} />}
        {status !== 'in_progress' && completedAt !== null ? <Time at={completedAt} /> : null}
      </span>
    </>
  )
}
