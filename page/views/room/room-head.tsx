/** The head of a room: its name and state, its views, and where else it is shown. */
import { Button } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { addressOf, type RoomTab, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { RoomBrief } from '../../store/types.ts'
import '../../style/room.css'

const TABS: readonly { readonly tab: RoomTab; readonly label: string }[] = [
  { tab: 'board', label: 'Board' },
  { tab: 'list', label: 'List' },
  { tab: 'graph', label: 'Graph' },
  { tab: 'sessions', label: 'Sessions' },
  { tab: 'about', label: 'About' },
]

interface RoomHeadProps {
  readonly room: string
  /** Undefined until it is known. */
  readonly brief: RoomBrief | undefined
  readonly tab: RoomTab
  readonly onNew: () => void
}

export function RoomHead({ room, brief, tab, onNew }: RoomHeadProps) {
  const status = brief?.status ?? 'active'
  return (
    <>
      <div class="row spread">
        <div class="row min0">
          <h1 class="wrap">{visible(brief?.name ?? room)}</h1>
          {status === 'active' ? null : <span class="badge quiet">{status}</span>}
        </div>
        <div class="row">
          {may('change-room', room) ? <Pause room={room} status={status} /> : null}
          {may('make-task', room, null) ? (
            <Button tone="primary" icon="plus" title="Create a task (c)" onClick={onNew}>
              New task
            </Button>
          ) : null}
        </div>
      </div>
      {status === 'paused' ? (
        <p class="banner-line wait-text">This room is paused. Nothing new starts in it.</p>
      ) : null}
      <nav class="tabs room-tabs" aria-label="Views of the room">
        {TABS.map(({ tab: name, label }) => (
          <a key={name} href={roomAddress(room, name)} aria-current={tab === name ? 'page' : undefined}>
            {label}
          </a>
        ))}
        <a class="beside" href={`/schedules?room=${encodeURIComponent(room)}`}>
          Schedules
        </a>
        <a href={`/memory?room=${encodeURIComponent(room)}`}>Memory</a>
        <a href={`/chat/${encodeURIComponent(room)}`}>Chat</a>
      </nav>
    </>
  )
}

interface PauseProps {
  readonly room: string
  readonly status: RoomBrief['status']
}

function Pause({ room, status }: PauseProps) {
  const isActive = status === 'active'
  const change = async () => void (await call(isActive ? 'room.pause' : 'room.resume', { roomId: room }))
  return (
    <Button
      icon={isActive ? 'stop' : 'play'}
      title={isActive ? 'Nothing new starts in this room' : 'Work starts again'}
      onClick={change}
    >
      {isActive ? 'Pause' : 'Resume'}
    </Button>
  )
}

/** The file of the room, for who may change the home. */
export function RoomFileLink({ room }: { readonly room: string }) {
  if (!may('change-home')) return null
  return (
    <a class="button" href={addressOf('file', `rooms/${room}/ROOM.md`)}>
      Edit ROOM.md
    </a>
  )
}
