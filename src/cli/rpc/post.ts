/**
 * One request of JSON-RPC to a daemon, with nothing but node's own http, which loads fast. Invariant 1: a daemon that
 * does not answer a first small question in time is never sent the call, so that what is done elsewhere instead is not
 * done twice.
 */
import http from 'node:http'
import type { ServedAt } from './daemon-file.ts'

export type Answered =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error'
      readonly code: number
      readonly message: string
      readonly data: unknown
    }
  /** The daemon has not taken the call. */
  | { readonly kind: 'unheard'; readonly why: string }
  /** The daemon may have done it, and nobody knows. */
  | { readonly kind: 'cut'; readonly why: string }

export interface Line {
  /** `path`: where it is asked; absent: of the hub. */
  ask(method: string, params: unknown, path?: '/reads'): Promise<Answered>
}

/** A daemon at work looks at its files for so long at most; one that was stopped never answers. */
const HEALTH_MS = 3_000
/** A merge of a large branch is the longest that an acting command takes. */
const ANSWER_MS = 120_000

/** @param answerMs how long an answer may take */
export function openLine({ url, token }: ServedAt, answerMs = ANSWER_MS): Line {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  let unheard: string | null = null

  async function hears(): Promise<string | null> {
    if (unheard !== null) return unheard
    const said = await request({ url: `${url}/healthz`, agent, limitMs: HEALTH_MS })
    unheard = said.kind !== 'said' ? said.why : said.status === 200 ? null : `it answers ${said.status}`
    return unheard
  }

  return {
    async ask(method, params, path) {
      const why = await hears()
      if (why !== null) return { kind: 'unheard', why }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const said = await request({ url: `${url}${path ?? '/rpc'}`, agent, limitMs: answerMs, token, body })
      if (said.kind !== 'said') return { kind: said.kind === 'cut' ? 'cut' : 'unheard', why: said.why }
      if (said.status === 200) return read(said.text)
      return { kind: 'unheard', why: `it answers ${said.status}` }
    },
  }
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

/** Never rejects: an address or a token that node refuses is one that nobody heard. */
function request(of: Request): Promise<Said> {
  return sent(of).catch((error: unknown) => ({
    kind: 'unsent' as const,
    why: error instanceof Error ? error.message : String(error),
  }))
}

function sent({ url, agent, limitMs, token, body }: Request): Promise<Said> {
  return new Promise((resolve) => {
    const cut = (why: string) => resolve({ kind: 'cut', why })
    const headers = body === undefined ? {} : headersOf(body, token ?? '')
    const options = { agent, headers, method: body === undefined ? 'GET' : 'POST' }
    const asked = http.request(url, options, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', (error) => cut(error.message))
      answer.on('end', () => {
        clearTimeout(limit)
        resolve({
          kind: 'said',
          status: answer.statusCode ?? 0,
          text: Buffer.concat(pieces).toString('utf8'),
        })
      })
    })
    const limit = setTimeout(() => {
      cut(`it has not answered within ${limitMs / 1000} seconds`)
      asked.destroy()
    }, limitMs)
    asked.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(limit)
      resolve({ kind: error.code === 'ECONNREFUSED' ? 'unsent' : 'cut', why: error.message })
    })
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

function read(text: string): Answered {
  const said = parsed(text)
  if (said === null || !('result' in said || 'error' in said))
    return { kind: 'cut', why: 'its answer is none of the hub' }
  const { error } = said
  if (error === undefined) return { kind: 'result', result: said.result ?? null }
  return { kind: 'error', code: error.code, message: error.message, data: error.data }
}

interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

function parsed(text: string): RpcAnswer | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
