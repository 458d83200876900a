/**
 * Messages in and out, and places. Invariant 1: a key names one thing for ever: `<channel>:<chat>:<update>` for an incoming
 * message, `reply:<key>` for its answer. Invariant 2: speaker (who wrote), scope (where) and target (about whom) are kept
 * apart. Invariant 3: the metadata names what was masked, never its value. Invariant 4: joined messages keep their order and
 * are of one speaker.
 */
import { commandIn } from '../domain/policy/channel-kinds.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import { maskSecrets } from '../domain/secrets/distill-secrets.ts'
import type { Waiting } from '../store/durable-queue.ts'

export interface Place {
  readonly channel: string
  readonly chatId: string
  /** A topic of a group. */
  readonly thread?: string
}

/** Who wrote, as the channel's stable number says: the person whose home this is, a member, or the home itself. */
export type Speaker = 'human' | 'system' | `member:${string}`

export interface Media {
  readonly kind: 'image' | 'file' | 'voice' | 'video'
  /** Absolute path, with a name of our choice. */
  readonly path: string
  readonly type: string
  readonly bytes: number
}

/** A file of a message, by the channel's own id. */
export interface MediaFile {
  readonly fileId: string
  readonly kind: 'image' | 'file' | 'voice' | 'video'
  readonly type: string
  readonly bytes: number
}

export interface Inbound extends Place {
  readonly key: string
  readonly senderId: string
  /** Nobody else reads along: the chat is the sender's and the bot's. */
  readonly isPrivate: boolean
  /** `channel:chatId[:thread]`. */
  readonly sessionKey: string
  readonly speaker: Speaker
  readonly scope: string
  /** Whom it is about; the speaker unless they name somebody. */
  readonly target: string
  /** Where it is answered. */
  readonly room: string
  readonly content: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** `command`: done at once by the channel itself, whatever its room is busy with. */
  readonly kind: 'message' | 'command'
  readonly media: readonly Media[]
  readonly metadata: Readonly<Record<string, string>>
  /** The channel's id of the message that the reply belongs under. */
  readonly replyTo?: string
}

/** A message that waits for its files. */
export interface Held {
  readonly scope: string
  readonly message: Inbound
  readonly files: readonly MediaFile[]
  /** The channel's id of the album that it is a part of. */
  readonly album?: string
}

export interface Button {
  readonly text: string
  /** At most 64 bytes. */
  readonly data: string
}

export interface Outbound extends Place {
  readonly key: string
  /** Markdown. */
  readonly content: string
  readonly replyTo?: string
  readonly buttons?: readonly Button[]
  /** A file to send: its absolute path, and the name that people see. */
  readonly file?: { readonly path: string; readonly name: string }
  /** The ask that a reply to this message answers. */
  readonly ask?: string
  /** The conversation that it belongs to; absent if it is for a place as such. */
  readonly scope?: string
  /** Notices that it tells of; only in queues of version 0.1.0. */
  readonly notices?: readonly { readonly key: string; readonly channel: string }[]
}

/** A text under a message. */
export function replied(
  { channel, chatId, thread, replyTo, scope }: Inbound,
  key: string,
  content: string,
): Outbound {
  const at = { ...(thread === undefined ? {} : { thread }), ...(replyTo === undefined ? {} : { replyTo }) }
  return { key, channel, chatId, scope, content, ...at }
}

/** `telegram:-100123:7`, as `notify:` and scopes name places. */
export function placeText({ channel, chatId, thread }: Place): string {
  return thread === undefined ? `${channel}:${chatId}` : `${channel}:${chatId}:${thread}`
}

/** The place of a conversation: in a private chat, all threads are one. */
export function conversationKey({ channel, chatId, thread, isPrivate }: Inbound): string {
  return placeText(isPrivate || thread === undefined ? { channel, chatId } : { channel, chatId, thread })
}

/** What the home itself says comes from here: it is not a place that a message can go to. */
const SYSTEM = 'system'

/** `null` if the text names no place of a channel. Ids are the channel's own: any text without blanks and colons. */
export function placeOf(text: string): Place | null {
  const [, channel, chatId, thread] = /^([a-z][a-z0-9-]*):([^\s:]+)(?::([^\s:]+))?$/.exec(text) ?? []
  if (channel === undefined || chatId === undefined || channel === SYSTEM) return null
  return thread === undefined ? { channel, chatId } : { channel, chatId, thread }
}

/** Codes of pairing, presses of buttons and answers to asks are carried out as they are. */
export function withoutSecrets(message: Inbound): Inbound {
  const { kind, metadata, content } = message
  const isWord =
    metadata['pairing'] !== undefined ||
    metadata['press'] !== undefined ||
    commandIn(message.channel, content)?.name === 'start'
  if (message.channel === 'system' || (kind === 'command' && isWord)) return message
  const { text, keys } = maskSecrets(content)
  if (text === content) return message
  return { ...message, content: text, metadata: { ...metadata, masked: [...new Set(keys)].join(', ') } }
}

/** So many of a chat and fewer have a turn each, as long as no more than MANY wait in all. */
const A_TURN_EACH = 12
const MANY = 100
const MOST_TOGETHER = 40
const MAX_CHARACTERS = 20_000

/**
 * What follows the first at once: same chat, speaker, room; none where few wait.
 * @param all of every chat; what has a note was begun, and waits no more
 */
export function togetherWith(
  first: Inbound,
  all: readonly Pick<Waiting<Inbound>, 'item' | 'note'>[],
): readonly Inbound[] {
  const waiting = all.flatMap(({ item, note }) => (note === null ? [item] : []))
  const own = waiting.filter(
    ({ kind, scope, room }) => kind === 'message' && scope === first.scope && room === first.room,
  )
  const after = own.slice(own.findIndex(({ key }) => key === first.key) + 1)
  const isMuch = own.length > A_TURN_EACH || waiting.length > MANY
  if (first.channel === 'system' || !isMuch) return []
  const together: Inbound[] = []
  let letters = first.content.length
  for (const message of after) {
    letters += message.content.length
    const isSame = message.speaker === first.speaker && message.sessionKey === first.sessionKey
    if (!isSame || letters > MAX_CHARACTERS || together.length + 1 >= MOST_TOGETHER) break
    together.push(message)
  }
  return together
}

/** As if they had been one message. */
export function joined(messages: readonly [Inbound, ...Inbound[]]): Inbound {
  const [first] = messages
  if (messages.length === 1) return first
  const content = messages
    .map((one) => one.content.trim())
    .filter((text) => text !== '')
    .join('\n\n')
  const masked = [...new Set(messages.flatMap(({ metadata }) => metadata['masked']?.split(', ') ?? []))].join(
    ', ',
  )
  const metadata = masked === '' ? first.metadata : { ...first.metadata, masked }
  return { ...first, content, metadata, media: messages.flatMap(({ media }) => media) }
}

/** As the hub names who calls. */
export function principalOf(speaker: Exclude<Speaker, 'system'>): Principal {
  return speaker === 'human' ? { kind: 'human' } : { kind: 'member', id: speaker.slice('member:'.length) }
}
