/**
 * A room's conversation: what is stored, a page at a time, and the answer that is being made now. Invariant 1: text that
 * streams stays on the page until the stored text is there, so that nothing disappears in between.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ResultOf } from '../../../src/hub/method-table.ts'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'

type ChatPage = ResultOf<'chat.list'>
export type ChatItem = ChatPage['items'][number]
export type ChatDid = ChatItem['did'][number]
export type ChatFile = ChatItem['files'][number]
export type Waiting = ChatPage['waiting'][number]
export type Obstacle = ChatPage['obstacle']

/** The channel `room:ID:neo`: how it stood, and what has come since (channels.ts keeps both). */
interface NeoState {
  readonly snapshot: { readonly status: string; readonly saying?: string }
  readonly events: readonly NeoEvent[]
}

interface NeoEvent {
  /** A piece of the answer, or with `what` something that Neo did or said elsewhere. */
  readonly text?: string
  readonly what?: string
  readonly status?: 'idle' | 'thinking' | 'waiting_for_input'
  /** Why it can't go on. */
  readonly note?: string
}

export interface Conversation {
  /** Null until they are here. */
  readonly items: readonly ChatItem[] | null
  readonly error: string | null
  readonly waiting: readonly Waiting[]
  readonly obstacle: Obstacle
  /** Loads the page before; null at the beginning. */
  readonly more: (() => Promise<void>) | null
  readonly status: string
  /** Why the last answer could not be made; '' if it could. */
  readonly trouble: string
  /** What the present answer has said, as far as it is not in `items`. */
  readonly saying: string
  readonly send: (content: string, files: readonly ChatFile[]) => Promise<void>
  readonly refresh: () => Promise<void>
}

interface Stored {
  readonly items: readonly ChatItem[]
  readonly earlier: string | null
  readonly waiting: readonly Waiting[]
  readonly obstacle: Obstacle
  /** The last event whose outcome is in `items`. */
  readonly settled: NeoEvent | null
}

export function useConversation(room: string): Conversation {
  const { value, error } = useChannel<NeoState>(`room:${room}:neo`)
  const [stored, setStored] = useState<Stored | null>(null)
  const [sending, setSending] = useState<readonly Waiting[]>([])
  const state = value.value
  const now = presentOf(state, stored?.settled ?? null)
  const last = useRef<NeoEvent | null>(null)
  last.current = now.last
  const refresh = async () => {
    const settled = last.current
    const page = await call<ChatPage>('chat.list', { roomId: room })
    setStored((before) => ({ ...merged(before, page), settled }))
  }
  useEffect(() => {
    if (state !== undefined) refresh().catch(() => {})
  }, [state?.snapshot, now.last])
  const more = async () => {
    const before = stored?.earlier
    if (before === null || before === undefined) return
    const page = await call<ChatPage>('chat.list', { roomId: room, before })
    setStored((kept) =>
      kept === null ? kept : { ...kept, items: [...page.items, ...kept.items], earlier: page.earlier },
    )
  }
  const send = async (content: string, files: readonly ChatFile[]) => {
    const mine: Waiting = { at: new Date().toISOString(), from: '', text: content, files: [...files] }
    setSending((others) => [...others, mine])
    try {
      const ids = files.map(({ id }) => id)
      await call('message.send', { roomId: room, content, ...(ids.length === 0 ? {} : { files: ids }) })
      // It has arrived, whatever becomes of this look.
      await refresh().catch(() => {})
    } finally {
      setSending((others) => others.filter((one) => one !== mine))
    }
  }
  return {
    items: stored?.items ?? null,
    error: error.value,
    waiting: [...(stored?.waiting ?? []), ...sending],
    obstacle: stored?.obstacle ?? null,
    more: stored === null || stored.earlier === null ? null : more,
    ...now,
    send,
    refresh,
  }
}

/** Earlier pages stay, if the newest one still touches them. */
function merged(before: Stored | null, page: ChatPage): Omit<Stored, 'settled'> {
  const first = page.items[0]?.id
  const at = before === null ? -1 : before.items.findIndex(({ id }) => id === first)
  if (before === null || at <= 0) return page
  return { ...page, items: [...before.items.slice(0, at), ...page.items], earlier: before.earlier }
}

/** After such an event, what was said before is stored. */
function isMilestone({ what, status }: NeoEvent): boolean {
  return what !== undefined || status !== undefined
}

function presentOf(state: NeoState | undefined, settled: NeoEvent | null) {
  const events = state?.events ?? []
  const from = settled === null ? -1 : events.lastIndexOf(settled)
  let saying = from < 0 ? (state?.snapshot.saying ?? '') : ''
  for (const { text, what } of events.slice(from + 1)) {
    if (what !== undefined && saying !== '') saying += '\n\n'
    else if (what === undefined && text !== undefined) saying += text
  }
  const told = events.findLast(({ status }) => status !== undefined)
  const status = told?.status ?? state?.snapshot.status ?? 'idle'
  const trouble = status === 'thinking' ? '' : (told?.note ?? '')
  return { status, trouble, saying, last: events.findLast(isMilestone) ?? null }
}
