/**
 * A WebSocket to the daemon's hub, as an editor's model. Invariant 1: the handshake names the principal, so that no later
 * message gains more rights. Invariant 2: when the connection closes, every waiting call fails; nothing waits for ever.
 */
import { WebSocket } from 'ws'
import { whyOf } from '../domain/home/error.ts'
import { HUB_CODES, type Hub, HubError, type HubEvent } from '../hub/hub.ts'
import { AS_HEADER } from '../servers/shared/entry.ts'
import type { DaemonAddress } from './daemon-address.ts'
import { hubErrorOf } from './json-rpc-request.ts'

export interface DaemonSocket extends Hub {
  /** Resolves when the connection closes. */
  readonly closed: Promise<void>
  isClosed(): boolean
  close(): void
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: HubError): void
}

interface Answer {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: HubEvent
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const OPEN_MS = 5_000

type Address = Pick<DaemonAddress, 'url' | 'token'>

/** Rejects with HubError `busy` if the daemon can't be reached. */
export async function openDaemonSocket(at: Address): Promise<DaemonSocket> {
  const ws = await openWebSocket(at, { [AS_HEADER]: 'editor' }).catch((error: unknown) => {
    throw busy(`Cannot reach the daemon at ${at.url}: ${whyOf(error)}`)
  })
  return socketHub(ws)
}

/** The connection itself, with the rights of the token. Rejects with the error of the system. */
export async function openWebSocket({ url, token }: Address, headers = {}): Promise<WebSocket> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/hub`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    maxPayload: 0,
    handshakeTimeout: OPEN_MS,
  })
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.on('error', reject)
  })
  return ws
}

function socketHub(ws: WebSocket): DaemonSocket {
  const waiting = new Map<number, Waiting>()
  const listening = new Map<string, (event: HubEvent) => void>()
  let last = 0
  let isClosed = false

  function ask(method: string, params: unknown): Promise<unknown> {
    if (isClosed) return Promise.reject(gone())
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), () => {})
    })
  }

  ws.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(data.toString()) as Answer
    if (method === 'event' && params !== undefined) return listening.get(params.channel)?.(params)
    const asked = waiting.get(Number(id))
    waiting.delete(Number(id))
    if (error === undefined) asked?.resolve(result ?? null)
    else asked?.reject(hubErrorOf({ kind: 'error', data: null, ...error }))
  })
  const closed = new Promise<void>((resolve) => {
    ws.once('close', () => {
      isClosed = true
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
      listening.clear()
      resolve()
    })
  })
  return {
    closed,
    isClosed: () => isClosed,
    close: () => ws.close(),
    call: (_, method, params) => ask(method, params),
    async subscribe(_, { channel, since }, on) {
      listening.set(channel, (event) => void on(event))
      await ask('subscribe', { channel, ...(since === undefined ? {} : { since }) })
      return () => {
        if (listening.delete(channel)) void ask('unsubscribe', { channel }).catch(() => {})
      }
    },
  }
}

function gone(): HubError {
  return busy('Cannot tell whether it was done: the daemon closed the connection; look before you call again')
}

function busy(message: string): HubError {
  return new HubError(HUB_CODES.busy, message)
}
