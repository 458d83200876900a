/**
 * A durable queue: what is put is on disk before `put` returns, stays in order until it is done, and is taken once.
 * A key is taken once, also after a restart, as long as it is among the newest KEPT_KEYS that are done.
 */

import { NeoError } from '../domain/home/error.ts'
import type { Files } from '../ports/files-port.ts'
import {
  finish,
  KeyedLog,
  type LogFiles,
  type LogFormat,
  type LogLimits,
  type LogState,
} from './keyed-log.ts'

export interface Waiting<T> {
  readonly key: string
  readonly item: T
  /** The last note, or `null`. */
  readonly note: unknown
}

export interface Queue<T> {
  /** `also`: more keys that this item stands for. `known`: one of these keys is waiting or done; nothing was written. */
  put(key: string, item: T, also?: readonly string[]): 'new' | 'known'
  /** As `put`: it is in the file, and on the disk when `kept` resolves or anything else is written: many at once. */
  putLater(key: string, item: T): 'new' | 'known'
  kept(): Promise<void>
  /** Oldest first. */
  waiting(): readonly Waiting<T>[]
  get(key: string): Waiting<T> | null
  /** Saves how far an item has come; `later`: it is on the disk with the next write. */
  note(key: string, note: unknown, sync?: 'later'): void
  /** One or several, all at once. */
  done(...keys: readonly string[]): void
  /**
   * Removes matching items, and the text of everything that is done, from memory and disk. Returns how many waited.
   * Throws `NeoError('disk')` if text may be left in the file: call it again.
   */
  forget(isOf: (item: T) => boolean): number
  has(key: string): boolean
}

type Line<T> =
  | { readonly op: 'put'; readonly key: string; readonly item: T; readonly also?: readonly string[] }
  | { readonly op: 'note'; readonly key: string; readonly note: unknown }
  | { readonly op: 'done'; readonly key: string; readonly also?: readonly string[] }

type Entry<T> = Waiting<T> & { readonly also: readonly string[] }

type QueueFiles = LogFiles & Pick<Files, 'sync'>

const LIMITS: LogLimits = { keptKeys: 20_000, compactBytes: 2 * 1024 * 1024 }

/** Opens it or begins one. Throws `NeoError('disk')` if it is there and cannot be read. */
export function openQueue<T>(files: QueueFiles, path: string, limits: Partial<LogLimits> = {}): Queue<T> {
  return new FileQueue<T>(files, path, limits)
}

class FileQueue<T> implements Queue<T> {
  readonly #log: KeyedLog<Line<T>, Entry<T>>
  /** Other keys of what waits. */
  readonly #also = new Set<string>()
  readonly #files: QueueFiles
  readonly #path: string

  constructor(files: QueueFiles, path: string, limits: Partial<LogLimits>) {
    const format: LogFormat<Line<T>, Entry<T>> = {
      read: readLine,
      apply: (state, line) => applyLine(state, line, this.#also),
      lines: shortest,
    }
    this.#log = new KeyedLog(files, path, { ...LIMITS, ...limits, format })
    this.#files = files
    this.#path = path
  }

  has(key: string): boolean {
    return this.#log.has(key) || this.#also.has(key)
  }

  put(key: string, item: T, also: readonly string[] = []): 'new' | 'known' {
    if ([key, ...also].some((one) => this.has(one))) return 'known'
    this.#log.write({ op: 'put', key, item, ...withKeys(also) })
    return 'new'
  }

  putLater(key: string, item: T): 'new' | 'known' {
    if (this.has(key)) return 'known'
    this.#log.write({ op: 'put', key, item }, 'later')
    return 'new'
  }

  kept(): Promise<void> {
    return this.#files.sync([this.#path])
  }

  waiting(): readonly Waiting<T>[] {
    return [...this.#log.open.values()]
  }

  get(key: string): Waiting<T> | null {
    return this.#log.open.get(key) ?? null
  }

  note(key: string, note: unknown, sync?: 'later'): void {
    if (this.#log.open.has(key)) this.#log.write({ op: 'note', key, note }, sync)
  }

  done(...keys: readonly string[]): void {
    const [first, ...others] = keys.flatMap((key) => this.#log.open.get(key) ?? [])
    if (first === undefined) return
    const also = [...first.also, ...others.flatMap((other) => [other.key, ...other.also])]
    this.#log.write({ op: 'done', key: first.key, ...withKeys(also) })
  }

  forget(isOf: (item: T) => boolean): number {
    const gone = this.waiting().filter(({ item }) => isOf(item))
    this.done(...gone.map(({ key }) => key))
    if (!this.#log.compact())
      throw new NeoError('disk', `Cannot remove text from "${this.#path}": the disk refuses`)
    return gone.length
  }
}

function applyLine<T>(state: LogState<Entry<T>>, line: Line<T>, others: Set<string>): void {
  const { key } = line
  if (line.op === 'put') {
    const also = line.also ?? []
    state.open.set(key, { key, item: line.item, note: null, also })
    for (const one of also) others.add(one)
    return
  }
  const entry = state.open.get(key)
  if (line.op === 'note') {
    if (entry !== undefined) state.open.set(key, { ...entry, note: line.note })
    return
  }
  for (const one of [key, ...(line.also ?? [])]) {
    finish(state, one)
    others.delete(one)
  }
}

function shortest<T>({ open, finished }: LogState<Entry<T>>): readonly Line<T>[] {
  const done = [...finished].map((key): Line<T> => ({ op: 'done', key }))
  const waiting = [...open.values()].flatMap(({ key, item, note, also }): readonly Line<T>[] => {
    const put: Line<T> = { op: 'put', key, item, ...withKeys(also) }
    return note === null ? [put] : [put, { op: 'note', key, note }]
  })
  return [...done, ...waiting]
}

function withKeys(also: readonly string[]): { readonly also?: readonly string[] } {
  return also.length === 0 ? {} : { also }
}

function readLine<T>(value: unknown): Line<T> | null {
  if (typeof value !== 'object' || value === null || !('op' in value) || !('key' in value)) return null
  const { op, key } = value
  const isWhole = op === 'done' || (op === 'put' && 'item' in value) || (op === 'note' && 'note' in value)
  return typeof key === 'string' && isWhole ? (value as Line<T>) : null
}
