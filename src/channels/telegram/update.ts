/**
 * What an update of Telegram means. Pure. Invariant 1: edits, other bots and anonymous senders (channels, anonymous admins)
 * mean nothing.
 */
import type { Message, Update } from 'grammy/types'
import type { MediaFile } from '../channel-message.ts'
import type { HeardPress, HeardText } from '../inbox/heard-message.ts'

export interface Said extends HeardText {
  readonly kind: 'said'
  readonly files: readonly MediaFile[]
}

export interface Pressed extends HeardPress {
  readonly kind: 'pressed'
  readonly callbackId: string
}

export type Heard =
  | Said
  | Pressed
  /** Somebody came into the group, or left it. */
  | { readonly kind: 'guests'; readonly chatId: string }
  | { readonly kind: 'moved'; readonly from: string; readonly to: string }
  | { readonly kind: 'nothing' }

export interface Bot {
  readonly id: number
  readonly username: string
}

const NOTHING = { kind: 'nothing' } as const

export function heardIn(update: Update, bot: Bot): Heard {
  const { message, callback_query: query, chat_member: other, my_chat_member: own } = update
  if (query !== undefined) {
    const at = query.message
    if (at === undefined || query.data === undefined || query.from.is_bot || !hasId(at.chat)) return NOTHING
    return {
      kind: 'pressed',
      updateId: update.update_id,
      callbackId: query.id,
      from: String(query.from.id),
      data: query.data,
      chatId: String(at.chat.id),
      isPrivate: at.chat.type === 'private',
      thread: threadOf(at as Message),
      messageId: String(at.message_id),
      text: 'text' in at ? (at.text ?? '') : '',
    }
  }
  const { chat } = other ?? own ?? (hasGuests(message) ? message : null) ?? {}
  if (chat !== undefined) return hasId(chat) ? { kind: 'guests', chatId: String(chat.id) } : NOTHING
  if (message === undefined) return NOTHING
  const { migrate_to_chat_id: to, migrate_from_chat_id: before } = message
  if ([to, before].some((id) => id !== undefined && !hasId({ id }))) return NOTHING
  if (to !== undefined) return { kind: 'moved', from: String(message.chat.id), to: String(to) }
  if (before !== undefined) return { kind: 'moved', from: String(before), to: String(message.chat.id) }
  return saidIn(update.update_id, message, bot)
}

function saidIn(updateId: number, message: Message, bot: Bot): Heard {
  const { from, chat } = message
  if (from === undefined || !hasId(from) || !hasId(chat) || from.is_bot || message.sender_chat !== undefined)
    return NOTHING
  const files = filesOf(message)
  const text = (message.text ?? message.caption ?? namedIn(message) ?? '').trim()
  const unread = UNREAD.find(([kind]) => message[kind] !== undefined)?.[1]
  if (text === '' && files.length === 0 && unread === undefined) return NOTHING
  const replied = message.reply_to_message
  const isToBot = replied?.from?.id === bot.id
  const name = bot.username === '' ? null : new RegExp(`(?<=^\\/\\w+|^|\\W)@${bot.username}\\b`, 'i')
  return {
    kind: 'said',
    updateId,
    chatId: String(chat.id),
    isPrivate: chat.type === 'private',
    thread: threadOf(message),
    from: String(from.id),
    messageId: String(message.message_id),
    text: name === null ? text : text.replace(name, '').trim(),
    at: new Date(message.date * 1_000).toISOString().replace(/\.\d+Z$/, 'Z'),
    files,
    repliesTo: isToBot ? String(replied?.message_id) : null,
    toBot: isToBot || name?.test(text) === true || isCommandFor(text, bot),
    forwarded: message.forward_origin !== undefined,
    ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
    ...(unread === undefined ? {} : { unread }),
  }
}

/** What people send that Neo can't read; anything else without words is about the chat itself. */
const UNREAD = [
  ['sticker', 'stickers'],
  ['poll', 'polls'],
  ['dice', 'dice'],
  ['game', 'games'],
  ['story', 'stories'],
  ['checklist', 'checklists'],
  ['rich_message', 'messages with this formatting'],
  ['paid_media', 'paid media'],
  ['invoice', 'invoices'],
  ['giveaway', 'giveaways'],
] as const satisfies readonly (readonly [keyof Message, string])[]

/** A place or a person, in words. */
function namedIn({ venue, location, contact }: Message): string | null {
  const listed = (kind: string, ...parts: readonly (string | number | undefined)[]) =>
    `[${kind}: ${parts.filter((part) => part !== undefined && part !== '').join(', ')}]`
  if (location !== undefined)
    return listed('location', venue?.title, venue?.address, location.latitude, location.longitude)
  if (contact === undefined) return null
  return listed('contact', contact.first_name, contact.last_name, contact.phone_number)
}

/** Telegram tells administrators alone by `chat_member`, but every bot by a message in the group. */
function hasGuests(message: Message | undefined): boolean {
  return message?.new_chat_members !== undefined || message?.left_chat_member !== undefined
}

/** People and chats have whole numbers; to anything else no answer is sent. */
function hasId({ id }: { readonly id: unknown }): boolean {
  return Number.isSafeInteger(id)
}

/** `/status@other_bot` is another's. */
function isCommandFor(text: string, { username }: Bot): boolean {
  const [, to] = /^\/\w+(?:@(\w+))?(?!\S)/.exec(text) ?? [null, null]
  return text.startsWith('/') && (to === undefined || to?.toLowerCase() === username.toLowerCase())
}

/** Only topics of forums count: a thread of replies has such a number too. */
function threadOf(message: Message): string | null {
  return message.is_topic_message === true && message.message_thread_id !== undefined
    ? String(message.message_thread_id)
    : null
}

function filesOf({
  photo,
  document,
  voice,
  audio,
  video,
  animation,
  video_note: round,
}: Message): readonly MediaFile[] {
  const largest = photo?.at(-1)
  const one = (
    kind: MediaFile['kind'],
    of: { readonly file_id: string; readonly mime_type?: string; readonly file_size?: number } | undefined,
    type: string,
  ): MediaFile[] =>
    of === undefined
      ? []
      : [{ fileId: of.file_id, kind, type: of.mime_type ?? type, bytes: of.file_size ?? 0 }]
  return [
    ...one('image', largest, 'image/jpeg'),
    // An animation is given as a document too.
    ...(animation === undefined ? one('file', document, 'application/octet-stream') : []),
    ...one('voice', voice, 'audio/ogg'),
    ...one('voice', audio, 'audio/mpeg'),
    ...one('video', video ?? round ?? animation, 'video/mp4'),
  ]
}
