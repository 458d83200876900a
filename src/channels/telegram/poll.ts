/**
 * Long polling: updates one at a time, each saved before the next request confirms it. Invariant 1: a request without a
 * response for `silentMs` is aborted, reported and repeated. Invariant 2: there is one loop; no error ends it or the daemon.
 * Invariant 3: each update that is confirmed is saved or means nothing; a malformed one blocks no other.
 */
import type { Update } from 'grammy/types'
import { NeoError } from '../../domain/home/error.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import { pause } from '../../engine/bell.ts'
import type { Listener, ServiceAt } from '../chat-service.ts'
import { type Api, type Failure, failureOf, type Open } from './api.ts'
import { type Bot, heardIn } from './update.ts'

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
/** While parts of an album may still come. */
const ALBUM_S = 1
/** Always given: what was given last holds for the bot, also after a restart. */
const WANTED = ['message', 'callback_query', 'my_chat_member', 'chat_member'] as const

interface Taken {
  readonly update: Update
  readonly bot: Bot
}

export async function listen(at: ServiceAt<Open>, listener: Listener, times: PollTimes): Promise<void> {
  const { signal, trouble, connection, chats, queues, context } = at
  const { clock } = context.world
  let offset = 0
  let failures = 0
  let used: Api | null = null
  while (!signal.aborted) {
    const open = await connection.open()
    if (open === null) {
      await pause(clock, times.offMs, { signal })
      continue
    }
    if (open.api !== used) offset = 0
    used = open.api
    const asked = clock.now()
    try {
      chats.setName(open.bot.username)
      await queues.kept()
      const holdS = listener.gathers() ? Math.min(ALBUM_S, times.holdS) : times.holdS
      const updates = await next(at, open.api, { offset, times: { ...times, holdS } })
      await listener.guests.ready()
      for (const update of updates) {
        await take(at, listener, { update, bot: open.bot })
        offset = update.update_id + 1
      }
      listener.caughtUp()
      failures = 0
      trouble(null)
      // A server that does not hold an empty answer would be asked without end.
      if (updates.length === 0 && clock.now() - asked < EMPTY_MS) await pause(clock, EMPTY_MS, { signal })
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      await recover(at, { error, failures, times, ...open })
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

async function next(
  { context, signal }: ServiceAt<Open>,
  api: Api,
  { offset, times }: Asking,
): Promise<Update[]> {
  const abort = new AbortController()
  const end = (): void => abort.abort()
  signal.addEventListener('abort', end, { once: true })
  let isSilent = false
  const forget = context.world.clock.after(times.silentMs, () => {
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

interface Failed extends Open {
  readonly error: unknown
  readonly failures: number
  readonly times: PollTimes
}

async function recover(
  { context, signal, trouble }: ServiceAt<Open>,
  { error, failures, times, api, token }: Failed,
): Promise<void> {
  if (error instanceof Silent) return trouble(error.message)
  // Our own disk, not Telegram.
  const failure: Partial<Failure> & { readonly why: string } =
    error instanceof NeoError ? { why: error.message } : failureOf(error, token)
  const { kind, why, afterMs } = failure
  const grown = grownWait({ first: times.firstWaitMs, most: times.longestWaitMs }, failures)
  trouble(kind === 'conflict' ? `${why} (another program uses this bot token)` : why)
  if (kind === 'conflict' && why.toLowerCase().includes('webhook')) await api.deleteWebhook().catch(() => {})
  await pause(context.world.clock, afterMs ?? (kind === 'token' ? times.longestWaitMs : grown), { signal })
}

async function take(at: ServiceAt<Open>, listener: Listener, { update, bot }: Taken): Promise<void> {
  try {
    await taken(at, listener, { update, bot })
  } catch (error) {
    // If the disk or git fails, it is fetched again; a malformed update would block all others.
    if (error instanceof NeoError) throw error
    const text = `telegram: skipped update ${String(update.update_id)}: it is malformed`
    at.context.emit({ kind: 'trouble', text })
  }
}

async function taken(
  { chats, connection }: ServiceAt<Open>,
  { hear, press, guests }: Listener,
  { update, bot }: Taken,
): Promise<void> {
  const heard = heardIn(update, bot)
  switch (heard.kind) {
    case 'nothing':
      return
    case 'guests':
      return guests.changed(heard.chatId)
    case 'moved':
      return chats.moved(heard.from, heard.to)
    case 'said':
      return hear(heard, heard.files)
    case 'pressed':
      void answer(connection, heard.callbackId, press(heard))
  }
}

/** At once; '' says nothing. */
async function answer({ open }: ServiceAt<Open>['connection'], id: string, text: string): Promise<void> {
  try {
    const more = text === '' ? {} : { text, show_alert: true }
    await (await open())?.api.answerCallbackQuery(id, more)
  } catch {
    // Too late, or twice: the client has given up waiting.
  }
}
