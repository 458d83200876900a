/** All rooms with their counts, also the archived ones. */
import { useState } from 'preact/hooks'
import { Button, Dialog, Empty, Field } from '../../parts/controls.tsx'
import { STATUS_WORDS, STATUSES, StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { useRooms } from '../../store/rooms.ts'
import { go, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import type { Room, RoomBrief } from '../../store/types.ts'
import { Loading } from '../inbox/inbox.tsx'

export function RoomsView() {
  const rooms = useRooms()
  const [isNew, setNew] = useState(false)
  if (rooms === null) return <Loading />
  return (
    <div class="view narrow">
      <header class="view-head row spread">
        <h1>Rooms</h1>
        {may('make-room') ? (
          <Button tone="primary" icon="plus" onClick={() => setNew(true)}>
            New room
          </Button>
        ) : null}
      </header>
      {rooms.length === 0 ? (
        <Empty title="No rooms yet.">
          <p class="soft">A room holds the tasks and settings of one project.</p>
        </Empty>
      ) : (
        <div class="stack">
          {rooms.map((room) => (
            <RoomCard key={room.id} room={room} />
          ))}
        </div>
      )}
      {isNew ? <NewRoom onClose={() => setNew(false)} /> : null}
    </div>
  )
}

function RoomCard({ room }: { readonly room: RoomBrief }) {
  const counts = STATUSES.filter((status) => (room.tasks[status] ?? 0) > 0)
  return (
    <article class="card">
      <a class="title-link" href={roomAddress(room.id)}>
        {visible(room.name)}
      </a>
      {room.status === 'active' ? null : <span class="badge quiet">{room.status}</span>}
      {room.description === '' ? null : <p class="soft">{visible(room.description)}</p>}
      <p class="row small soft">
        {counts.length === 0 ? 'No tasks' : null}
        {counts.map((status) => (
          <a
            key={status}
            class="count"
            href={`${roomAddress(room.id, 'list')}?status=${status}`}
            title={STATUS_WORDS[status]}
          >
            <StatusMark status={status} /> {room.tasks[status]} {STATUS_WORDS[status].toLowerCase()}
          </a>
        ))}
      </p>
    </article>
  )
}

function NewRoom({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState('')
  const create = async () => {
    const params = {
      name: name.trim(),
      ...(workspace.trim() === '' ? {} : { defaultWorkspace: workspace.trim() }),
    }
    const room = await call<Room>('room.create', params)
    onClose()
    go(roomAddress(room.id))
  }
  return (
    <Dialog title="New room" onClose={onClose}>
      <Field label="Name" help="Letters, digits, dashes, dots and underscores">
        <input value={name} autofocus onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <Field label="Workspace" help="The repository or folder that tasks work in. You can set it later.">
        <input
          value={workspace}
          placeholder="~/code/site"
          onInput={({ currentTarget }) => setWorkspace(currentTarget.value)}
        />
      </Field>
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={name.trim() === ''} onClick={create}>
          Create
        </Button>
      </div>
    </Dialog>
  )
}
