/**
 * State of chats: the room of each, what a group has moved to, which message shows which request. Invariant 1: rights never
 * come from this file; losing it costs convenience.
 */
import type { Files } from '../../ports/files-port.ts'

export interface Chats {
  room(sessionKey: string): string | null
  talkIn(sessionKey: string, room: string): void
  moved(from: string, to: string): void
  /** The id that a chat has now. */
  now(chatId: string): string
  /** This message asks that. */
  asked(chatId: string, messageId: string, ask: string): void
  askOf(chatId: string, messageId: string): string | null
  /** The bot's own name on the service. */
  setName(username: string): void
}

interface Kept {
  readonly rooms: Record<string, string>
  readonly moved: Record<string, string>
  readonly asks: Record<string, string>
  username: string | null
}

const MOST = 2_000

/** @param path `queues/<channel>.json`, where commands find the bot's name too */
export function openChats(files: Pick<Files, 'readJson' | 'writeJson'>, path: string): Chats {
  const kept = keptOf(files.readJson(path))
  const put = (part: Record<string, string>, key: string, value: string): void => {
    if (part[key] === value) return
    delete part[key]
    part[key] = value
    for (const oldest of Object.keys(part).slice(0, Math.max(0, Object.keys(part).length - MOST)))
      delete part[oldest]
    files.writeJson(path, kept)
  }
  return {
    room: (key) => kept.rooms[key] ?? null,
    talkIn: (key, room) => put(kept.rooms, key, room),
    moved(from, to) {
      // What people chose in the chat holds on.
      for (const [key, room] of Object.entries(kept.rooms)) {
        const [channel = '', chatId] = key.split(':')
        if (chatId === from) put(kept.rooms, `${channel}:${to}`, room)
      }
      put(kept.moved, from, to)
    },
    now: (chatId) => kept.moved[chatId] ?? chatId,
    asked: (chatId, messageId, ask) => put(kept.asks, `${chatId}:${messageId}`, ask),
    askOf: (chatId, messageId) => kept.asks[`${chatId}:${messageId}`] ?? null,
    setName(username) {
      if (kept.username === username) return
      kept.username = username
      files.writeJson(path, kept)
    },
  }
}

function keptOf(read: unknown): Kept {
  const { rooms, moved, asks, username } = (read ?? {}) as Partial<Record<keyof Kept, unknown>>
  return {
    rooms: texts(rooms),
    moved: texts(moved),
    asks: texts(asks),
    username: typeof username === 'string' ? username : null,
  }
}

function texts(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {}
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(entries)
}
