/** The conversation with the Neo of a room: the answer streams in, and what it did is listed under it. */
import { useEffect, useRef } from 'preact/hooks'
import { Button, Empty, say } from '../parts/controls.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { visible } from '../parts/text.ts'
import { Time } from '../parts/time.tsx'
import { isOpen, useRooms } from '../store/rooms.ts'
import { draft } from '../store/drafts.ts'
import { go } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'
import { Loading } from './inbox.tsx'
import { type Conversation, useConversation } from './use-conversation.ts'

export function ChatView({ room }: { readonly room: string }) {
  return (
    <div class="view chat">
      <header class="view-head row spread">
        <h1>Chat</h1>
        <RoomChoice room={room} />
      </header>
      <Chat key={room} room={room} />
    </div>
  )
}

function RoomChoice({ room }: { readonly room: string }) {
  const rooms = (useRooms() ?? []).filter(isOpen)
  const names = rooms.some(({ id }) => id === 'lobby') ? rooms : [{ id: 'lobby', name: 'Lobby' }, ...rooms]
  return (
    <select
      aria-label="Neo of which room"
      class="room-choice"
      value={room}
      onChange={({ currentTarget }) => go(`/chat/${encodeURIComponent(currentTarget.value)}`)}
    >
      {names.map(({ id, name }) => (
        <option key={id} value={id}>
          Neo of {name}
        </option>
      ))}
    </select>
  )
}

function Chat({ room }: { readonly room: string }) {
  const conversation = useConversation(room)
  const { messages, error, live } = conversation
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useAtEnd()
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' })
  }, [messages?.length, live.text])
  if (error !== null) return <Empty title={error} />
  if (messages === null) return <Loading />
  return (
    <>
      <ol class="messages-list" aria-label="Conversation" aria-live="polite">
        {messages.length === 0 && live.status === 'idle' ? <Start /> : null}
        {messages.map(({ role, content, timestamp }, index) => (
          <li key={`${timestamp} ${index}`} class="chat-message" data-role={role}>
            <p class="soft small">
              {role === 'user' ? 'You' : role === 'assistant' ? 'Neo' : 'Event'} · <Time at={timestamp} />
            </p>
            {role === 'system' ? <p class="wrap">{visible(content)}</p> : <Markdown text={content} />}
          </li>
        ))}
        <Live conversation={conversation} />
      </ol>
      <div ref={end} />
      {may('talk', room) ? <Composer room={room} conversation={conversation} /> : null}
    </>
  )
}

function Start() {
  return (
    <li>
      <Empty title="No messages yet.">
        <p class="soft">Ask Neo to plan work, explain what happened, or create tasks.</p>
      </Empty>
    </li>
  )
}

function Live({ conversation: { live } }: { readonly conversation: Conversation }) {
  if (live.status === 'idle' && live.sent.length === 0) return null
  return (
    <>
      {live.sent.map((content, index) => (
        <li key={`${index} ${content}`} class="chat-message" data-role="user">
          <p class="soft small">You</p>
          <Markdown text={content} />
        </li>
      ))}
      <li class="chat-message" data-role="assistant" aria-busy="true">
        <p class="soft small">Neo {live.note === '' ? 'is thinking…' : visible(live.note)}</p>
        {live.text === '' ? null : <Markdown text={live.text} />}
        {live.did.map((text, index) => (
          <p key={`${index} ${text}`} class="soft small wrap">
            {visible(text)}
          </p>
        ))}
      </li>
    </>
  )
}

function Composer({ room, conversation }: { readonly room: string; readonly conversation: Conversation }) {
  const text = draft(`chat ${room}`)
  const send = async () => {
    const content = text.value.trim()
    if (content === '') return
    text.value = ''
    try {
      await conversation.send(content)
    } catch (error) {
      text.value = content
      throw error
    }
  }
  const isBusy = conversation.live.status === 'thinking'
  return (
    <div class="composer">
      <textarea
        aria-label="Message to Neo"
        placeholder="Message to Neo"
        rows={3}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send().catch(say)
        }}
      />
      <div class="row end">
        <span class="soft small grow">Enter sends, Shift-Enter makes a new line.</span>
        {isBusy ? (
          <Button icon="stop" onClick={async () => void (await call('context.stop', { roomId: room }))}>
            Stop
          </Button>
        ) : null}
        <Button tone="primary" icon="send" disabled={text.value.trim() === ''} onClick={send}>
          Send
        </Button>
      </div>
    </div>
  )
}

const NEAR_END_PX = 80

/** Whether the view is scrolled to its end, so that new text doesn't move what somebody reads further up. */
function useAtEnd(): { readonly current: boolean } {
  const isAtEnd = useRef(true)
  useEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    const look = () => {
      isAtEnd.current = main.scrollHeight - main.scrollTop - main.clientHeight < NEAR_END_PX
    }
    main.addEventListener('scroll', look, { passive: true })
    return () => main.removeEventListener('scroll', look)
  }, [])
  return isAtEnd
}
