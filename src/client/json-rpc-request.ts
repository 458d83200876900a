/**
 * Requests of JSON-RPC to a daemon, with nothing but node's own http, which loads fast. Invariant 1: a daemon that
 * doesn't answer a first small question in time is never sent the call, so that what is done elsewhere instead is not
 * done twice.
 */
import http from 'node:http'
import { mapIn } from '../domain/text/is-map.ts'
import { whyOf } from '../domain/home/error.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'
import type { DaemonAddress } from './daemon-address.ts'

export type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: unknown }
  /** The daemon hasn't taken the call. */
  | { readonly kind: 'unheard'; readonly why: string }
  /** The daemon may have done it, and nobody knows. */
  | { readonly kind: 'cut'; readonly why: string }

export interface Connection {
  /** `path`: of the address; absent: the hub's. `limitMs`: how long an answer may take. */
  ask(
    method: string,
    params: unknown,
    of: { readonly limitMs: number; readonly path?: '/reads' },
  ): Promise<Answer>
}

/** A daemon at work looks at its files for so long at most; one that was stopped never answers. */
const HEALTH_MS = 3_000
/** A daemon that did not answer is not asked again for so long. */
const SILENT_MS = 30_000

export function openConnection({ url, token }: Pick<DaemonAddress, 'url' | 'token'>): Connection {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let silent: { readonly why: string; readonly until: number } | null = null

  async function whySilent(): Promise<string | null> {
    if (silent !== null && performance.now() < silent.until) return silent.why
    const said = await request({ url: `${url}/healthz`, agent, limitMs: HEALTH_MS })
    const why = said.kind !== 'said' ? said.why : said.status === 200 ? null : `it answers ${said.status}`
    silent = why === null ? null : { why, until: performance.now() + SILENT_MS }
    return why
  }

  return {
    async ask(method, params, { limitMs, path = '/rpc' }) {
      const why = await whySilent()
      if (why !== null) return { kind: 'unheard', why }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const said = await request({ url: `${url}${path}`, agent, limitMs, token, body })
      if (said.kind !== 'said') return { kind: said.kind === 'cut' ? 'cut' : 'unheard', why: said.why }
      if (said.status === 200) return read(said.text)
      return { kind: 'unheard', why: `it answers ${said.status}` }
    },
  }
}

/** The error as the hub threw it. */
export function hubErrorOf({ code, message, data }: Extract<Answer, { kind: 'error' }>): HubError {
  const known = Object.values(HUB_CODES).find((one) => one === code)
  return new HubError(known ?? HUB_CODES.internal, message, data)
}

interface Request {
  readonly url: string
  readonly agent: http.Agent
  readonly limitMs: number
  readonly token?: string
  readonly body?: string
}

type Said =
  | { readonly kind: 'said'; readonly status: number; readonly text: string }
  | { readonly kind: 'cut' | 'unsent'; readonly why: string }

/** Never rejects: if node refuses the address or the token, nothing was sent. */
function request(of: Request): Promise<Said> {
  return sent(of).catch((error: unknown) => ({ kind: 'unsent' as const, why: whyOf(error) }))
}

function sent({ url, agent, limitMs, token, body }: Request): Promise<Said> {
  return new Promise((resolve) => {
    const end = (said: Said): void => {
      clearTimeout(limit)
      resolve(said)
    }
    const headers = body === undefined ? {} : headersOf(body, token ?? '')
    const options = { agent, headers, method: body === undefined ? 'GET' : 'POST' }
    const asked = http.request(url, options, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', ({ message }) => end({ kind: 'cut', why: message }))
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8')
        end({ kind: 'said', status: answer.statusCode ?? 0, text })
      })
    })
    const limit = setTimeout(() => {
      end({ kind: 'cut', why: `it did not answer within ${limitMs / 1000} seconds` })
      asked.destroy()
    }, limitMs)
    asked.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      end({ kind: code === 'ECONNREFUSED' ? 'unsent' : 'cut', why: message }),
    )
    asked.end(body)
  })
}

function headersOf(body: string, token: string): http.OutgoingHttpHeaders {
  return {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Authorization: `Bearer ${token}`,
  }
}

function read(text: string): Answer {
  const said = mapIn(text) as RpcAnswer | null
  if (said === null || !('result' in said || 'error' in said))
    return { kind: 'cut', why: 'its answer is not JSON-RPC' }
  const { error } = said
  if (error === undefined) return { kind: 'result', result: said.result ?? null }
  return { kind: 'error', code: error.code, message: error.message, data: error.data }
}

interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}
