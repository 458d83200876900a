/** The command palette: Ctrl-K finds views, rooms, tasks, memories and people, and runs actions. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Dialog, say } from '../controls.tsx'
import { bindKey } from '../keys/keys.ts'
import { lazyView } from '../lazy.tsx'
import { closeOver, over, showKeys } from './palette-dialogs.ts'
import { type Item, useItems } from './palette-items.ts'
import { noteRecent } from './palette-recent.ts'
import { StatusMark } from '../status.tsx'
import { count } from '../text.ts'
import '../../style/palette.css'

const KeysHelp = lazyView(() => import('../keys/keys-help.tsx').then(({ KeysHelp }) => KeysHelp))
const NewTask = lazyView(() => import('../../views/task/new-task.tsx').then(({ NewTask }) => NewTask))

const isOpen = signal(false)

export function openPalette(): void {
  isOpen.value = true
}

export function Palette() {
  useEffect(() => {
    const stops = [
      bindKey('Ctrl+k', 'Search, and run actions', openPalette),
      bindKey('/', 'Search, and run actions', openPalette),
      bindKey('?', 'Show all keys', showKeys),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  return (
    <>
      {isOpen.value ? <OpenPalette /> : null}
      {over.value?.kind === 'keys' ? <KeysHelp onClose={closeOver} /> : null}
      {over.value?.kind === 'task' ? (
        <NewTask room={over.value.room} status="pending" onClose={closeOver} />
      ) : null}
    </>
  )
}

function OpenPalette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const items = useItems(text)
  const chosen = Math.min(at, items.length - 1)
  const open = (item: Item | undefined) => {
    isOpen.value = false
    if (item === undefined) return
    if (item.address !== undefined) noteRecent({ ...item, address: item.address })
    Promise.resolve(item.run()).catch(say)
  }
  return (
    <Dialog title="Search" onClose={() => open(undefined)}>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="palette-list"
        aria-activedescendant={chosen < 0 ? undefined : `palette-${chosen}`}
        aria-label="Search for views, rooms, tasks, memories, people and actions"
        placeholder="Views, rooms, tasks, memories, actions…"
        value={text}
        autofocus
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return
          const next = moved(event.key, chosen, items.length)
          if (next !== null) setAt(next)
          else if (event.key === 'Enter') open(items[chosen])
          else return
          event.preventDefault()
        }}
      />
      <Options items={items} chosen={chosen} onOpen={open} onPoint={setAt} />
      <p class="row soft small palette-foot">
        <span class="grow" role="status">
          {items.length === 0 ? 'Nothing found.' : count(items.length, 'result')}
        </span>
        <span class="only-keys">
          <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> opens; type “retry” and a title to retry a task
        </span>
      </p>
    </Dialog>
  )
}

function moved(key: string, at: number, length: number): number | null {
  if (length === 0) return null
  if (key === 'ArrowDown') return (at + 1) % length
  if (key === 'ArrowUp') return (at - 1 + length) % length
  if (key === 'PageDown') return Math.min(length - 1, at + 8)
  return key === 'PageUp' ? Math.max(0, at - 8) : null
}

interface OptionsProps {
  readonly items: readonly Item[]
  readonly chosen: number
  readonly onOpen: (item: Item) => void
  readonly onPoint: (at: number) => void
}

function Options({ items, chosen, onOpen, onPoint }: OptionsProps) {
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, items])
  const groups = [...new Set(items.map(({ group }) => group))]
  return (
    <div id="palette-list" class="palette-list" role="listbox" aria-label="Results">
      {groups.map((group) => (
        <fieldset key={group} class="palette-group" aria-label={group}>
          <p class="soft small" aria-hidden="true">
            {group}
          </p>
          {items.map((item, at) =>
            item.group === group ? (
              <Option
                key={item.id}
                item={item}
                at={at}
                isChosen={at === chosen}
                onOpen={onOpen}
                onPoint={onPoint}
              />
            ) : null,
          )}
        </fieldset>
      ))}
    </div>
  )
}

interface OptionProps extends Pick<OptionsProps, 'onOpen' | 'onPoint'> {
  readonly item: Item
  readonly at: number
  readonly isChosen: boolean
}

function Option({ item, at, isChosen, onOpen, onPoint }: OptionProps) {
  return (
    <div
      id={`palette-${at}`}
      class="palette-option"
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onMouseMove={() => {
        if (!isChosen) onPoint(at)
      }}
      onClick={() => onOpen(item)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onOpen(item)
      }}
    >
      {item.status === undefined ? null : <StatusMark status={item.status} />}
      <span class="grow clip">{item.label}</span>
      <span class="soft small">{item.note}</span>
    </div>
  )
}
