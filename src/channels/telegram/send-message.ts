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
  if (message.file !== undefined) {
    return await sendParts(sending, 1, async (_, isUnsure) => {
      const { clock, chats } = options
      const of = { ...open, clock, chats, note: isUnsure ? AGAIN : null, closing: sending.signal }
      const failure = await sendFile(of, message)
      return failure === null ? { kind: 'sent' } : sentAs(failure)
    })
  }
  const { marked } = await import('marked')
  const content = withRequest(options.findAsk, message)
  const parts = splitHtml(telegramHtml(marked.lexer(content) as readonly MdToken[]))
  return await sendParts(sending, parts.length, async (n, isUnsure) => {
    const html = isUnsure ? `${parts[n] ?? ''}\n\n<i>${AGAIN}</i>` : (parts[n] ?? '')
    const part = { ...open, message, html, isFirst: n === 0, isLast: n === parts.length - 1 }
    const failure = await sendPart(options, { ...part, signal: sending.signal })
    return failure === null || failure.kind === 'empty' ? { kind: 'sent' } : sentAs(failure)
  })
}

interface Part {
  readonly api: Api
  readonly token: string
  readonly message: Outbound
  readonly html: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly signal: AbortSignal
}

type How = 'html' | 'plain' | 'smaller'

/** `null`: it was sent. Each fallback is tried once. */
async function sendPart(options: SendOptions, part: Part): Promise<Failure | null> {
  let how: How = 'html'
  let topic: 'yes' | 'no' = 'yes'
  for (;;) {
    const failure = await attempt(options, part, { how, topic })
    if (failure === null) return null
    if (failure.kind === 'moved' && failure.to !== undefined) {
      if (options.chats.now(part.message.chatId) === failure.to) return failure
      options.chats.moved(part.message.chatId, failure.to)
    } else if (failure.kind === 'entities' && how === 'html') how = 'plain'
    else if (failure.kind === 'too-long' && how !== 'smaller') how = 'smaller'
    else if (failure.kind === 'no-thread' && topic === 'yes') topic = 'no'
    else return failure
  }
}

async function attempt(
  options: SendOptions,
  part: Part,
  of: { how: How; topic: 'yes' | 'no' },
): Promise<Failure | null> {
  const plain = plainOf(part.html)
  const texts = of.how === 'html' ? [part.html] : splitText(plain, of.how === 'smaller' ? SMALLER : MOST_TEXT)
  const { signal, forget } = requestSignal(options.clock, part.signal)
  let hasLeft = false
  try {
    for (const [n, text] of texts.entries()) {
      const isLast = part.isLast && n === texts.length - 1
      const more = moreOf(options, part, { isLast, topic: of.topic })
      const sent = await part.api.sendMessage(
        options.chats.now(part.message.chatId),
        text,
        of.how === 'html' ? { ...more, parse_mode: 'HTML' } : more,
        signal as Parameters<Api['sendMessage']>[3],
      )
      hasLeft = true
      if (part.message.ask !== undefined)
        options.chats.asked(String(sent.chat.id), String(sent.message_id), part.message.ask)
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

function moreOf(
  { findAsk, chats }: SendOptions,
  { message, isFirst }: Part,
  { isLast, topic }: { readonly isLast: boolean; readonly topic: 'yes' | 'no' },
) {
  const { thread, replyTo, ask } = message
  const found = ask === undefined || !isLast ? null : findAsk(ask)
  const own = message.buttons ?? []
  const buttons = found === null || !isLast ? own : buttonsOf(found, chats.now(message.chatId))
  return {
    link_preview_options: { is_disabled: true },
    // The topic General has a number that only actions take.
    ...(thread === undefined || thread === '1' || topic === 'no'
      ? {}
      : { message_thread_id: Number(thread) }),
    ...(isFirst && replyTo !== undefined
      ? { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }
      : {}),
    ...(isLast && buttons.length > 0
      ? {
          reply_markup: {
            inline_keyboard: [buttons.map(({ text, data }) => ({ text, callback_data: data }))],
          },
        }
      : {}),
  }
}

/** The text of a message with what became of it under it, as HTML that Telegram takes. */
export function withOutcome(text: string, outcome: string): string {
  const shown = beginning(text, MOST_TEXT - outcome.length - 2)
  return `${escapeHtml(shown)}\n\n<b>${escapeHtml(outcome)}</b>`
}

interface FileSending {
  readonly api: Api
  readonly token: string
  readonly chats: Pick<Chats, 'now' | 'moved'>
  /** Words below the caption. */
  readonly note: string | null
  readonly clock: Clock
  readonly closing: AbortSignal
}

const MOST_CAPTION = 1_024

/** `null`: it was sent. */
async function sendFile(of: FileSending, message: Outbound): Promise<Failure | null> {
  const failure = await attemptFile(of, message)
  if (failure?.kind === 'no-thread' && message.thread !== undefined) {
    const { thread: _, ...toGroup } = message
    return sendFile(of, toGroup)
  }
  if (failure?.kind !== 'moved' || failure.to === undefined) return failure
  if (of.chats.now(message.chatId) === failure.to) return failure
  of.chats.moved(message.chatId, failure.to)
  return sendFile(of, message)
}

async function attemptFile(
  { api, token, chats, note, clock, closing }: FileSending,
  { chatId, thread, content, replyTo, file }: Outbound,
): Promise<Failure | null> {
  if (file === undefined) return null
  const { InputFile } = await import('grammy')
  const said = beginning(content.trim(), MOST_CAPTION - AGAIN.length - 3)
  const words = [said, note ?? ''].filter((text) => text !== '').join('\n\n')
  const { signal, forget } = requestSignal(clock, closing, STALLS.file)
  try {
    await api.sendDocument(
      chats.now(chatId),
      new InputFile(file.path, file.name),
      {
        ...(words === '' ? {} : { caption: words }),
        ...(thread === undefined || thread === '1' ? {} : { message_thread_id: Number(thread) }),
        ...(replyTo === undefined
          ? {}
          : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
      },
      signal as Parameters<Api['sendDocument']>[3],
    )
    return null
  } catch (error) {
    return failureOf(error, token)
  } finally {
    forget()
  }
}
