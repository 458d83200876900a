/**
 * Long polling: updates one at a time, each saved before the next request confirms it. Invariant 1: a request without a
 * response for `silentMs` is aborted, reported and repeated. Invariant 2: there is one loop; no error ends it or the daemon.
 * Invariant 3: when `take` resolves, the update is saved or means nothing; a malformed update blocks no other.
 */
import type { Update } from 'grammy/types'
import { NeoError } from '../../domain/home/error.ts'
import { pause } from '../../engine/bell.ts'
import type { Clock } from '../../ports/world.ts'
import type { Chats } from '../inbox/chats.ts'
import { type Listening, messageOf, pressOf } from '../inbox/heard-message.ts'
import { type Api, failureOf } from './api.ts'
import type { MediaKeeper } from './media.ts'
import { type Bot, heardIn, type Pressed, type Said } from './update.ts'

interface PollOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The API as it is configured now; null: the channel is off or wrong, look again later. */
  readonly api: () => Promise<{ readonly api: Api; readonly token: string } | null>
  readonly take: (update: Update) => Promise<void>
  /** What was taken is on disk when it resolves. */
  readonly kept: () => Promise<void>
  readonly trouble: (why: string | null) => void
  readonly times?: Partial<PollTimes>
}

export interface PollTimes {
  readonly silentMs: number
  /** How long Telegram holds an empty answer. */
  readonly holdS: number
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** Between looks at the configuration while the channel is off. */
  readonly offMs: number
  /** Any other call. */
  readonly callMs: number
}

export const TIMES: PollTimes = {
  silentMs: 120_000,
  holdS: 30,
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  offMs: 5_000,
  callMs: 60_000,
}
const EMPTY_MS = 250
/** Always given: what was given last holds for the bot, also after a restart. */
const WANTED = ['message', 'callback_query', 'my_chat_member', 'chat_member'] as const

export async function poll(options: PollOptions): Promise<void> {
  const { clock, signal, trouble } = options
  const times = { ...TIMES, ...options.times }
  let offset = 0
  let failures = 0
  let used: Api | null = null
  while (!signal.aborted) {
    const open = await options.api()
    if (open === null) {
      await pause(clock, times.offMs, { signal })
      continue
    }
    if (open.api !== used) offset = 0
    used = open.api
    const asked = clock.now()
    try {
      await options.kept()
      const updates = await next(options, open.api, { offset, times })
      for (const update of updates) {
        await options.take(update)
        offset = update.update_id + 1
      }
      failures = 0
      trouble(null)
      // A server that does not hold an empty answer would be asked without end.
      if (updates.length === 0 && clock.now() - asked < EMPTY_MS) await pause(clock, EMPTY_MS, { signal })
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      await recover(options, { error, failures, times, ...open })
    }
  }
}

interface Asking {
  readonly offset: number
  readonly times: PollTimes
}

class Silent extends Error {
  override readonly name = 'Silent'
}

async function next({ clock, signal }: PollOptions, api: Api, { offset, times }: Asking): Promise<Update[]> {
  const abort = new AbortController()
  const end = (): void => abort.abort()
  signal.addEventListener('abort', end, { once: true })
  let isSilent = false
  const forget = clock.after(times.silentMs, () => {
    isSilent = true
    abort.abort()
  })
  try {
    const asked = {
      timeout: times.holdS,
      limit: 100,
      allowed_updates: [...WANTED],
      ...(offset === 0 ? {} : { offset }),
    }
    return await api.getUpdates(asked, abort.signal as Parameters<Api['getUpdates']>[1])
  } catch (error) {
    if (isSilent)
      throw new Silent(`No response from Telegram for ${Math.round(times.silentMs / 1_000)} s; reconnecting`)
    throw error
  } finally {
    forget()
    signal.removeEventListener('abort', end)
  }
}

interface Failed {
  readonly error: unknown
  readonly failures: number
  readonly times: PollTimes
  readonly api: Api
  readonly token: string
}

async function recover(options: PollOptions, { error, failures, times, api, token }: Failed): Promise<void> {
  const { clock, signal, trouble } = options
  if (error instanceof Silent) return trouble(error.message)
  const { kind, why, afterMs } = failureOf(error, token)
  const grown = Math.min(times.longestWaitMs, times.firstWaitMs * 2 ** Math.min(20, failures - 1))
  trouble(kind === 'conflict' ? `${why} (another program uses this bot token)` : why)
  if (kind === 'conflict' && why.toLowerCase().includes('webhook')) await api.deleteWebhook().catch(() => {})
  await pause(clock, afterMs ?? (kind === 'token' ? times.longestWaitMs : grown), { signal })
}

interface ReceiveOptions extends Omit<Listening, 'channel'> {
  readonly chats: Chats
  readonly bot: () => Bot
  /** Takes messages with files, and what comes after them in their chat. */
  readonly media: Pick<MediaKeeper, 'hold' | 'has' | 'waits'>
  /** Answers the press of a button at once; '' says nothing. */
  readonly answer: (callbackId: string, text: string) => void
}

export async function take(options: ReceiveOptions, update: Update): Promise<void> {
  try {
    await taken(options, update)
  } catch (error) {
    // If the disk or git fails, it is fetched again; a malformed update would block all others.
    if (error instanceof NeoError) throw error
    const text = `telegram: skipped update ${String(update.update_id)}: it is malformed`
    options.context.emit({ kind: 'trouble', text })
  }
}

async function taken(options: ReceiveOptions, update: Update): Promise<void> {
  const heard = heardIn(update, options.bot())
  switch (heard.kind) {
    case 'nothing':
      return
    case 'moved':
      options.chats.moved(heard.from, heard.to)
      return
    case 'said':
      said(options, heard)
      return
    case 'pressed':
      pressed(options, heard)
  }
}

function said(options: ReceiveOptions, heard: Said): void {
  const { queues, media } = options
  const message = messageOf({ ...options, channel: 'telegram' }, heard)
  if (message === null || queues.has(message.key) || media.has(message.key)) return
  const waits = heard.files.length > 0 || media.waits(message.sessionKey)
  if (message.kind === 'message' && waits) media.hold(message, heard.files)
  else queues.accept(message)
}

function pressed(options: ReceiveOptions, heard: Pressed): void {
  const message = pressOf({ ...options, channel: 'telegram' }, heard)
  options.answer(heard.callbackId, typeof message === 'string' ? message : '')
  if (typeof message !== 'string') options.queues.accept(message)
}
