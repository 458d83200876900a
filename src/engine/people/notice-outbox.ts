/**
 * Outbox: notices to people, kept until each channel has given a receipt, so that a notice is neither lost in a crash
 * nor sent twice. What is worth a notice, and how a channel sends it, is decided elsewhere.
 * Invariant 1: a key is put once; until `clear`, putting it again changes nothing, also after a restart.
 * Invariant 2: the file is bounded: of finished notices only the key is kept, of the newest KEPT_KEYS; of waiting ones
 * at most MOST_WAITING, of which the oldest make room. Invariant 3: no known secret is in it: it leaves the machine.
 */
import { NOTICE_KINDS, type NoticeKind } from '../../domain/room/notice-kinds.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { finish, KeyedLog, type LogFiles, type LogFormat, type LogState } from '../../store/keyed-log.ts'

export interface Notice {
  /** What it is about and in which state, such as `fail:t-7f3k2q:2`. */
  readonly key: string
  readonly kind: NoticeKind
  /** Id of the request that it is about: channels with buttons put them under it. */
  readonly ask?: string
  /** It answers a message, and its channel has the answer already. */
  readonly isAnswer?: true
  readonly text: string
  readonly room: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Channels that it goes to. */
  readonly to: readonly string[]
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

/** Opens it or begins one. Throws `NeoError('disk')` if it is there and cannot be read. */
export function openOutbox(files: LogFiles, path: string, options: OutboxOptions = {}): Outbox {
  return new Outbox(files, path, options)
}

export class Outbox {
  readonly #log: KeyedLog<Line, Notice>
  readonly #receipts = new Map<string, string>()
  readonly #mostWaiting: number
  #dropped = 0

  constructor(files: LogFiles, path: string, options: OutboxOptions) {
    const { mostWaiting = MOST_WAITING, keptKeys = KEPT_KEYS, compactBytes = COMPACT_BYTES } = options
    const format: LogFormat<Line, Notice> = {
      read: (value) => (isLine(value) ? value : null),
      apply: (state, line) => {
        if (line.op === 'receipt') this.#receipts.set(line.channel, line.at)
        apply(state, line)
      },
      lines: (state) => shortest(state, this.#receipts),
    }
    this.#log = new KeyedLog(files, path, { format, keptKeys, compactBytes })
    this.#mostWaiting = mostWaiting
  }

  has(key: string): boolean {
    return this.#log.has(key)
  }

  /** `known`: the key is there already; nothing was written. */
  put(notice: Notice): 'new' | 'known' {
    if (this.has(notice.key)) return 'known'
    this.#log.write({ op: 'put', ...notice, text: redact(notice.text) })
    for (const key of this.#log.open.keys()) {
      if (this.#log.open.size <= this.#mostWaiting) break
      this.#log.write({ op: 'sent', key })
      this.#dropped += 1
    }
    return 'new'
  }

  /** Notices that this channel has not given a receipt for, oldest first. */
  pending(channel: string): readonly Notice[] {
    return this.waiting().filter((notice) => notice.to.includes(channel))
  }

  /** The channel has sent it. Unknown keys and doubled receipts are ignored. */
  receipt(key: string, channel: string, at: string): void {
    if (this.#log.open.get(key)?.to.includes(channel)) this.#log.write({ op: 'receipt', key, channel, at })
  }

  /** Forgets a key: a waiting notice is not sent, and a new one with the key is. */
  clear(key: string): void {
    if (this.has(key)) this.#log.write({ op: 'clear', key })
  }

  /** Everything that waits, oldest first. */
  waiting(): readonly Notice[] {
    return [...this.#log.open.values()]
  }

  /** When each channel gave its last receipt, ISO 8601. */
  receipts(): ReadonlyMap<string, string> {
    return this.#receipts
  }

  /** Waiting notices that had to make room since the outbox was opened. */
  dropped(): number {
    return this.#dropped
  }
}

function shortest(
  { open, finished }: LogState<Notice>,
  receipts: ReadonlyMap<string, string>,
): readonly Line[] {
  return [
    ...[...finished].map((key): Line => ({ op: 'sent', key })),
    ...[...receipts].map(([channel, at]): Line => ({ op: 'receipt', key: '', channel, at })),
    ...[...open.values()].map((notice): Line => ({ op: 'put', ...notice })),
  ]
}

function apply(state: LogState<Notice>, line: Line): void {
  switch (line.op) {
    case 'put': {
      const { op: _op, ...notice } = line
      state.open.set(line.key, withKind(notice))
      if (line.to.length === 0) finish(state, line.key)
      return
    }
    case 'receipt': {
      const notice = state.open.get(line.key)
      if (notice === undefined) return
      const to = notice.to.filter((channel) => channel !== line.channel)
      state.open.set(line.key, { ...notice, to })
      if (to.length === 0) finish(state, line.key)
      return
    }
    case 'sent':
      finish(state, line.key)
      return
    case 'clear':
      state.open.delete(line.key)
      state.finished.delete(line.key)
  }
}

/** Up to version 0.1.0 the key was the only place that said of which kind a notice is. */
const KINDS_BY_KEY: readonly (readonly [RegExp, NoticeKind])[] = [
  [/^ask:/, 'asks'],
  [/^(review|publish):/, 'reviews'],
  [/^complete:/, 'results'],
  [/^(fail|block|stop|retry):/, 'failures'],
  [/^(reply|neo):/, 'words'],
]

function withKind(notice: Omit<Notice, 'kind'> & { readonly kind?: NoticeKind }): Notice {
  const { key, kind } = notice
  if (kind !== undefined && NOTICE_KINDS.includes(kind)) return { ...notice, kind }
  const ask = /^ask:([a-z0-9-]+)/.exec(key)?.[1]
  return {
    ...notice,
    kind: KINDS_BY_KEY.find(([pattern]) => pattern.test(key))?.[1] ?? 'problems',
    ...(ask === undefined ? {} : { ask }),
    ...(key.startsWith('reply:inbox:') ? { isAnswer: true } : {}),
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('op' in value) || !('key' in value)) return false
  if (typeof value.key !== 'string') return false
  if (value.op === 'sent' || value.op === 'clear') return true
  if (value.op === 'receipt') return 'channel' in value && typeof value.channel === 'string'
  return value.op === 'put' && 'to' in value && Array.isArray(value.to) && 'text' in value && 'room' in value
}
