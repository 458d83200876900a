/**
 * The Bot API by grammY (loaded at its first use), and what its errors mean. Invariant 1: no text that leaves here holds
 * the token. Invariant 2: no call takes longer than `callMs`, except long polls, which have their own limit; connections
 * and downloads have limits too. Invariant 3: over TLS a proxy sees the host, not the content.
 */
import * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Api, Transformer } from 'grammy'
import { networkKind, type PassingKind } from '../delivery/send-parts.ts'
import type { Missing } from '../inbox/media.ts'
import { type Settings, TELEGRAM } from './telegram-settings.ts'
import type { Bot } from './update.ts'

export type { Api } from 'grammy'

/** The Bot API with what it was opened with, and who the bot is. */
export interface Open {
  readonly bot: Bot
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
  readonly kind: PassingKind | 'entities' | 'too-long' | 'empty' | 'same' | 'no-thread' | 'gone' | 'other'
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
  ['topic_closed', 'no-thread'],
  ['topic_deleted', 'no-thread'],
  ['chat not found', 'gone'],
]

function networkFailure(error: unknown, token: string): Failure {
  const inner = (error as { readonly error?: unknown } | null)?.error ?? error
  const { message, type, code } = (inner ?? {}) as Partial<Record<'message' | 'type' | 'code', string>>
  if (code === 'ENOENT') return { kind: 'gone', why: 'the file is gone' }
  const why = hidden(`Can't reach Telegram: ${message ?? String(inner)}`, token)
  // Something answered, and not in Telegram's words: a gateway that passed nothing on.
  if (inner instanceof SyntaxError || type === 'invalid-json') return { kind: 'server', why }
  return { kind: networkKind(inner), why }
}

/** Addresses of the API have the token in them. */
function hidden(text: string, token: string): string {
  return text.replaceAll(token, '***').replaceAll(/bot\d+:[\w-]+/g, 'bot***')
}

type Callback = (error: Error | null, socket?: Duplex) => void

/** A proxy that does not answer CONNECT for so long is not there. */
const CONNECT_MS = 15_000
/** A download without data for so long is aborted. */
const STILL_MS = 30_000

/** For requests to an address such as `root`; null: node's own will do. */
export function agentFor(root: string, proxy: string | null): http.Agent | null {
  if (proxy === null) return null
  const isTls = root.startsWith('https:')
  const agent = isTls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const through = (to: { host?: string; port?: number | string }, done: Callback): undefined => {
    const host = to.host ?? ''
    tunnel(
      new URL(proxy),
      `${host.includes(':') ? `[${host}]` : host}:${to.port ?? (isTls ? 443 : 80)}`,
      (error, socket) => {
        if (error !== null || socket === undefined) return done(error)
        if (!isTls) return done(null, socket)
        const secure = connectTls({ socket, servername: host })
        secure.once('error', done)
        secure.once('secureConnect', () => {
          secure.off('error', done)
          done(null, secure)
        })
      },
    )
  }
  // Node calls it for every new connection, and takes the socket from the callback.
  Object.assign(agent, { createConnection: through })
  return agent
}

function tunnel(proxy: URL, to: string, done: Callback): void {
  const { username, password } = proxy
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    Host: to,
    ...(username === '' ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
  }
  const { request } = proxy.protocol === 'https:' ? https : http
  const asked = request({
    host: proxy.hostname,
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: to,
    headers,
    agent: false,
    timeout: CONNECT_MS,
  })
  let isOver = false
  const end: Callback = (error, socket) => {
    if (!isOver) done(error, socket)
    isOver = true
  }
  asked.once('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode === 200) return end(null, socket)
    socket.destroy()
    end(new Error(`the proxy returned ${statusCode}`))
  })
  asked.once('response', ({ statusCode = 0 }) => end(new Error(`the proxy returned ${statusCode}`)))
  asked.once('timeout', () => asked.destroy(new Error('the proxy does not respond')))
  asked.once('error', end)
  asked.end()
}

interface Download {
  readonly agent: http.Agent | null
  readonly mostBytes: number
  readonly signal: AbortSignal
}

/** The bytes, or the reason for having none. Rejects with node's error if nothing answers. */
export function download(url: string, { agent, mostBytes, signal }: Download): Promise<Buffer | Missing> {
  const { get } = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const asked = get(url, { signal, timeout: STILL_MS, ...(agent === null ? {} : { agent }) }, (answer) => {
      const pieces: Buffer[] = []
      let length = 0
      const stop = (why: string, mayCome: boolean): void => {
        asked.destroy()
        resolve({ why, mayCome })
      }
      if (answer.statusCode !== 200) return stop(`Telegram returned ${answer.statusCode ?? 0}`, true)
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        length += piece.length
        if (length > mostBytes) stop(`larger than ${Math.floor(mostBytes / 1024 / 1024)} MB`, false)
      })
      answer.once('end', () => resolve(Buffer.concat(pieces)))
      answer.once('error', reject)
    })
    asked.once('timeout', () => asked.destroy(new Error('the download stalled')))
    asked.once('error', reject)
  })
}
