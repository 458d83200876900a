/** The command palette: Ctrl-K finds views, rooms and tasks, and runs commands. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { PLACES } from '../store/places.ts'
import { useRooms } from '../store/rooms.ts'
import { addressOf, go, roomAddress } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import type { Task } from '../store/types.ts'
import { Dialog } from './controls.tsx'
import { bindKey } from './keys.ts'

const isOpen = signal(false)

export function openPalette(): void {
  isOpen.value = true
}

interface Item {
  readonly label: string
  readonly note: string
  readonly address: string
}

const VIEWS: readonly Item[] = PLACES.map(({ label, key, address }) => ({
  label,
  note: key === '' ? '' : `g ${key}`,
  address,
}))

export function Palette() {
  useEffect(() => bindKey('Ctrl+k', 'Open the command palette', openPalette), [])
  useEffect(() => bindKey('/', 'Search', openPalette), [])
  return isOpen.value ? <OpenPalette /> : null
}

function OpenPalette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const items = useItems(text)
  const chosen = Math.min(at, items.length - 1)
  const open = (item: Item | undefined) => {
    isOpen.value = false
    if (item !== undefined) go(item.address)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, items.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') open(items[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={() => open(undefined)}>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        aria-label="Search for views, rooms and tasks"
        placeholder="Views, rooms, tasks…"
        value={text}
        autofocus
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Results">
        {items.map((item, index) => (
          <div
            key={item.address}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseDown={() => open(item)}
          >
            <span class="grow">{item.label}</span>
            <span class="soft small">{item.note}</span>
          </div>
        ))}
      </div>
      {items.length === 0 ? <p class="soft">Nothing found.</p> : null}
    </Dialog>
  )
}

const MOST_ITEMS = 12

function useItems(text: string): readonly Item[] {
  const rooms = useRooms() ?? []
  const [tasks, setTasks] = useState<readonly Task[]>([])
  useEffect(() => {
    const stop = new AbortController()
    call<readonly Task[]>('task.list', { limit: 1_000 }, stop.signal).then(setTasks, () => {})
    return () => stop.abort()
  }, [])
  const all: readonly Item[] = [
    ...VIEWS,
    ...rooms.map(({ id, name }) => ({ label: name, note: 'room', address: roomAddress(id) })),
    ...tasks.map((task) => ({
      label: task.title,
      note: task.roomId,
      address: addressOf('task', task.id ?? `${task.roomId}/${task.name}`),
    })),
  ]
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = all.filter(({ label, note }) => {
    const target = `${label} ${note}`.toLowerCase()
    return words.every((word) => target.includes(word))
  })
  return found.slice(0, MOST_ITEMS)
}
