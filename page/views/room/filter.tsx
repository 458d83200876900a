/** Filters of a room's tasks. They are in the address, so a filtered view can be shared and comes back. */
import { useMemo } from 'preact/hooks'
import { PRIORITIES } from './priorities.ts'
import { STATUS_WORDS, STATUSES } from '../../parts/status.tsx'
import { count } from '../../parts/text.ts'
import { query, setQuery } from '../../store/routes.ts'
import type { Card } from '../../store/types.ts'

const NAMES = ['q', 'label', 'priority', 'worker', 'status'] as const

interface CardFilter {
  /** The same for the same filters. */
  readonly key: string
  readonly matches: (card: Card) => boolean
}

export function cardFilter(): CardFilter {
  const [q, label, priority, worker, status] = NAMES.map((name) => query.value.get(name))
  const words = (q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return {
    key: JSON.stringify([q, label, priority, worker, status]),
    matches: (card) =>
      isIn(label, card.labels) &&
      isIn(priority, [card.priority]) &&
      isIn(worker, [card.worker ?? '']) &&
      isIn(status, [card.status]) &&
      words.every((word) =>
        `${card.title} ${card.name} ${card.labels.join(' ')}`.toLowerCase().includes(word),
      ),
  }
}

function isIn(wanted: string | null | undefined, values: readonly string[]): boolean {
  return wanted === null || wanted === undefined || values.includes(wanted)
}

export function FilterBar({ cards, shown }: { readonly cards: readonly Card[]; readonly shown: number }) {
  const active = NAMES.filter((name) => query.value.has(name))
  const labels = useMemo(() => distinct(cards, (card) => card.labels), [cards])
  const workers = useMemo(() => distinct(cards, ({ worker }) => (worker === null ? [] : [worker])), [cards])
  return (
    <div class="row filters">
      <input
        type="search"
        aria-label="Filter by text"
        placeholder="Filter…"
        value={query.value.get('q') ?? ''}
        onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
      />
      <Choice name="status" label="Status" values={STATUSES} words={STATUS_WORDS} />
      <Choice name="label" label="Label" values={labels} />
      <Choice name="priority" label="Priority" values={PRIORITIES} />
      <Choice name="worker" label="Worker" values={workers} />
      {active.length === 0 ? null : (
        <button
          type="button"
          class="link"
          onClick={() => setQuery(Object.fromEntries(active.map((name) => [name, null])))}
        >
          Clear
        </button>
      )}
      <span class="soft small num">
        {shown === cards.length ? count(shown, 'task') : `${shown} of ${count(cards.length, 'task')}`}
      </span>
    </div>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly values: readonly string[]
  readonly words?: Readonly<Record<string, string>>
}

function Choice({ name, label, values, words = {} }: ChoiceProps) {
  const chosen = query.value.get(name) ?? ''
  if (values.length === 0 && chosen === '') return null
  return (
    <select
      aria-label={`Filter by ${label.toLowerCase()}`}
      class={chosen === '' ? '' : 'on'}
      value={chosen}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      <option value="">{label}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {words[value] ?? value}
        </option>
      ))}
    </select>
  )
}

function distinct(cards: readonly Card[], valuesOf: (card: Card) => readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const card of cards) for (const value of valuesOf(card)) found.add(value)
  return [...found].toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }))
}
