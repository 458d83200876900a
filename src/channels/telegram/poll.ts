/**
 * Long polling: updates one at a time, each saved before the next request confirms it. Invariant 1: a request without a
 * response for `silentMs` is aborted, reported and repeated. Invariant 2: there is one loop; no error ends it or the daemon.
 */
import type { Update } from 'grammy/types'
import { pauseFor } from '../delivery/outbound.ts'
import type { Clock } from '../../ports/world.ts'
import { type Api, failureOf } from './api.ts'

export interface PollOptions {
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
      await pauseFor(clock, times.offMs, signal)
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
      if (updates.length === 0 && clock.now() - asked < EMPTY_MS) await pauseFor(clock, EMPTY_MS, signal)
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
  await pauseFor(clock, afterMs ?? (kind === 'token' ? times.longestWaitMs : grown), signal)
}
