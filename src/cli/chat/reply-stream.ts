/**
 * Streams Neo's replies: the events of a room's conversation, from the running daemon. Invariant 1: without a daemon
 * nothing streams and nothing fails: replies come from the archive.
 */
import { type DaemonAddress, daemonAddress } from '../../client/daemon-address.ts'
import type { AtHub } from '../with-hub.ts'

export interface Heard {
  /** Resolves when events of this room arrive, or when it is clear that none will. */
  ready(room: string): Promise<void>
  /** Sets the receiver of the next pieces; null: none. */
  follow(on: ((delta: string) => void) | null): void
  close(): void
}

const PATIENCE_MS = 2_000

export function openStream(at: AtHub, first: string): Heard {
  let on: ((delta: string) => void) | null = null
  let open: { readonly room: string; readonly abort: AbortController; readonly ready: Promise<void> } | null =
    null
  const start = (room: string): Promise<void> => {
    if (open?.room === room && !open.abort.signal.aborted) return open.ready
    open?.abort.abort()
    const served = daemonAddress(at.home, at.world.files, at.world.processes.alive)
    if (served === null) return Promise.resolve()
    const abort = new AbortController()
    const ready = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS)
      const arrived = (): void => {
        clearTimeout(timer)
        resolve()
      }
      void listen(served, { room, signal: abort.signal, arrived, piece: (delta) => on?.(delta) })
        .catch(() => {})
        .finally(() => {
          arrived()
          abort.abort()
        })
    })
    open = { room, abort, ready }
    return ready
  }
  void start(first)
  return {
    ready: start,
    follow(next) {
      on = next
    },
    close: () => open?.abort.abort(),
  }
}

interface Listening {
  readonly room: string
  readonly signal: AbortSignal
  readonly arrived: () => void
  readonly piece: (delta: string) => void
}

async function listen(
  { url, token }: DaemonAddress,
  { room, signal, arrived, piece }: Listening,
): Promise<void> {
  const channel = encodeURIComponent(`room:${room}:neo`)
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' }
  const answer = await fetch(`${url}/events?channel=${channel}`, { headers, signal })
  if (!answer.ok || answer.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of answer.body) {
    rest += decoder.decode(bytes as Uint8Array, { stream: true })
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      arrived()
      const delta = deltaIn(event)
      if (delta !== null) piece(delta)
    }
  }
}

/** The text of an event with a piece of a reply; null for other events. */
function deltaIn(event: string): string | null {
  const data = event
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    .join('\n')
  if (data.trim() === '') return null
  const read = JSON.parse(data) as { readonly data?: { readonly change?: unknown } }
  const change = read.data?.change as { readonly text?: unknown; readonly what?: unknown } | undefined
  return typeof change?.text === 'string' && change.what === undefined ? change.text : null
}
