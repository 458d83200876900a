/**
 * Works on messages one at a time per key, keys beside each other, at most so many at once. Invariant 1: the order within
 * a key is kept. Invariant 2: a key that waits for a retry or is held takes no slot from the others.
 */
import type { Clock } from '../../ports/world.ts'
import type { Inbound } from '../channel-message.ts'
import type { Waiting } from '../../store/durable-queue.ts'

export interface ExecutorOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Oldest first. */
  readonly waiting: () => readonly Waiting<Inbound>[]
  /** `null`: not worked on here. */
  readonly keyOf: (message: Inbound) => string | null
  readonly maxRunning: () => number
  /** Returns after how many ms the key may run again; 0 at once. Must not throw. */
  readonly work: (message: Inbound, signal: AbortSignal) => Promise<number>
}

const AGAIN_MS = 1_000

export class KeyedExecutor {
  readonly #options: ExecutorOptions
  readonly #running = new Map<string, { readonly done: Promise<void>; readonly abort: AbortController }>()
  /** When a key may run again, by key. */
  readonly #retryAt = new Map<string, number>()
  readonly #held = new Map<string, number>()
  /** The last scope of each key. */
  readonly #lastScope = new Map<string, string>()
  #closed = false
  #cancelTimer = (): void => {}

  constructor(options: ExecutorOptions) {
    this.#options = options
  }

  /** Starts what can start. */
  start(): void {
    if (this.#closed) return
    const { clock, maxRunning } = this.#options
    for (const [key, until] of this.#retryAt) if (until <= clock.now()) this.#retryAt.delete(key)
    for (;;) {
      const one = this.#running.size >= maxRunning() ? null : this.#next()
      if (one === null) break
      this.#run(one.key, one.message)
    }
    this.#cancelTimer()
    const soonest = Math.min(...this.#retryAt.values())
    if (Number.isFinite(soonest))
      this.#cancelTimer = clock.after(Math.max(1, soonest - clock.now()), () => this.#resume())
  }

  /** Called by timers, where nobody catches: what cannot be read now is tried again soon. */
  #resume(): void {
    try {
      this.start()
    } catch {
      this.#cancelTimer()
      if (!this.#closed) this.#cancelTimer = this.#options.clock.after(AGAIN_MS, () => this.#resume())
    }
  }

  /** Aborts the work of a key, and starts none for it until the returned function is called. */
  async hold(key: string): Promise<() => void> {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1)
    this.#running.get(key)?.abort.abort('held')
    await this.#running.get(key)?.done
    return () => {
      const left = (this.#held.get(key) ?? 1) - 1
      if (left > 0) this.#held.set(key, left)
      else this.#held.delete(key)
      this.start()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  #next(): { readonly key: string; readonly message: Inbound } | null {
    const firsts = new Map<string, Inbound[]>()
    const scopes = new Set<string>()
    for (const { item, note } of this.#options.waiting()) {
      const key = this.#options.keyOf(item)
      if (key === null || !this.#isFree(key)) continue
      // What was started before comes first, also after a restart.
      if (note !== null) return { key, message: item }
      if (scopes.has(`${key}\n${item.scope}`)) continue
      scopes.add(`${key}\n${item.scope}`)
      firsts.set(key, [...(firsts.get(key) ?? []), item])
    }
    for (const [key, items] of firsts) {
      // Of two scopes with one key, the one that did not run last.
      const message = items.find(({ scope }) => scope !== this.#lastScope.get(key)) ?? items[0]
      if (message !== undefined) return { key, message }
    }
    return null
  }

  #isFree(key: string): boolean {
    return !this.#running.has(key) && !this.#held.has(key) && !this.#retryAt.has(key)
  }

  #run(key: string, message: Inbound): void {
    this.#lastScope.set(key, message.scope)
    const abort = new AbortController()
    const done = this.#options.work(message, abort.signal).then((ms) => {
      this.#running.delete(key)
      if (ms > 0) this.#retryAt.set(key, this.#options.clock.now() + ms)
      this.#resume()
    })
    this.#running.set(key, { done, abort })
  }
}
