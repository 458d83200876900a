/**
 * Lanes: what belongs together is worked on one after the other, lanes beside each other, so many at a time. Invariant
 * 1: order within a lane is kept. Invariant 2: a lane that rests or is held takes no place from the others.
 */
import type { Clock } from '../../ports/world.ts'
import type { Inbound } from '../channel-message.ts'
import type { Waiting } from '../../store/durable-queue.ts'

export interface LanesOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Oldest first. */
  readonly waiting: () => readonly Waiting<Inbound>[]
  /** Null for what goes on no lane. */
  readonly laneOf: (message: Inbound) => string | null
  readonly most: () => number
  /** Gives for how long the lane rests, in ms. Throws nothing. */
  readonly work: (message: Inbound, signal: AbortSignal) => Promise<number>
}

export interface Lanes {
  /** Starts what may start. */
  go(): void
  /** Ends what is under way in a lane, and starts nothing in it until it is released. */
  hold(lane: string): Promise<() => void>
  close(): Promise<void>
}

const AGAIN_MS = 1_000

export function openLanes(options: LanesOptions): Lanes {
  return new OpenLanes(options)
}

class OpenLanes implements Lanes {
  readonly #options: LanesOptions
  readonly #running = new Map<string, { readonly done: Promise<void>; readonly abort: AbortController }>()
  /** Until when, by lane. */
  readonly #resting = new Map<string, number>()
  readonly #held = new Map<string, number>()
  /** The scope that each lane heard last. */
  readonly #heard = new Map<string, string>()
  #closed = false
  #forget = (): void => {}

  constructor(options: LanesOptions) {
    this.#options = options
  }

  go(): void {
    if (this.#closed) return
    const { clock, most } = this.#options
    for (const [lane, until] of this.#resting) if (until <= clock.now()) this.#resting.delete(lane)
    for (;;) {
      const one = this.#running.size >= most() ? null : this.#next()
      if (one === null) break
      this.#start(one.lane, one.message)
    }
    this.#forget()
    const soonest = Math.min(...this.#resting.values())
    if (Number.isFinite(soonest))
      this.#forget = clock.after(Math.max(1, soonest - clock.now()), () => this.#goOn())
  }

  /** Where nobody would hear of it: what cannot be read now is looked for again soon. */
  #goOn(): void {
    try {
      this.go()
    } catch {
      this.#forget()
      if (!this.#closed) this.#forget = this.#options.clock.after(AGAIN_MS, () => this.#goOn())
    }
  }

  async hold(lane: string): Promise<() => void> {
    this.#held.set(lane, (this.#held.get(lane) ?? 0) + 1)
    this.#running.get(lane)?.abort.abort('held')
    await this.#running.get(lane)?.done
    return () => {
      const left = (this.#held.get(lane) ?? 1) - 1
      if (left > 0) this.#held.set(lane, left)
      else this.#held.delete(lane)
      this.go()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#forget()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  #next(): { readonly lane: string; readonly message: Inbound } | null {
    const firsts = new Map<string, Inbound[]>()
    const scopes = new Set<string>()
    for (const { item, note } of this.#options.waiting()) {
      const lane = this.#options.laneOf(item)
      if (lane === null || !this.#isFree(lane)) continue
      // What was begun already comes first, also after a restart.
      if (note !== null) return { lane, message: item }
      if (scopes.has(`${lane}\n${item.scope}`)) continue
      scopes.add(`${lane}\n${item.scope}`)
      firsts.set(lane, [...(firsts.get(lane) ?? []), item])
    }
    for (const [lane, items] of firsts) {
      // Of two scopes in one lane the one that was not heard last.
      const message = items.find(({ scope }) => scope !== this.#heard.get(lane)) ?? items[0]
      if (message !== undefined) return { lane, message }
    }
    return null
  }

  #isFree(lane: string): boolean {
    return !this.#running.has(lane) && !this.#held.has(lane) && !this.#resting.has(lane)
  }

  #start(lane: string, message: Inbound): void {
    this.#heard.set(lane, message.scope)
    const abort = new AbortController()
    const done = this.#options.work(message, abort.signal).then((ms) => {
      this.#running.delete(lane)
      if (ms > 0) this.#resting.set(lane, this.#options.clock.now() + ms)
      this.#goOn()
    })
    this.#running.set(lane, { done, abort })
  }
}
