/** The conversation with the Neo of a room: the answer streams in, and what Neo did is named with links. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { isOpen, useRooms } from '../../store/rooms.ts'
import { go, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may, me } from '../../store/session.ts'
import { ChatComposer } from './chat-composer.tsx'
import { Present, Said, WaitingMessage } from './chat-items.tsx'
import { Loading } from '../inbox/inbox.tsx'
import { type Conversation, useConversation } from './use-conversation.ts'
import '../../style/chat.css'

export function ChatView({ room }: { readonly room: string }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <div class="view chat">
      <header class="view-head row spread">
        <h1>Chat</h1>
        <div class="row">
          {may('clear-context', room) ? (
            <Button
              title="Close this conversation. It stays readable above."
              onClick={async () => {
                if (!isAsked) return setAsked(true)
                setAsked(false)
                await call('context.clear', { roomId: room })
                say('The next message begins a new conversation.')
              }}
            >
              {isAsked ? 'Really start over?' : 'New conversation'}
            </Button>
          ) : null}
          <RoomChoice room={room} />
        </div>
      </header>
      <Chat key={room} room={room} />
    </div>
  )
}

function RoomChoice({ room }: { readonly room: string }) {
  const rooms = (useRooms() ?? []).filter((one) => isOpen(one) || one.id === room)
  const hasLobby = rooms.some(({ id }) => id === 'lobby')
  const mayLobby = me.value === null || me.value.rooms['lobby'] !== undefined
  const names = hasLobby || !mayLobby ? rooms : [{ id: 'lobby', name: 'Lobby' }, ...rooms]
  return (
    <select
      aria-label="Neo of which room"
      class="room-choice"
      value={room}
      onChange={({ currentTarget }) => go(`/chat/${encodeURIComponent(currentTarget.value)}`)}
    >
      {names.map(({ id, name }) => (
        <option key={id} value={id}>
          Neo of {visible(name)}
        </option>
      ))}
    </select>
  )
}

function Chat({ room }: { readonly room: string }) {
  const conversation = useConversation(room)
  const { items, error, waiting, saying, more } = conversation
  const list = useRef<HTMLOListElement>(null)
  const newFrom = useNewFrom(room, items?.at(-1)?.at)
  useScroll(list, { first: items?.[0]?.id, end: `${items?.length} ${waiting.length} ${saying.length}` })
  if (error !== null) return <Empty title={error} />
  if (items === null) return <Loading />
  const isEmpty = items.length === 0 && waiting.length === 0 && conversation.status === 'idle'
  const firstNew =
    newFrom === null ? undefined : items.find(({ at, from }) => at > newFrom && from !== me.value?.who)
  return (
    <>
      {more === null ? null : (
        <div class="row chat-earlier">
          <Button onClick={more}>Show earlier messages</Button>
        </div>
      )}
      {isEmpty ? <Start /> : null}
      <ol
        ref={list}
        class="messages-list"
        aria-label="Conversation"
        aria-live="polite"
        aria-relevant="additions"
      >
        {items.map((item) => (
          <Said key={item.id} item={item} room={room} isFirstNew={item === firstNew} />
        ))}
        {waiting.map((message, at) => (
          <WaitingMessage key={`${message.at} ${at}`} message={message} room={room} />
        ))}
        <Present conversation={conversation} />
      </ol>
      <Obstacle room={room} conversation={conversation} />
      {may('talk', room) ? <ChatComposer room={room} conversation={conversation} /> : null}
    </>
  )
}

function Start() {
  return (
    <Empty title="No messages yet.">
      <p class="soft">Ask Neo to plan work, explain what happened, or create tasks.</p>
    </Empty>
  )
}

/** Why no answer comes, and what to do about it. */
function Obstacle({ room, conversation: { obstacle, trouble, refresh } }: ObstacleProps) {
  const resume = async () => {
    await call('room.resume', { roomId: room })
    await refresh()
  }
  if (obstacle === 'no-model')
    return (
      <p class="notice chat-notice" role="status">
        No model is set, so Neo can't answer. Your messages wait until there is one.{' '}
        {may('change-home') ? (
          <a href="/settings/config">Choose a model in the settings</a>
        ) : (
          'Ask the owner to choose one.'
        )}
      </p>
    )
  if (obstacle === 'paused' || obstacle === 'archived')
    return (
      <p class="row notice chat-notice" role="status">
        <span class="grow">
          This room is {obstacle}. Neo answers when the room is active again.{' '}
          <a href={roomAddress(room)}>Open the room</a>
        </span>
        {obstacle === 'paused' && may('change-room', room) ? <Button onClick={resume}>Resume</Button> : null}
      </p>
    )
  if (obstacle === 'no-daemon') return <p class="notice chat-notice">Neo isn't running.</p>
  if (trouble === '') return null
  return (
    <p class="notice chat-notice" role="status">
      Neo can't answer now: {visible(trouble)}. It tries again by itself.
    </p>
  )
}

interface ObstacleProps {
  readonly room: string
  readonly conversation: Conversation
}

/** The time up to which this browser has shown the conversation before; null at the first visit. */
function useNewFrom(room: string, last: string | undefined): string | null {
  const key = `seen:chat ${room}`
  const from = useMemo(() => read(key), [key])
  useEffect(() => {
    const note = () => {
      if (last !== undefined && document.visibilityState === 'visible') write(key, last)
    }
    note()
    document.addEventListener('visibilitychange', note)
    return () => document.removeEventListener('visibilitychange', note)
  }, [key, last])
  return from
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Then everything is new again after a reload.
  }
}

const NEAR_END_PX = 80

interface Shown {
  /** Id of the first item. */
  readonly first: string | undefined
  /** Changes when something comes at the end. */
  readonly end: string
}

/** Stays at the end while the reader is there; keeps the place when earlier messages come above. */
function useScroll(list: { readonly current: HTMLElement | null }, { first, end }: Shown): void {
  const isAtEnd = useRef(true)
  const before = useRef({ height: 0, first })
  useEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    const look = () => {
      isAtEnd.current = main.scrollHeight - main.scrollTop - main.clientHeight < NEAR_END_PX
    }
    main.addEventListener('scroll', look, { passive: true })
    return () => main.removeEventListener('scroll', look)
  }, [])
  useLayoutEffect(() => {
    const main = document.getElementById('main')
    if (main === null || list.current === null) return
    const hasMoreAbove = before.current.first !== undefined && before.current.first !== first
    if (hasMoreAbove && !isAtEnd.current) main.scrollTop += main.scrollHeight - before.current.height
    else if (isAtEnd.current) main.scrollTop = main.scrollHeight
    before.current = { height: main.scrollHeight, first }
  }, [first, end])
  useEffect(() => {
    const main = document.getElementById('main')
    if (main === null || list.current === null) return
    // Pictures and markdown get their height later.
    const grow = new ResizeObserver(() => {
      if (isAtEnd.current) main.scrollTop = main.scrollHeight
    })
    grow.observe(list.current)
    return () => grow.disconnect()
  }, [list.current])
}
