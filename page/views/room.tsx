/** A room: its tasks as a board or a list, filtered; a task is created here. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Button, Empty } from '../parts/controls.tsx'
import { lazyView } from '../parts/lazy.tsx'
import { bindKey } from '../parts/keys.ts'
import { visible } from '../parts/text.ts'
import { useChannel } from '../store/channels.ts'
import { type RoomTab, roomAddress } from '../store/routes.ts'
import { may } from '../store/session.ts'
import type { Card, RoomBrief } from '../store/types.ts'
import { Board } from './board.tsx'
import { cardFilter, FilterBar } from './filter.tsx'
import { Loading } from './inbox.tsx'
import { TaskList } from './list.tsx'
import { NewTask } from './new-task.tsx'

interface RoomCards {
  readonly room: Readonly<Record<string, RoomBrief>>
  readonly tasks: Readonly<Record<string, Card>>
}

const TABS: readonly { readonly tab: RoomTab; readonly label: string }[] = [
  { tab: 'board', label: 'Board' },
  { tab: 'list', label: 'List' },
  { tab: 'graph', label: 'Graph' },
]

const TaskGraph = lazyView(() => import('./graph.tsx').then(({ TaskGraph }) => TaskGraph))

interface TasksProps {
  readonly tab: RoomTab
  readonly cards: readonly Card[]
  readonly onNew: (status: 'pending' | 'draft') => void
}

function Tasks({ tab, cards, onNew }: TasksProps) {
  if (tab === 'list') return <TaskList cards={cards} />
  if (tab === 'graph') return <TaskGraph cards={cards} />
  return <Board cards={cards} onNew={onNew} />
}

export function RoomView({ room, tab }: { readonly room: string; readonly tab: RoomTab }) {
  const { value, error } = useChannel<RoomCards>(`room:${room}:tasks`)
  const [newIn, setNewIn] = useState<'pending' | 'draft' | null>(null)
  useEffect(() => bindKey('c', 'Create a task', () => setNewIn('pending')), [])
  const state = value.value
  const wanted = cardFilter()
  const cards = useMemo(() => Object.values(state?.tasks ?? {}), [state?.tasks])
  const shown = useMemo(() => cards.filter(wanted.matches), [cards, wanted.key])
  if (error.value !== null) return <Empty title={error.value} />
  if (state === undefined) return <Loading />
  const brief = Object.values(state.room)[0]
  return (
    <div class={`view room-view ${tab}`}>
      <header class="view-head">
        <div class="row spread">
          <h1>{visible(brief?.name ?? room)}</h1>
          {may('make-task', room) ? (
            <Button tone="primary" icon="plus" title="Create a task (c)" onClick={() => setNewIn('pending')}>
              New task
            </Button>
          ) : null}
        </div>
        <nav class="tabs" aria-label="Views of the room">
          {TABS.map(({ tab: name, label }) => (
            <a key={name} href={roomAddress(room, name)} aria-current={tab === name ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <FilterBar cards={cards} shown={shown.length} />
      </header>
      <Tasks tab={tab} cards={shown} onNew={setNewIn} />
      {newIn === null ? null : <NewTask room={room} status={newIn} onClose={() => setNewIn(null)} />}
    </div>
  )
}
