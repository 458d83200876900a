/**
 * The Bot API by grammY (loaded at its first use), and what its errors mean. Invariant 1: no text that leaves here holds
 * the token. Invariant 2: no call takes longer than `callMs`, except long polls, which have their own limit.
 */
import type { Api, Transformer } from 'grammy'
import { type Settings, TELEGRAM } from './telegram-settings.ts'
import { agentFor } from './telegram-types.ts'

export type { Api } from 'grammy'

/** The Bot API with what it was opened with. */
export interface Connection {
  readonly api: Api
  readonly token: string
  readonly root: string
  /** Null: straight. */
  readonly proxy: string | null
}

/** @param callMs a server that takes a call and never answers must not hold up what comes after it. Throws if the
 * library is not installed. */
export async function openApi({ token, apiRoot, proxy }: Settings, callMs: number): Promise<Api> {
  const { Api } = await import('grammy')
  const { autoRetry } = await import('@grammyjs/auto-retry')
  const agent = agentFor(apiRoot ?? TELEGRAM, proxy)
  const api = new Api(token, {
    ...(apiRoot === null ? {} : { apiRoot }),
    ...(agent === null ? {} : { baseFetchConfig: { agent, compress: true } }),
  })
  const bounded: Transformer = (...call) => {
    const [previous, method, payload, signal] = call
    return previous(method, payload, signal ?? (AbortSignal.timeout(callMs) as NonNullable<typeof signal>))
  }
  api.config.use(bounded)
  // Short retries for small calls; messages wait in the queue, which `neo status` shows.
  const patient = autoRetry({
    maxRetryAttempts: 1,
    maxDelaySeconds: 3,
    rethrowHttpErrors: true,
    rethrowInternalServerErrors: true,
  })
  const small = new Set(['answerCallbackQuery', 'editMessageText', 'getFile', 'getMe', 'deleteWebhook'])
  const gently: Transformer = (...call) => {
    const [previous, method, ...rest] = call
    return small.has(method) ? patient(...call) : previous(method, ...rest)
  }
  api.config.use(gently)
  return api
}

export interface Failure {
  readonly kind:
    | 'token'
    | 'conflict'
    | 'flood'
    | 'entities'
    | 'too-long'
    | 'empty'
    | 'same'
    | 'moved'
    | 'no-thread'
    | 'gone'
    | 'server'
    /** Nothing was sent. */
    | 'network'
    /** Nobody knows whether it was taken. */
    | 'unsure'
    | 'other'
  readonly why: string
  readonly afterMs?: number
  /** The chat's new id. */
  readonly to?: string
}

/** Answers of Telegram by number and words; the words are no contract, so they are looked for in lower case. */
export function failureOf(error: unknown, token: string): Failure {
  const {
    error_code: code,
    description,
    parameters,
  } = (error ?? {}) as {
    readonly error_code?: number
    readonly description?: string
    readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number }
  }
  if (typeof code !== 'number') return networkFailure(error, token)
  const said = (description ?? '').toLowerCase()
  const why = hidden(`Telegram returned ${code}: ${description ?? ''}`, token)
  const to = parameters?.migrate_to_chat_id
  if (to !== undefined) return { kind: 'moved', why, to: String(to) }
  if (code === 429) return { kind: 'flood', why, afterMs: (parameters?.retry_after ?? 5) * 1_000 }
  if (code === 401 || code === 404) return { kind: 'token', why }
  if (code === 409) return { kind: 'conflict', why }
  if (code === 403) return { kind: 'gone', why }
  if (code >= 500) return { kind: 'server', why }
  const words = WORDS.find(([text]) => said.includes(text))
  return { kind: words?.[1] ?? 'other', why }
}

const WORDS: readonly (readonly [string, Failure['kind']])[] = [
  ["can't parse entities", 'entities'],
  ['message is too long', 'too-long'],
  ['text is too long', 'too-long'],
  ['message text is empty', 'empty'],
  ['text must be non-empty', 'empty'],
  ['message is not modified', 'same'],
  ['thread not found', 'no-thread'],
  ['chat not found', 'gone'],
]

const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function networkFailure(error: unknown, token: string): Failure {
  const inner = (error as { readonly error?: unknown } | null)?.error ?? error
  const { code, cause, message, type } = (inner ?? {}) as {
    readonly code?: string
    readonly cause?: { readonly code?: string }
    readonly message?: string
    readonly type?: string
  }
  const why = hidden(`Can't reach Telegram: ${message ?? String(inner)}`, token)
  // Something answered, and not in Telegram's words: a gateway that passed nothing on.
  if (inner instanceof SyntaxError || type === 'invalid-json') return { kind: 'server', why }
  return { kind: NOT_SENT.has(code ?? cause?.code ?? '') ? 'network' : 'unsure', why }
}

/** Addresses of the API have the token in them. */
export function hidden(text: string, token: string): string {
  return text.replaceAll(token, '***').replaceAll(/bot\d+:[\w-]+/g, 'bot***')
}
