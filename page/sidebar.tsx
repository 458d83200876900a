/** The ways to everything: beside the view, on a phone below it. */
import { Icon } from './parts/icons.tsx'
import { BOTTOM, isOffered, type Place, SIDE } from './store/places.ts'
import { isOpen, useRooms } from './store/rooms.ts'
import { behind, listPath, roomAddress, route } from './store/routes.ts'
import { me, signOut } from './store/session.ts'
import type { RoomBrief } from './store/types.ts'
import { openPalette } from './parts/palette/palette.tsx'

export function Sidebar({ needs }: { readonly needs: number }) {
  return (
    <nav class="sidebar" aria-label="Main">
      <p class="brand">Neo Rooms</p>
      <button type="button" class="search-box" onClick={openPalette}>
        <Icon name="search" /> Search <kbd>Ctrl K</kbd>
      </button>
      <ul>
        {SIDE.filter(isOffered).map((entry) => (
          <li key={entry.address}>
            <EntryLink entry={entry} needs={needs} />
          </li>
        ))}
      </ul>
      <h2 class="nav-title">
        <a href="/rooms">Rooms</a>
      </h2>
      <RoomLinks />
      <Who />
    </nav>
  )
}

function EntryLink({
  entry: { address, icon, label },
  needs,
}: {
  readonly entry: Place
  readonly needs: number
}) {
  const isHere = address === '/' ? listPath.value === '/' : listPath.value.startsWith(address)
  return (
    <a href={address} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span class="grow">{label}</span>
      {address === '/' && needs > 0 ? <span class="badge">{needs}</span> : null}
    </a>
  )
}

function RoomLinks() {
  const rooms = (useRooms() ?? []).filter(isOpen)
  return (
    <ul>
      {rooms.map((room) => (
        <li key={room.id}>
          <RoomLink room={room} />
        </li>
      ))}
    </ul>
  )
}

function RoomLink({ room }: { readonly room: RoomBrief }) {
  const here = behind.value ?? route.value
  const isHere = here.view === 'room' && here.room === room.id
  const running = room.tasks.in_progress ?? 0
  return (
    <a href={roomAddress(room.id)} aria-current={isHere ? 'page' : undefined}>
      <span class="dot" data-on={running > 0} aria-hidden="true" />
      <span class="grow">{room.name}</span>
      {room.status === 'paused' ? <span class="soft small">paused</span> : null}
      {running > 0 ? (
        <span class="soft small num" title={`${running} running`}>
          {running}
        </span>
      ) : null}
    </a>
  )
}

function Who() {
  const who = me.value
  return (
    <div class="who soft small">
      <span class="grow">{who === null ? '' : who.who === 'human' ? `${who.name} (owner)` : who.name}</span>
      <button type="button" class="link" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  )
}

export function BottomBar({ needs }: { readonly needs: number }) {
  return (
    <nav class="bottom-bar" aria-label="Main">
      {BOTTOM.map((entry) => (
        <EntryLink key={entry.address} entry={entry} needs={needs} />
      ))}
    </nav>
  )
}
