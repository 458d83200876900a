/** The tasks of a room as rows. */
import { useMemo, useRef } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { useRowKeys } from '../../parts/keys/row-keys.ts'
import { STATUSES, StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { addressOf, path } from '../../store/routes.ts'
import type { Card } from '../../store/types.ts'
import { byUrgency } from './priorities.ts'

const ROW_HEIGHT = 40

export function TaskList({ cards }: { readonly cards: readonly Card[] }) {
  const sorted = useMemo(
    () =>
      cards.toSorted((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || byUrgency(a, b)),
    [cards],
  )
  const view = useRef<HTMLDivElement>(null)
  useRowKeys(view, { rows: '.list-row' })
  if (cards.length === 0) return <Empty title="No tasks match." />
  return (
    <div ref={view} class="task-list">
      <Windowed items={sorted} height={ROW_HEIGHT} keyOf={({ id }) => id} label="Tasks">
        {(card) => <Row card={card} />}
      </Windowed>
    </div>
  )
}

function Row({ card }: { readonly card: Card }) {
  const address = addressOf('task', card.id)
  return (
    <a class="list-row" href={address} aria-current={path.value === address ? 'true' : undefined}>
      <StatusMark status={card.status} />
      <span class="clip grow">{visible(card.title)}</span>
      {card.labels.map((label) => (
        <span key={label} class="label">
          {visible(label)}
        </span>
      ))}
      {card.priority === 'normal' ? null : (
        <span class="priority small" data-priority={card.priority}>
          {card.priority}
        </span>
      )}
      <span class="soft small worker">{card.worker ?? ''}</span>
      <span class="soft small when">{card.completedAt === null ? '' : <Time at={card.completedAt} />}</span>
    </a>
  )
}
