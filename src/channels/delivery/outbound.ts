/**
 * Sends each message once, in order per place, places beside each other; a failed send is retried with growing waits and
 * blocks no other place. Invariant 1: a queued message is sent, however often the process dies. Invariant 2: if it died
 * before a sent part was noted, the part is sent again and says that it may be a duplicate.
 */
import { whyOf } from '../../domain/home/error.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import { isOfScope, type OfScope } from '../../engine/people/scope-board.ts'
import { pause } from '../../engine/bell.ts'
import type { Clock } from '../../ports/world.ts'
import type { Queue, Waiting } from '../../store/durable-queue.ts'
import type { Channel, Progress, Sent } from '../channel.ts'
import { type Outbound, placeText } from '../channel-message.ts'

export interface OutboundOptions {
  readonly queue: Queue<Outbound>
  readonly clock: Clock
  /** A channel does not send, and why; null: it does again. */
  readonly trouble: (channel: string, why: string | null) => void
  /** It was sent, or never will be: called before it leaves the queue. */
  readonly over: (message: Outbound, sent: Sent) => void
}

const WAITS = { first: 1_000, most: 5 * 60_000 }

interface Note {
  readonly sent: number
  readonly begun: number | null
}

export class Sending {
  readonly #options: OutboundOptions
  readonly #channels = new Map<string, { readonly channel: Channel; readonly abort: AbortController }>()
  /** Places that are being worked on. */
  readonly #lines = new Map<string, Promise<void>>()
  /** What waits by place, in order. */
  readonly #places = new Map<string, string[]>()
  /** What was sent, and could not be noted yet. */
  readonly #sent = new Map<string, Sent>()

  constructor(options: OutboundOptions) {
    this.#options = options
    for (const { key, item } of options.queue.waiting()) this.#place(key, item)
  }

  /** Kept on disk when it returns. */
  put(message: Outbound, also: readonly string[] = []): 'new' | 'known' {
    if (this.#options.queue.put(message.key, message, also) === 'known') return 'known'
    this.#place(message.key, message)
    this.#go(placeText(message))
    return 'new'
  }

  has(key: string): boolean {
    return this.#options.queue.has(key)
  }

  /** Removes messages to a scope. Returns how many waited. */
  forget(of: OfScope): number {
    return this.#options.queue.forget((item) => isOfScope(item, of))
  }

  attach(channel: Channel): void {
    this.#channels.set(channel.name, { channel, abort: new AbortController() })
    for (const place of this.#places.keys()) this.#go(place)
  }

  /** Sends nothing more of it, and waits for what is being sent. */
  async detach(name: string): Promise<void> {
    this.#channels.get(name)?.abort.abort('closed')
    this.#channels.delete(name)
    const own = [...this.#lines].filter(([place]) => place.startsWith(`${name}:`))
    await Promise.all(own.map(([, line]) => line))
  }

  /** Of one scope, or of all. */
  waiting(of?: OfScope): number {
    const all = this.messages()
    return of === undefined ? all.length : all.filter((item) => isOfScope(item, of)).length
  }

  /** What waits, oldest first. */
  messages(): readonly Outbound[] {
    return this.#options.queue.waiting().map(({ item }) => item)
  }

  async close(): Promise<void> {
    for (const name of [...this.#channels.keys()]) await this.detach(name)
  }

  #place(key: string, message: Outbound): void {
    const place = placeText(message)
    const keys = this.#places.get(place) ?? []
    keys.push(key)
    this.#places.set(place, keys)
  }

  #go(place: string): void {
    const open = this.#channels.get(place.slice(0, place.indexOf(':')))
    if (open === undefined || this.#lines.has(place)) return
    const { channel, abort } = open
    const line = this.#work(place, channel, abort.signal)
      .catch((error: unknown) => this.#failed(channel.name, error, abort.signal))
      .finally(() => {
        this.#lines.delete(place)
        if (!abort.signal.aborted && this.#places.has(place)) this.#go(place)
      })
    this.#lines.set(place, line)
  }

  /** A full disk, for example: reported if possible, and the place continues after a pause. */
  async #failed(channel: string, error: unknown, signal: AbortSignal): Promise<void> {
    try {
      this.#options.trouble(channel, whyOf(error))
    } catch {
      // Reporting may need the same disk.
    }
    await pause(this.#options.clock, WAITS.first, { signal })
  }

  async #work(place: string, channel: Channel, signal: AbortSignal): Promise<void> {
    let failures = 0
    for (;;) {
      const key = this.#places.get(place)?.[0]
      const waiting = key === undefined ? null : this.#options.queue.get(key)
      if (key === undefined || waiting === null) {
        if (!this.#forget(place)) return
        continue
      }
      if (signal.aborted) return
      const sent = this.#sent.get(key) ?? (await this.#send(channel, waiting, signal))
      if (signal.aborted && sent.kind === 'later') return
      if (sent.kind === 'later') {
        this.#options.trouble(channel.name, sent.why)
        const grown = grownWait(WAITS, failures + 1)
        failures += 1
        await pause(this.#options.clock, sent.afterMs ?? grown, { signal })
        continue
      }
      failures = 0
      this.#sent.set(key, sent)
      if (sent.kind === 'sent') this.#options.trouble(channel.name, null)
      this.#options.over(waiting.item, sent)
      this.#options.queue.done(key)
      this.#sent.delete(key)
      this.#forget(place)
    }
  }

  /** Drops the first of a place; false if none is left. */
  #forget(place: string): boolean {
    const keys = this.#places.get(place) ?? []
    keys.shift()
    if (keys.length === 0) this.#places.delete(place)
    return keys.length > 0
  }

  async #send(channel: Channel, { key, item, note }: Waiting<Outbound>, signal: AbortSignal): Promise<Sent> {
    const { queue } = this.#options
    const before = noteOf(note)
    const progress: Progress = {
      sent: before.sent,
      unsure: before.begun !== null,
      begin: (part) => queue.note(key, { sent: part, begun: part }),
      undone: (part) => queue.note(key, { sent: part, begun: null }),
      // The next part, or that it is over, follows at once and is synced.
      did: (part) => queue.note(key, { sent: part + 1, begun: null }, 'later'),
    }
    try {
      return await channel.send(item, progress, signal)
    } catch (error) {
      return { kind: 'later', why: whyOf(error) }
    }
  }
}

function noteOf(note: unknown): Note {
  const { sent, begun } = (note ?? {}) as Partial<Note>
  return { sent: typeof sent === 'number' ? sent : 0, begun: typeof begun === 'number' ? begun : null }
}
