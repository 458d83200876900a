/** Facts and notes of a room: search with the reason of each hit, add, delete, history. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty, Field } from '../parts/controls.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { visible } from '../parts/text.ts'
import { Time } from '../parts/time.tsx'
import { useRooms } from '../store/rooms.ts'
import { addressOf, query, roomAddress, setQuery } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'
import type { Memory } from '../store/types.ts'

interface Hit {
  readonly score: number
  readonly snippet: string
  /** `path:line` */
  readonly source: string
  readonly room: string
  readonly kind: string
  readonly createdAt: string | null
}

export function MemoryView() {
  const rooms = useRooms() ?? []
  const words = query.value.get('q') ?? ''
  const room = query.value.get('room') ?? ''
  return (
    <div class="view narrow">
      <header class="view-head">
        <h1>Memory</h1>
      </header>
      <div class="row filters">
        <input
          type="search"
          aria-label="Search memory"
          placeholder="Search in plain words…"
          value={words}
          onChange={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
        <select
          aria-label="Room"
          value={room}
          onChange={({ currentTarget }) => setQuery({ room: currentTarget.value })}
        >
          <option value="">All rooms</option>
          {rooms.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {words === '' ? (
        <Facts key={room} rooms={room === '' ? rooms.map(({ id }) => id) : [room]} />
      ) : (
        <Hits words={words} room={room} />
      )}
    </div>
  )
}

function Hits({ words, room }: { readonly words: string; readonly room: string }) {
  const [hits, setHits] = useState<readonly Hit[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const params = { query: words, limit: 30, ...(room === '' ? {} : { roomId: room }) }
    call<{ readonly results: readonly Hit[] }>('memory.search', params, stop.signal).then(
      ({ results }) => setHits(results),
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [words, room])
  if (error !== null) return <Empty title={error} />
  if (hits === null) return <div aria-busy="true" />
  if (hits.length === 0) return <Empty title="Nothing found." />
  return (
    <ol class="stack">
      {hits.map(({ snippet, source, room: of, kind, score, createdAt }) => (
        <li key={source} class="card">
          <p class="wrap">{visible(snippet)}</p>
          <p class="soft small row">
            <a href={roomAddress(of)}>{of}</a>
            <span>{kind}</span>
            <span class="num" title="How well it matches, 0 to 1">
              {score.toFixed(2)}
            </span>
            {createdAt === null ? null : <Time at={createdAt} />}
            <span class="wrap">{visible(source)}</span>
          </p>
        </li>
      ))}
    </ol>
  )
}

function Facts({ rooms }: { readonly rooms: readonly string[] }) {
  const [memories, setMemories] = useState<readonly Memory[] | null>(null)
  const load = async () => {
    const lists = rooms.map((roomId) => call<readonly Memory[]>('memory.list', { roomId }))
    setMemories((await Promise.all(lists)).flat())
  }
  useEffect(() => {
    load().catch(() => setMemories([]))
  }, [rooms.join()])
  const [only] = rooms
  return (
    <>
      {rooms.length === 1 && only !== undefined && may('remember', only) ? (
        <Add room={only} onAdded={load} />
      ) : null}
      {memories === null ? <div aria-busy="true" /> : null}
      {memories?.length === 0 ? (
        <Empty title="No memories yet.">
          <p class="soft">Choose a room to add a fact. Agents remember what they learn.</p>
        </Empty>
      ) : null}
      <div class="stack">
        {memories?.map((memory) => (
          <Fact key={memory.path} memory={memory} onChange={load} />
        ))}
      </div>
    </>
  )
}

function Fact({ memory, onChange }: { readonly memory: Memory; readonly onChange: () => Promise<void> }) {
  const forget = async () => {
    await call('memory.delete', { memoryId: memory.id })
    await onChange()
  }
  return (
    <article class="card">
      <Markdown text={memory.content} />
      <p class="soft small row">
        <a href={roomAddress(memory.roomId)}>{memory.roomId}</a>
        <span>{memory.type}</span>
        {memory.tags.map((tag) => (
          <span key={tag} class="label">
            {visible(tag)}
          </span>
        ))}
        {memory.createdAt === null ? null : <Time at={memory.createdAt} />}
        <span class="grow" />
        {may('change-home') ? <a href={addressOf('file', memory.path)}>Edit</a> : null}
        {may('forget', memory.roomId) ? (
          <Button onClick={forget} title="Delete. Git keeps the history.">
            Forget
          </Button>
        ) : null}
      </p>
    </article>
  )
}

function Add({ room, onAdded }: { readonly room: string; readonly onAdded: () => Promise<void> }) {
  const [text, setText] = useState('')
  const add = async () => {
    await call('memory.add', { roomId: room, type: 'note', content: text.trim() })
    setText('')
    await onAdded()
  }
  return (
    <div class="card stack">
      <Field label={`Add a fact to ${room}`} help="One fact, no secrets.">
        <textarea rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      <div class="row end">
        <Button tone="primary" disabled={text.trim() === ''} onClick={add}>
          Add
        </Button>
      </div>
    </div>
  )
}
