/**
 * Sends markdown to Telegram: HTML in parts, or plain text if Telegram rejects it, with buttons for requests. Invariant 1:
 * a possible duplicate says so. Invariant 2: a group that has moved is followed; if a topic is gone, the answer goes to its
 * group.
 */
import { beginning } from '../../domain/text/one-line.ts'
import {
  escapeHtml,
  type MdToken,
  MOST_TEXT,
  plainOf,
  splitHtml,
  splitText,
  telegramHtml,
} from '../../domain/text/telegram-html.ts'
import type { Clock } from '../../ports/world.ts'
import type { Channel, Sent } from '../channel.ts'
import type { Outbound, Place } from '../channel-message.ts'
import { type FindAsk, buttonsOf, withRequest } from '../commands/approval-buttons.ts'
import { requestSignal, STALLS, type Sending, sendParts, sentAs } from '../delivery/send-parts.ts'
import type { Chats } from '../inbox/chats.ts'
import { type Api, type Failure, failureOf } from './api.ts'

interface SendOptions {
  readonly clock: Clock
  readonly chats: Chats
  readonly findAsk: FindAsk
  readonly api: () => Promise<{ readonly api: Api; readonly token: string } | null>
}

const AGAIN = '(Possible duplicate: Telegram did not confirm the first attempt.)'
const TYPING_MS = 4_000
const SMALLER = 3_000

export function telegramChannel(options: SendOptions): Channel {
  return {
    name: 'telegram',
    send: (message, progress, signal) => send(options, message, { progress, signal }),
    busy: (place) => typing(options, place),
  }
}

/** Shown for five seconds at a time. */
function typing({ clock, chats, api }: SendOptions, { chatId, thread }: Place): () => void {
  let ended = false
  let forget = (): void => {}
  const show = (): void => {
    if (ended) return
    const more = thread === undefined ? {} : { message_thread_id: Number(thread) }
    void api()
      .then((open) => open?.api.sendChatAction(chats.now(chatId), 'typing', more))
      .catch(() => {})
    forget = clock.after(TYPING_MS, show)
  }
  show()
  return () => {
    ended = true
    forget()
  }
}

async function send(options: SendOptions, message: Outbound, sending: Sending): Promise<Sent> {
  const open = await options.api()
  if (open === null) return { kind: 'later', why: 'Telegram is disabled or misconfigured' }
  const parts = message.file === undefined ? await htmlOf(options, message) : [escapeHtml(captionOf(message))]
  return await sendParts(sending, parts.length, async (n, isUnsure) => {
    const text = parts[n] ?? ''
    const html = isUnsure ? `${text}${text === '' ? '' : '\n\n'}<i>${AGAIN}</i>` : text
    const part = { ...open, message, html, isFirst: n === 0, isLast: n === parts.length - 1 }
    const failure = await sendPart(options, { ...part, signal: sending.signal })
    return failure === null || failure.kind === 'empty' ? { kind: 'sent' } : sentAs(failure)
  })
}

async function htmlOf({ findAsk }: SendOptions, message: Outbound): Promise<readonly string[]> {
  const { marked } = await import('marked')
  return splitHtml(telegramHtml(marked.lexer(withRequest(findAsk, message)) as readonly MdToken[]))
}

const MOST_CAPTION = 1_024

/** With room for the words for a possible duplicate. */
function captionOf({ content }: Outbound): string {
  return beginning(content.trim(), MOST_CAPTION - AGAIN.length - 3)
}

interface Part {
  readonly api: Api
  readonly token: string
  readonly message: Outbound
  /** Of a file, its caption. */
  readonly html: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly signal: AbortSignal
}

interface How {
  readonly as: 'html' | 'plain' | 'smaller'
  readonly inTopic: boolean
}

