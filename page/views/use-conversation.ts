/** A room's conversation: what is stored, and the turn that runs now. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../store/channels.ts'
import { call } from '../store/rpc.ts'

export interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly timestamp: string
}

/** The channel `room:ID:neo`: the stored conversation, and what has come since (channels.ts keeps both). */
export interface NeoState {
  readonly snapshot: { readonly messages: readonly Message[]; readonly status: string }
  readonly events: readonly NeoEvent[]
}

interface NeoEvent {
  /** A piece of the answer, or with `what` something that Neo did or said elsewhere. */
  readonly text?: string
  readonly what?: string
  readonly status?: 'idle' | 'thinking' | 'waiting_for_input'
  readonly note?: string
}

export interface Conversation {
  /** Null until they are here. */
  readonly messages: readonly Message[] | null
  readonly error: string | null
  readonly live: {
    readonly status: string
    readonly note: string
    readonly text: string
    readonly did: readonly string[]
    /** Sent, and not stored in the conversation yet. */
    readonly sent: readonly string[]
  }
  readonly send: (content: string) => Promise<void>
}

export function useConversation(room: string): Conversation {
  const { value, error } = useChannel<NeoState>(`room:${room}:neo`)
  const [stored, setStored] = useState<readonly Message[] | null>(null)
  const [sent, setSent] = useState<readonly string[]>([])
  const state = value.value
  const turn = turnOf(state)
  const refresh = () =>
    call<NeoState['snapshot']>('context.get', { roomId: room }).then(({ messages }) => {
      setStored(messages)
      setSent((waiting) => waiting.filter((text) => !messages.some(({ content }) => content.includes(text))))
    })
  useEffect(() => {
    if (state !== undefined) refresh().catch(() => {})
  }, [state === undefined, turn.ended])
  return {
    messages: stored,
    error: error.value,
    live: { ...turn, sent },
    send: async (content) => {
      setSent((waiting) => [...waiting, content])
      try {
        await call('message.send', { roomId: room, content })
      } catch (failure) {
        setSent((waiting) => waiting.filter((text) => text !== content))
        throw failure
      }
      await refresh()
    },
  }
}

/** What the present turn has said and done; `ended` counts finished turns. */
function turnOf(state: NeoState | undefined) {
  let turn = {
    status: state?.snapshot.status ?? 'idle',
    note: '',
    text: '',
    did: [] as readonly string[],
    ended: 0,
  }
  for (const { text, what, status, note } of state?.events ?? []) {
    if (what !== undefined) turn = { ...turn, did: [...turn.did, text ?? what], ended: turn.ended + 1 }
    else if (text !== undefined) turn = { ...turn, text: turn.text + text }
    if (note !== undefined) turn = { ...turn, note }
    if (status === undefined) continue
    const isEnd = status === 'idle' && turn.status !== 'idle'
    turn = isEnd ? { status, note: '', text: '', did: [], ended: turn.ended + 1 } : { ...turn, status }
  }
  return turn
}
