/**
 * The live connection: one WebSocket for all channels.
 * Invariant 1: after a reconnect each channel continues after the last event that arrived; the hub sends what was
 * missed, or a new snapshot.
 * Invariant 2: nothing polls. A silent connection is tested when the tab becomes visible or the network comes back.
 */
import { signal } from '@preact/signals'
import { plainly } from './refusals.ts'
import { signedOut, loadMe } from './session.ts'

export type ConnectionState = 'connecting' | 'live' | 'lost'
export const connection = signal<ConnectionState>('connecting')

/** `data` of an event; see "Subscriptions" in docs/api.md. */
export type ChannelData =
  | { readonly snapshot: unknown; readonly resync?: true }
  | { readonly change: unknown }
  | { readonly ended: string }

interface Follower {
  readonly on: (data: ChannelData) => void
  /** The channel can't be followed: no such room, or no access. */
  readonly failed: (why: string) => void
  seq: number | undefined
}

const FIRST_RETRY_MS = 300
const MOST_RETRY_MS = 5_000
/** A connection that doesn't answer for this long is dead, as after sleep. */
const ANSWER_MS = 4_000

const followers = new Map<string, Follower>()
const waiting = new Map<number, (answer: SocketAnswer) => void>()
let socket: WebSocket | null = null
let lastId = 0
let failures = 0
let retry: ReturnType<typeof setTimeout> | undefined

interface SocketAnswer {
  readonly error?: { readonly message: string; readonly code: number; readonly data?: unknown }
}

/** Only one follower for each channel; channels.ts shares it among views. Returns what ends it. */
export function follow(channel: string, on: Follower['on'], failed: Follower['failed']): () => void {
  followers.set(channel, { on, failed, seq: undefined })
  if (socket?.readyState === WebSocket.OPEN) subscribe(channel)
  return () => {
    followers.delete(channel)
    if (socket?.readyState === WebSocket.OPEN) ask('unsubscribe', { channel }, () => {})
  }
}

export function connect(): void {
  open()
  addEventListener('online', reopen)
  addEventListener('pageshow', (event) => event.persisted && probe())
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && probe())
}

function open(): void {
  clearTimeout(retry)
  if (signedOut.value) return
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const made = new WebSocket(`${scheme}://${location.host}/hub`)
  socket = made
  made.addEventListener('open', () => {
    failures = 0
    connection.value = 'live'
    for (const channel of followers.keys()) subscribe(channel)
  })
  made.addEventListener('message', ({ data }) => made === socket && take(JSON.parse(String(data))))
  made.addEventListener('close', () => made === socket && lost())
}

function lost(): void {
  socket = null
  waiting.clear()
  connection.value = 'lost'
  const delay = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.75 + Math.random() / 2)
  failures += 1
  retry = setTimeout(() => {
    // A refused WebSocket doesn't say why: only this request tells a daemon that is off from a cookie that ended.
    loadMe().then(open, open)
  }, delay)
}

function reopen(): void {
  if (socket?.readyState === WebSocket.OPEN) {
    probe()
    return
  }
  failures = 0
  clearTimeout(retry)
  socket?.close()
  open()
}

/** Closes a connection that doesn't answer. */
function probe(): void {
  const tested = socket
  if (tested?.readyState !== WebSocket.OPEN) return
  const timer = setTimeout(() => {
    if (tested !== socket) return
    tested.close()
    lost()
  }, ANSWER_MS)
  ask('status.global', {}, () => clearTimeout(timer))
}

function subscribe(channel: string): void {
  const since = followers.get(channel)?.seq
  ask('subscribe', since === undefined ? { channel } : { channel, since }, ({ error }) => {
    if (error !== undefined) followers.get(channel)?.failed(plainly(error))
  })
}

function ask(method: string, params: object, answered: (answer: SocketAnswer) => void): void {
  lastId += 1
  waiting.set(lastId, answered)
  socket?.send(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }))
}

interface Incoming extends SocketAnswer {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly channel: string; readonly seq: number; readonly data: ChannelData }
}

function take(message: Incoming): void {
  if (message.id !== undefined) {
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
    return
  }
  if (message.method !== 'event' || message.params === undefined) return
  const { channel, seq, data } = message.params
  const follower = followers.get(channel)
  if (follower === undefined) return
  follower.seq = seq
  follower.on(data)
}