/** `null`: it was sent. Each fallback is tried once. */
async function sendPart(options: SendOptions, part: Part): Promise<Failure | null> {
  let how: How = { as: 'html', inTopic: true }
  for (;;) {
    const failure = await attempt(options, part, how)
    if (failure === null) return null
    if (failure.kind === 'moved' && failure.to !== undefined) {
      if (options.chats.now(part.message.chatId) === failure.to) return failure
      options.chats.moved(part.message.chatId, failure.to)
    } else if (failure.kind === 'entities' && how.as === 'html') how = { ...how, as: 'plain' }
    else if (failure.kind === 'too-long' && how.as !== 'smaller') how = { ...how, as: 'smaller' }
    else if (failure.kind === 'no-thread' && how.inTopic) how = { ...how, inTopic: false }
    else return failure
  }
}

async function attempt(options: SendOptions, part: Part, how: How): Promise<Failure | null> {
  const { file } = part.message
  const stallMs = file === undefined ? STALLS.message : STALLS.file
  const { signal, forget } = requestSignal(options.clock, part.signal, stallMs)
  let hasLeft = false
  try {
    if (file !== undefined) await sendFile(options, part, { how, file, signal })
    else
      for (const text of textsOf(part, how)) {
        await sendText(options, part, { how, signal, ...text })
        hasLeft = true
      }
    return null
  } catch (error) {
    const failure = failureOf(error, part.token)
    // The next try sends what has left again, and says so.
    return hasLeft && sentAs(failure).kind === 'later' ? { ...failure, kind: 'unsure' } : failure
  } finally {
    forget()
  }
}

interface Text {
  readonly text: string
  readonly isLast: boolean
}

function textsOf({ html, isLast }: Part, { as }: How): readonly Text[] {
  if (as === 'html') return [{ text: html, isLast }]
  const texts = splitText(plainOf(html), as === 'smaller' ? SMALLER : MOST_TEXT)
  return texts.map((text, n) => ({ text, isLast: isLast && n === texts.length - 1 }))
}

type Signal = Parameters<Api['sendMessage']>[3]

async function sendText(
  options: SendOptions,
  part: Part,
  { how, text, isLast, signal }: Text & { readonly how: How; readonly signal: AbortSignal },
): Promise<void> {
  const { findAsk, chats } = options
  const { ask, chatId, buttons: own = [] } = part.message
  const found = ask === undefined || !isLast ? null : findAsk(ask)
  const buttons = found === null ? own : buttonsOf(found, chats.now(chatId))
  const keyboard = [buttons.map((button) => ({ text: button.text, callback_data: button.data }))]
  const more = {
    link_preview_options: { is_disabled: true },
    ...placed(part, how),
    ...(isLast && buttons.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {}),
    ...(how.as === 'html' ? { parse_mode: 'HTML' as const } : {}),
  }
  const sent = await part.api.sendMessage(chats.now(chatId), text, more, signal as Signal)
  if (ask !== undefined) chats.asked(String(sent.chat.id), String(sent.message_id), ask)
}

/** Its topic, and what it replies to. */
function placed({ message: { thread, replyTo }, isFirst }: Part, { inTopic }: How) {
  return {
    // The topic General has a number that only actions take.
    ...(thread === undefined || thread === '1' || !inTopic ? {} : { message_thread_id: Number(thread) }),
    ...(isFirst && replyTo !== undefined
      ? { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }
      : {}),
  }
}

async function sendFile(
  { chats }: SendOptions,
  part: Part,
  of: {
    readonly how: How
    readonly file: { readonly path: string; readonly name: string }
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { InputFile } = await import('grammy')
  const caption = plainOf(part.html)
  const more = { ...(caption === '' ? {} : { caption }), ...placed(part, of.how) }
  const document = new InputFile(of.file.path, of.file.name)
  await part.api.sendDocument(chats.now(part.message.chatId), document, more, of.signal as Signal)
}

/** The text of a message with what became of it under it, as HTML that Telegram takes. */
export function withOutcome(text: string, outcome: string): string {
  const shown = beginning(text, MOST_TEXT - outcome.length - 2)
  return `${escapeHtml(shown)}\n\n<b>${escapeHtml(outcome)}</b>`
}
