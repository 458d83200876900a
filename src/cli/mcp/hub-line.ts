/**
 * A line to the hub of the daemon that runs, on which we act as an editor's model. Invariant 1: the daemon is told at
 * the door for whom we act, so that nothing said later makes more of it. Invariant 2: when the line is over, whatever
 * still waits is told so; nothing waits for ever.
 */
import { WebSocket } from 'ws'
import { AS_HEADER } from '../../servers/shared/request-head.ts'
import { HUB_CODES, type Hub, HubError, type HubEvent } from '../../hub/hub.ts'
import type { Served } from '../rpc/served.ts'

export interface HubLine extends Hub {
  /** Resolves when it is over. */
  readonly over: Promise<void>
  isOver(): boolean
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

/** Rejects with HubError `busy` where it cannot be reached. */
export async function openHubLine({ url, token }: Pick<Served, 'url' | 'token'>): Promise<HubLine> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/hub`, {
    headers: { Authorization: `Bearer ${token}`, [AS_HEADER]: 'editor' },
    maxPayload: 0,
    handshakeTimeout: OPEN_MS,
  })
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.on('error', (error) => reject(busy(`Cannot reach the daemon at ${url}: ${error.message}`)))
  })
  return lineOver(ws)
}

function lineOver(ws: WebSocket): HubLine {
  const waiting = new Map<number, Waiting>()
  const listening = new Map<string, (event: HubEvent) => void>()
  let last = 0
  let isOver = false

  function ask(method: string, params: unknown): Promise<unknown> {
    if (isOver) return Promise.reject(gone())
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
    else asked?.reject(errorOf(error))
  })
  const over = new Promise<void>((resolve) => {
    ws.once('close', () => {
      isOver = true
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
      listening.clear()
      resolve()
    })
  })
  return {
    over,
    isOver: () => isOver,
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

function errorOf({ code, message, data }: NonNullable<Answer['error']>): HubError {
  const known = Object.values(HUB_CODES).find((one) => one === code)
  return new HubError(known ?? HUB_CODES.internal, message, data)
}

function gone(): HubError {
  return busy('Cannot say what came of it: the daemon has closed the line; look before you call again')
}

function busy(message: string): HubError {
  return new HubError(HUB_CODES.busy, message)
}
