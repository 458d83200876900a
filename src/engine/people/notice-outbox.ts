/**
 * Outbox: notices to people, kept until each channel has given a receipt, so that a notice is neither lost in a crash
 * nor sent twice. What is worth a notice, and how a channel sends it, is decided elsewhere.
 * Invariant 1: a key is put once; until `clear`, putting it again changes nothing, also after a restart.
 * Invariant 2: the file is bounded: of finished notices only the key is kept, of the newest KEPT_KEYS; of waiting ones
 * at most MOST_WAITING, of which the oldest make room. Invariant 3: no known secret is in it: it leaves the machine.
 */
import { redact } from '../../domain/secrets/redact.ts'
import type { Files } from '../../ports/world.ts'
import { readLines, replaceLines } from '../commit/jsonl.ts'

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
  /** Everything that waits, oldest first. */
  waiting(): readonly Notice[]
  /** When each channel gave its last receipt, ISO 8601. */
  receipts(): ReadonlyMap<string, string>
  /** Waiting notices that had to make room since the outbox was opened. */
  dropped(): number
}

type Line =
  | ({ readonly op: 'put' } & Notice)
  | { readonly op: 'receipt'; readonly key: string; readonly channel: string; readonly at: string }
  | { readonly op: 'clear'; readonly key: string }
  /** A notice that is finished: after compaction, or because it had to make room. */
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
  readonly receipts: Map<string, string>
}

/** Opens it or begins one; throws NeoError (`disk`) where it is there and cannot be read. */
export function openOutbox(
  files: Pick<Files, 'read' | 'append' | 'save'>,
  path: string,
  options: OutboxOptions = {},
): Outbox {
  return new FileOutbox(files, path, options)
}

class FileOutbox implements Outbox {
  readonly #files: Pick<Files, 'append' | 'save'>
  readonly #path: string
  readonly #limits: Required<OutboxOptions>
  readonly #state: State = { waiting: new Map(), sent: new Set(), receipts: new Map() }
  #bytes: number
  #compactAt: number
  #dropped = 0

  constructor(files: Pick<Files, 'read' | 'append' | 'save'>, path: string, options: OutboxOptions) {
    this.#files = files
    this.#path = path
    this.#limits = { keptKeys: KEPT_KEYS, mostWaiting: MOST_WAITING, compactBytes: COMPACT_BYTES, ...options }
    const found = readLines(files, path)
    for (const line of found.values.filter(isLine)) apply(this.#state, line)
    this.#bytes = found.bytes
    this.#compactAt = this.#limits.compactBytes
  }

  has(key: string): boolean {
    return this.#state.waiting.has(key) || this.#state.sent.has(key)
  }

  put(notice: Notice): 'new' | 'known' {
    if (this.has(notice.key)) return 'known'
    this.#write({ op: 'put', ...notice, text: redact(notice.text) })
    for (const key of this.#state.waiting.keys()) {
      if (this.#state.waiting.size <= this.#limits.mostWaiting) break
      this.#write({ op: 'sent', key })
      this.#dropped += 1
    }
    return 'new'
  }

  pending(channel: string): readonly Notice[] {
    return [...this.#state.waiting.values()].filter((notice) => notice.to.includes(channel))
  }

  receipt(key: string, channel: string, at: string): void {
    if (this.#state.waiting.get(key)?.to.includes(channel)) this.#write({ op: 'receipt', key, channel, at })
  }

  clear(key: string): void {
    if (this.has(key)) this.#write({ op: 'clear', key })
  }

  waiting(): readonly Notice[] {
    return [...this.#state.waiting.values()]
  }

  receipts(): ReadonlyMap<string, string> {
    return this.#state.receipts
  }

  dropped(): number {
    return this.#dropped
  }

  #write(line: Line): void {
    const text = JSON.stringify(line)
    this.#files.append(this.#path, text)
    this.#bytes += Buffer.byteLength(text) + 1
    apply(this.#state, line)
    if (this.#bytes < this.#compactAt) return
    const lines = compacted(this.#state, this.#limits.keptKeys)
    this.#bytes = replaceLines(this.#files, this.#path, lines) ?? this.#bytes
    // What cannot be made smaller (many waiting notices, a full disk) is tried again when it has doubled.
    this.#compactAt = Math.max(this.#limits.compactBytes, this.#bytes * 2)
  }
}

/** The shortest list of lines that gives the same state, apart from the oldest finished keys. */
function compacted(state: State, keptKeys: number): readonly Line[] {
  const sent = [...state.sent]
  const forgotten = sent.splice(0, Math.max(0, sent.length - keptKeys))
  for (const key of forgotten) state.sent.delete(key)
  const finished = sent.map((key): Line => ({ op: 'sent', key }))
  const receipts = [...state.receipts].map(([channel, at]): Line => ({ op: 'receipt', key: '', channel, at }))
  const waiting = [...state.waiting.values()].map((notice): Line => ({ op: 'put', ...notice }))
  return [...finished, ...receipts, ...waiting]
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
      state.receipts.set(line.channel, line.at)
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
