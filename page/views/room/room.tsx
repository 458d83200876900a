/** A room: its tasks as a board, a list or a graph, filtered; its sessions; what it is. A task is created here. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { lazyView } from '../../parts/lazy.tsx'
import { bindKey } from '../../parts/keys/keys.ts'
import { useChannel } from '../../store/channels.ts'
import type { RoomTab } from '../../store/routes.ts'
import { may, me } from '../../store/session.ts'
import type { Card, RoomBrief } from '../../store/types.ts'
import { Board } from './board.tsx'
import { cardFilter, FilterBar } from './filter.tsx'
import { Loading } from '../inbox/inbox.tsx'
import { TaskList } from './list.tsx'
import { NewTask } from '../task/new-task.tsx'
import { RoomHead } from './room-head.tsx'

interface RoomCards {
  readonly room: Readonly<Record<string, RoomBrief>>
  readonly tasks: Readonly<Record<string, Card>>
}

const RoomSessions = lazyView(() => import('./room-sessions.tsx').then(({ RoomSessions }) => RoomSessions))
const RoomAbout = lazyView(() => import('./room-about.tsx').then(({ RoomAbout }) => RoomAbout))
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
  useEffect(() => {
    if (!may('make-task', room, null)) return
    return bindKey('c', 'Create a task', () => setNewIn('pending'))
  }, [room, me.value])
  const state = value.value
  const wanted = cardFilter()
  const cards = useMemo(() => Object.values(state?.tasks ?? {}), [state?.tasks])
  const shown = useMemo(() => cards.filter(wanted.matches), [cards, wanted.key])
  if (error.value !== null) return <Empty title={error.value} />
  if (state === undefined) return <Loading />
  const brief = Object.values(state.room)[0]
  const isOfTasks = tab !== 'sessions' && tab !== 'about'
  return (
    <div class={`view room-view ${tab}`}>
      <header class="view-head">
        <RoomHead room={room} brief={brief} tab={tab} onNew={() => setNewIn('pending')} />
        {isOfTasks ? <FilterBar cards={cards} shown={shown.length} /> : null}
      </header>
      {tab === 'sessions' ? <RoomSessions room={room} cards={state.tasks} /> : null}
      {tab === 'about' ? <RoomAbout room={room} brief={brief} /> : null}
      {isOfTasks ? <Tasks tab={tab} cards={shown} onNew={setNewIn} /> : null}
      {newIn === null ? null : <NewTask room={room} status={newIn} onClose={() => setNewIn(null)} />}
    </div>
  )
}
