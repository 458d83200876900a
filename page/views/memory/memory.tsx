/** What is remembered, in rooms and conversations: listed by place, searched with the reason of each hit, changed. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, say } from '../../parts/controls.tsx'
import { useRowKeys } from '../../parts/keys/row-keys.ts'
import { count, visible } from '../../parts/text.ts'
import { useChannel } from '../../store/channels.ts'
import { query, setQuery } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may, me } from '../../store/session.ts'
import { AddMemory } from './memory-add.tsx'
import { MemoryEntries } from './memory-entries.tsx'
import { MemoryHistory } from './memory-history.tsx'
import { Hits } from './memory-hits.tsx'
import { type MemoryPlace, SHOWN, type Shown, useMemories } from './use-memories.ts'
import '../../style/memory.css'

export function MemoryView() {
  const words = query.value.get('q') ?? ''
  const room = query.value.get('room') ?? ''
  const scope = query.value.get('scope') ?? ''
  const shown = SHOWN.find(({ name }) => name === query.value.get('show')) ?? SHOWN[0]
  const stamp = useChannel<object>('memory').value.value
  const view = useRef<HTMLDivElement>(null)
  useRowKeys(view, { rows: '.memory-entry', opens: '.hit-link', acts: '.quiet-actions .link', act: 'Edit' })
  const memories = useMemories({ room, scope, shown, stamp })
  const places = memories.page?.places ?? []
  return (
    <div ref={view} class="view memory-view">
      <Head room={room} scope={scope} places={places} onChange={memories.reload} />
      <div class="memory-columns">
        <Places places={places} room={room} scope={scope} />
        <div class="min0">
          <SearchBar words={words} shown={shown} />
          {words === '' ? (
            <MemoryEntries memories={memories} places={places} />
          ) : (
            <Hits words={words} room={room} scope={scope} stamp={stamp} places={places} />
          )}
        </div>
      </div>
    </div>
  )
}

interface HeadProps {
  readonly room: string
  readonly scope: string
  readonly places: readonly MemoryPlace[]
  readonly onChange: () => Promise<void>
}

function Head({ room, scope, places, onChange }: HeadProps) {
  const [open, setOpen] = useState<'add' | 'history' | null>(null)
  const canAdd =
    Object.keys(me.value?.rooms ?? {}).some((id) => may('remember', id)) ||
    places.some((one) => one.scopeId !== null)
  const extract = async () => {
    say(reportOf(await (scope === '' ? distilled(room) : distilledScope(scope))))
    await onChange()
  }
  return (
    <>
      <header class="view-head row spread">
        <h1>Memory</h1>
        <div class="row">
          {room === '' ? null : <Button onClick={() => setOpen('history')}>History</Button>}
          {may('remember', room === '' ? 'lobby' : room) || scope !== '' ? (
            <Button onClick={extract} title="Make facts and notes of what people said since the last time">
              Extract facts now
            </Button>
          ) : null}
          {canAdd ? (
            <Button tone="primary" icon="plus" onClick={() => setOpen(open === 'add' ? null : 'add')}>
              Add
            </Button>
          ) : null}
        </div>
      </header>
      {open === 'add' ? (
        <AddMemory
          places={places}
          room={room}
          scope={scope}
          onAdded={onChange}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'history' ? (
        <MemoryHistory
          about={{ roomId: room }}
          title={`History of ${placeName(places, room)}`}
          room={room}
          onChange={onChange}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </>
  )
}

function placeName(places: readonly MemoryPlace[], room: string): string {
  return visible(places.find(({ roomId }) => roomId === room)?.name ?? room)
}

interface Report {
  readonly facts: number
  readonly notes: number
  readonly refused: readonly string[]
}

async function distilled(room: string): Promise<Report> {
  const all = await call<readonly Report[]>('memory.distill', room === '' ? {} : { roomId: room })
  const sum = (of: (report: Report) => number) => all.reduce((total, report) => total + of(report), 0)
  return {
    facts: sum(({ facts }) => facts),
    notes: sum(({ notes }) => notes),
    refused: all.flatMap(({ refused }) => refused),
  }
}

async function distilledScope(scopeId: string): Promise<Report> {
  return await call<Report>('scope.distill', { scopeId })
}

function reportOf({ facts, notes, refused }: Report): string {
  const kept =
    facts + notes === 0
      ? 'Nothing new to remember.'
      : `Saved ${count(facts, 'fact')} and ${count(notes, 'note')}.`
  return refused.length === 0
    ? kept
    : `${kept} Not saved, because they look like secrets: ${refused.join(', ')}.`
}

function Places({ places, room, scope }: Omit<HeadProps, 'onChange'>) {
  const total = places.reduce((sum, one) => sum + one.count, 0)
  return (
    <nav class="memory-places" aria-label="Where it is remembered">
      <PlaceButton
        name="All"
        count={total}
        isOn={room === '' && scope === ''}
        to={{ room: null, scope: null }}
      />
      {places
        .filter(({ roomId }) => roomId !== null)
        .map(({ roomId, name, count: number }) => (
          <PlaceButton
            key={roomId}
            name={roomId === 'lobby' ? `${name} (whole home)` : name}
            count={number}
            isOn={room === roomId}
            to={{ room: roomId, scope: null }}
          />
        ))}
      {places.some(({ scopeId }) => scopeId !== null) ? <h2 class="soft small">Conversations</h2> : null}
      {places
        .filter(({ scopeId }) => scopeId !== null)
        .map(({ scopeId, name, count: number }) => (
          <PlaceButton
            key={scopeId}
            name={name}
            count={number}
            isOn={scope === scopeId}
            to={{ room: null, scope: scopeId }}
          />
        ))}
    </nav>
  )
}

interface PlaceButtonProps {
  readonly name: string
  readonly count: number
  readonly isOn: boolean
  readonly to: { readonly room: string | null; readonly scope: string | null }
}

function PlaceButton({ name, count: number, isOn, to }: PlaceButtonProps) {
  return (
    <button
      type="button"
      class="place-button"
      aria-pressed={isOn}
      onClick={() => setQuery({ ...to, at: null })}
    >
      <span class="grow clip">{visible(name)}</span>
      <span class="soft small num">{number === 0 ? '' : number}</span>
    </button>
  )
}

function SearchBar({ words, shown }: { readonly words: string; readonly shown: Shown }) {
  const [typed, setTyped] = useState(words)
  useEffect(() => setTyped(words), [words])
  useEffect(() => {
    if (typed === words) return
    const timer = setTimeout(() => setQuery({ q: typed, at: null }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div class="row memory-bar">
      <input
        type="search"
        class="grow"
        aria-label="Search memory"
        placeholder="Search in plain words…"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {words === '' ? (
        <fieldset class="segments" aria-label="What to show">
          {SHOWN.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === shown.name}
              onClick={() => setQuery({ show: name === SHOWN[0].name ? null : name, at: null })}
            >
              {label}
            </button>
          ))}
        </fieldset>
      ) : null}
    </div>
  )
}

/** A search waits until the typing rests this long. */
const TYPING_MS = 200
