/**
 * A durable queue: what is put is on disk before `put` returns, stays in order until it is done, and is taken once.
 * Invariant 1: a key is taken once, also after a restart, as long as it is among the newest KEPT_KEYS that are done.
 * Invariant 2: a torn last line loses that line alone.
 */
import { readLines, replaceLines } from '../engine/commit/jsonl.ts'
import type { Files } from '../ports/world.ts'

export interface Waiting<T> {
  readonly key: string
  readonly item: T
  /** What was noted last; null where nothing was. */
  readonly note: unknown
}

export interface Queue<T> {
  /** `also`: more keys that this item stands for. `known`: one of the same key waits or is done; nothing was written. */
  put(key: string, item: T, also?: readonly string[]): 'new' | 'known'
  /** As `put`: it is in the file, and on the disk when `kept` resolves or anything else is written: many at once. */
  putLater(key: string, item: T): 'new' | 'known'
  kept(): Promise<void>
  /** Oldest first. */
  waiting(): readonly Waiting<T>[]
  get(key: string): Waiting<T> | null
  /** Keeps how far an item has come; `later`: what follows at once is on the disk no earlier. */
  note(key: string, note: unknown, sync?: 'later'): void
  /** One or several, all at once. */
  done(...keys: readonly string[]): void
  /** Takes out what is of somebody who wants to be forgotten, and every line of it that is still on disk. Gives how many. */
  forget(isOf: (item: T) => boolean): number
  has(key: string): boolean
}

export interface QueueOptions {
  readonly keptKeys?: number
  readonly compactBytes?: number
}

type Line<T> =
  | { readonly op: 'put'; readonly key: string; readonly item: T; readonly also?: readonly string[] }
  | { readonly op: 'note'; readonly key: string; readonly note: unknown }
  | { readonly op: 'done'; readonly key: string; readonly also?: readonly string[] }

type Entry<T> = Waiting<T> & { readonly also: readonly string[] }

type QueueFiles = Pick<Files, 'read' | 'append' | 'save' | 'sync'>

const KEPT_KEYS = 20_000
const COMPACT_BYTES = 2 * 1024 * 1024

/** Opens it or begins one; throws NeoError (`disk`) where it is there and cannot be read. */
export function openQueue<T>(files: QueueFiles, path: string, options: QueueOptions = {}): Queue<T> {
  return new FileQueue<T>(files, path, options)
}

class FileQueue<T> implements Queue<T> {
  readonly #files: Omit<QueueFiles, 'read'>
  readonly #path: string
  readonly #limits: Required<QueueOptions>
  readonly #waiting = new Map<string, Entry<T>>()
  /** Other keys of what waits. */
  readonly #also = new Set<string>()
  readonly #done = new Set<string>()
  #bytes: number
  #compactAt: number

  constructor(files: QueueFiles, path: string, options: QueueOptions) {
    this.#files = files
    this.#path = path
    this.#limits = { keptKeys: KEPT_KEYS, compactBytes: COMPACT_BYTES, ...options }
    const found = readLines(files, path)
    for (const value of found.values) if (isLine<T>(value)) this.#apply(value)
    this.#bytes = found.bytes
    this.#compactAt = this.#limits.compactBytes
  }

  has(key: string): boolean {
    return this.#waiting.has(key) || this.#done.has(key) || this.#also.has(key)
  }

  put(key: string, item: T, also: readonly string[] = []): 'new' | 'known' {
    if ([key, ...also].some((one) => this.has(one))) return 'known'
    this.#write({ op: 'put', key, item, ...(also.length === 0 ? {} : { also }) })
    return 'new'
  }

  putLater(key: string, item: T): 'new' | 'known' {
    if (this.has(key)) return 'known'
    this.#write({ op: 'put', key, item }, 'later')
    return 'new'
  }

  kept(): Promise<void> {
    return this.#files.sync([this.#path])
  }

  waiting(): readonly Waiting<T>[] {
    return [...this.#waiting.values()]
  }

  get(key: string): Waiting<T> | null {
    return this.#waiting.get(key) ?? null
  }

  note(key: string, note: unknown, sync?: 'later'): void {
    if (this.#waiting.has(key)) this.#write({ op: 'note', key, note }, sync)
  }

  done(...keys: readonly string[]): void {
    const [first, ...others] = keys.flatMap((key) => {
      const entry = this.#waiting.get(key)
      return entry === undefined ? [] : [entry]
    })
    if (first === undefined) return
    const also = [...first.also, ...others.flatMap((other) => [other.key, ...other.also])]
    this.#write({ op: 'done', key: first.key, ...(also.length === 0 ? {} : { also }) })
  }

  forget(isOf: (item: T) => boolean): number {
    const gone = [...this.#waiting.values()].filter(({ item }) => isOf(item))
    for (const { key, also } of gone) this.#apply({ op: 'done', key, also })
    // Lines of what was done long ago go with it.
    this.#bytes = replaceLines(this.#files, this.#path, this.#shortest()) ?? this.#bytes
    return gone.length
  }

  #write(line: Line<T>, sync: 'now' | 'later' = 'now'): void {
    const text = JSON.stringify(line)
    this.#files.append(this.#path, text, sync)
    this.#apply(line)
    this.#bytes += Buffer.byteLength(text) + 1
    if (this.#bytes < this.#compactAt) return
    this.#bytes = replaceLines(this.#files, this.#path, this.#shortest()) ?? this.#bytes
    this.#compactAt = Math.max(this.#limits.compactBytes, this.#bytes * 2)
  }

  #apply(line: Line<T>): void {
    const { key } = line
    if (line.op === 'put') {
      const also = line.also ?? []
      this.#waiting.set(key, { key, item: line.item, note: null, also })
      for (const one of also) this.#also.add(one)
      return
    }
    const entry = this.#waiting.get(key)
    if (line.op === 'note') {
      if (entry !== undefined) this.#waiting.set(key, { ...entry, note: line.note })
      return
    }
    for (const one of [key, ...(line.also ?? [])]) {
      this.#waiting.delete(one)
      this.#also.delete(one)
      this.#done.add(one)
    }
  }

  #shortest(): readonly Line<T>[] {
    const done = [...this.#done]
    for (const key of done.splice(0, Math.max(0, done.length - this.#limits.keptKeys))) this.#done.delete(key)
    const lines: Line<T>[] = done.map((key) => ({ op: 'done', key }))
    for (const { key, item, note, also } of this.#waiting.values()) {
      lines.push({ op: 'put', key, item, ...(also.length === 0 ? {} : { also }) })
      if (note !== null) lines.push({ op: 'note', key, note })
    }
    return lines
  }
}

function isLine<T>(value: unknown): value is Line<T> {
  if (typeof value !== 'object' || value === null || !('op' in value) || !('key' in value)) return false
  if (typeof value.key !== 'string') return false
  if (value.op === 'done') return true
  return (value.op === 'put' && 'item' in value) || (value.op === 'note' && 'note' in value)
}
