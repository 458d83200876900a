/**
 * Channels as signals. A view reads `useChannel(name)`; the first reader subscribes, and the subscription stays for a
 * while after the last one has gone, so that "back" shows data at once.
 * Invariant: a value is never changed in place. What a change doesn't touch keeps its identity, so views can compare.
 */
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Change, type State, withChange } from './apply-change.ts'
import { type ChannelData, follow } from './connection.ts'
import { type CardView, fullCard } from './types.ts'

export interface Channel<T> {
  /** `undefined` until the snapshot is here. */
  readonly value: Signal<T | undefined>
  /** Why it can't be followed; null if it can. */
  readonly error: Signal<string | null>
}

interface Shared extends Channel<unknown> {
  readers: number
  stop: (() => void) | null
  expiry?: ReturnType<typeof setTimeout>
}

/** How long a channel without readers stays subscribed. */
const KEEP_MS = 60_000
const channels = new Map<string, Shared>()

/** `null` follows nothing. */
export function useChannel<T>(name: string | null): Channel<T> {
  const shared = useMemo(() => (name === null ? NOTHING : sharedChannel(name)), [name])
  useEffect(() => (name === null ? undefined : read(name, shared)), [name])
  return shared as unknown as Channel<T>
}

const NOTHING: Shared = { value: signal(undefined), error: signal(null), readers: 0, stop: null }

function sharedChannel(name: string): Shared {
  const known = channels.get(name)
  if (known !== undefined) return known
  const made: Shared = { value: signal(undefined), error: signal(null), readers: 0, stop: null }
  channels.set(name, made)
  return made
}

function read(name: string, shared: Shared): () => void {
  shared.readers += 1
  clearTimeout(shared.expiry)
  channels.set(name, shared)
  shared.stop ??= follow(
    name,
    (data) => take(name, shared, data),
    (why) => {
      shared.error.value = why
    },
  )
  return () => {
    shared.readers -= 1
    if (shared.readers > 0) return
    shared.expiry = setTimeout(() => {
      shared.stop?.()
      shared.stop = null
      channels.delete(name)
    }, KEEP_MS)
  }
}

function take(name: string, shared: Shared, data: ChannelData): void {
  if ('ended' in data) {
    shared.value.value = undefined
    shared.error.value = data.ended
  } else if ('snapshot' in data) {
    shared.error.value = null
    shared.value.value = begun(name, data.snapshot)
  } else shared.value.value = applied(name, shared.value.value, data.change)
}

function begun(name: string, snapshot: unknown): unknown {
  if (name.endsWith(':neo')) return { snapshot, events: [] }
  if (name.endsWith(':output')) return (snapshot as readonly Piece[]).reduce(withPiece, {})
  return holdsCards(name) ? withFullCards(snapshot as State) : snapshot
}

function applied(name: string, state: unknown, change: unknown): unknown {
  if (name.endsWith(':transcript') || name === 'audit') return appended(state, change)
  if (name.endsWith(':neo')) return withEvent(state, change)
  if (name.endsWith(':output')) return withPiece((state ?? {}) as Outputs, change as Piece)
  if (/^session:.*:state$/.test(name)) return change
  // It only tells that something changed: the view asks what.
  if (name === 'agents') return { count: ((state as { count?: number } | undefined)?.count ?? 0) + 1 }
  const { set, gone } = change as Change
  return withChange((state ?? {}) as State, { set: holdsCards(name) ? withFullCards(set) : set, gone })
}

const OF_CARDS: ReadonlySet<string> = new Set(['tasks', 'reviews', 'failed', 'blocked', 'yours'])

function holdsCards(name: string): boolean {
  return name === 'inbox' || name.endsWith(':tasks')
}

function withFullCards(sections: State): State {
  const full = (items: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(items).map(([id, card]) => [id, fullCard(card as CardView)]))
  return Object.fromEntries(
    Object.entries(sections).map(([name, items]) => [name, OF_CARDS.has(name) ? full(items) : items]),
  )
}

/** Most entries of a log that stay in memory; views fetch older ones by cursor. */
const MOST_ENTRIES = 5_000

/** What a running command has written more. */
interface Piece {
  readonly step: string
  readonly text: string
  readonly skipped: number
}

/** By step: the end of what it has written, and how much came before that. */
type Outputs = Readonly<Record<string, Omit<Piece, 'step'>>>

const MOST_OUTPUT = 128 * 1024

function withPiece(outputs: Outputs, { step, text, skipped }: Piece): Outputs {
  const known = outputs[step] ?? { text: '', skipped: 0 }
  const whole = skipped > 0 ? text : known.text + text
  const dropped = skipped > 0 ? skipped + known.text.length : 0
  const shown =
    whole.length > MOST_OUTPUT ? whole.slice(whole.indexOf('\n', whole.length - MOST_OUTPUT) + 1) : whole
  return {
    ...outputs,
    [step]: { text: shown, skipped: known.skipped + dropped + whole.length - shown.length },
  }
}

/** A conversation: its snapshot, and what came since. */
function withEvent(state: unknown, event: unknown): unknown {
  const { snapshot, events } = (state ?? { snapshot: {}, events: [] }) as {
    snapshot: unknown
    events: unknown[]
  }
  return { snapshot, events: appended(events, event) }
}

function appended(state: unknown, entry: unknown): unknown {
  const entries = Array.isArray(state) ? state : []
  return [...entries.slice(-MOST_ENTRIES + 1), entry]
}
