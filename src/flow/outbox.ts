/**
 * Outbox: notices to people, kept until each channel has given a receipt, so that a notice is neither lost in a crash
 * nor sent twice. What is worth a notice, and how a channel sends it, is decided elsewhere.
 * Invariant 1: a key is put once; until `clear`, putting it again changes nothing, also after a restart.
 * Invariant 2: the file is bounded: of finished notices only the key is kept, of the newest KEPT_KEYS; of waiting ones
 * at most MOST_WAITING, of which the oldest make room.
 */
import type { Files } from '../ports.ts'
import { readLines, replaceLines } from './jsonl.ts'

export interface Notice {
  /** What it is about and which state of it, e.g. `t-7f3k2q failed@2`. */
  readonly key: string
  readonly text: string
  readonly room: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Channels that it goes to. */
  readonly to: readonly string[]
}

export interface Outbox {
  /** `known`: the key is there already; nothing was written. */
  put(notice: Notice): 'new' | 'known'
  /** Notices that this channel has not given a receipt for, oldest first. */
  pending(channel: string): readonly Notice[]
  /** The channel has sent it. Unknown keys and doubled receipts are ignored. */
  receipt(key: string, channel: string, at: string): void
  /** Forgets a key, so that the same thing, happening again, is told again. A waiting notice is not sent any more. */
  clear(key: string): void
  has(key: string): boolean
  /** Waiting notices that had to make room since the outbox was opened. */
  dropped(): number
}

type Line =
  | ({ readonly op: 'put' } & Notice)
  | { readonly op: 'receipt'; readonly key: string; readonly channel: string; readonly at: string }
  | { readonly op: 'clear'; readonly key: string }
  /** A finished notice, after compaction. */
  | { readonly op: 'sent'; readonly key: string }

const KEPT_KEYS = 5_000
const MOST_WAITING = 1_000
const COMPACT_BYTES = 1024 * 1024

export interface OutboxOptions {
  readonly keptKeys?: number
  readonly mostWaiting?: number
  readonly compactBytes?: number
}

/** Waiting notices with the channels that are left; finished keys. Both oldest first. */
interface State {
  readonly waiting: Map<string, Notice>
  readonly sent: Set<string>
}

export function openOutbox(
  files: Pick<Files, 'read' | 'append' | 'save'>,
  path: string,
  options: OutboxOptions = {},
): Outbox {
  const { keptKeys = KEPT_KEYS, mostWaiting = MOST_WAITING, compactBytes = COMPACT_BYTES } = options
  const found = readLines(files, path)
  const state: State = { waiting: new Map(), sent: new Set() }
  for (const value of found.values) if (isLine(value)) apply(state, value)
  let bytes = found.bytes
  let compactAt = Math.max(compactBytes, bytes / 2)
  let dropped = 0
  const write = (line: Line) => {
    const text = JSON.stringify(line)
    files.append(path, text)
    bytes += Buffer.byteLength(text) + 1
    apply(state, line)
    for (const key of state.waiting.keys()) {
      if (state.waiting.size <= mostWaiting) break
      dropped += 1
      finish(state, key)
    }
    if (bytes < compactAt) return
    bytes = replaceLines(files, path, compacted(state, keptKeys)).bytes
    compactAt = Math.max(compactBytes, bytes * 2)
  }
  const has = (key: string) => state.waiting.has(key) || state.sent.has(key)
  return {
    has,
    dropped: () => dropped,
    put(notice) {
      if (has(notice.key)) return 'known'
      write({ op: 'put', ...notice })
      return 'new'
    },
    pending: (channel) => [...state.waiting.values()].filter((notice) => notice.to.includes(channel)),
    receipt(key, channel, at) {
      if (state.waiting.get(key)?.to.includes(channel)) write({ op: 'receipt', key, channel, at })
    },
    clear(key) {
      if (has(key)) write({ op: 'clear', key })
    },
  }
}

/** The shortest list of lines that gives the same state, apart from the oldest finished keys. */
function compacted(state: State, keptKeys: number): readonly Line[] {
  const sent = [...state.sent]
  const forgotten = sent.splice(0, Math.max(0, sent.length - keptKeys))
  for (const key of forgotten) state.sent.delete(key)
  const finished = sent.map((key): Line => ({ op: 'sent', key }))
  return [...finished, ...[...state.waiting.values()].map((notice): Line => ({ op: 'put', ...notice }))]
}

function apply(state: State, line: Line): void {
  switch (line.op) {
    case 'put': {
      const { op: _op, ...notice } = line
      state.waiting.set(line.key, notice)
      if (line.to.length === 0) finish(state, line.key)
      return
    }
    case 'receipt': {
      const notice = state.waiting.get(line.key)
      if (notice === undefined) return
      const to = notice.to.filter((channel) => channel !== line.channel)
      state.waiting.set(line.key, { ...notice, to })
      if (to.length === 0) finish(state, line.key)
      return
    }
    case 'sent':
      finish(state, line.key)
      return
    case 'clear':
      state.waiting.delete(line.key)
      state.sent.delete(line.key)
  }
}

function finish(state: State, key: string): void {
  state.waiting.delete(key)
  state.sent.add(key)
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('op' in value) || !('key' in value)) return false
  if (typeof value.key !== 'string') return false
  if (value.op === 'sent' || value.op === 'clear') return true
  if (value.op === 'receipt') return 'channel' in value && typeof value.channel === 'string'
  return value.op === 'put' && 'to' in value && Array.isArray(value.to) && 'text' in value && 'room' in value
}
