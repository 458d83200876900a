/**
 * State channels: a subscriber gets the present state, then every change in order with a number; one that comes back
 * names its last number and gets what came after, or a fresh snapshot if that is no longer known. Invariant 1:
 * numbers grow by one a channel, and begin again above all earlier ones after a restart. Invariant 2: a subscriber that
 * does not keep up loses its queue, not its connection: it has to resync. Invariant 3: one subscriber's failure ends
 * that subscription alone.
 */
import type { HubEvent } from '../hub.ts'

/** What `data` of an event is. */
export type ChannelData =
  | { readonly snapshot: unknown }
  /** Changes were missed: forget what was known. */
  | { readonly resync: true; readonly snapshot: unknown }
  | { readonly change: unknown }
  /** Nothing more comes: why. */
  | { readonly ended: string }

export interface Channels {
  publish(channel: string, change: unknown): void
  /** `state` gives the snapshot; it is asked again for a resync. */
  subscribe(of: Subscription): () => void
  /** Channels that somebody has subscribed to and that are still remembered. */
  names(): readonly string[]
  /** Whether somebody listens to it now. */
  listens(channel: string): boolean
  close(): void
}

export interface Subscription {
  readonly channel: string
  readonly since?: number
  readonly state: () => unknown
  readonly on: (event: HubEvent) => void | Promise<void>
}

export interface ChannelLimits {
  /** Changes that a channel remembers for those who come back. */
  readonly remembered: number
  /** Events that may wait for one subscriber. */
  readonly waiting: number
  /** Channels without a subscriber that are remembered. */
  readonly idle: number
}

const LIMITS: ChannelLimits = { remembered: 500, waiting: 1_000, idle: 200 }

/** @param begin the first number of new channels: the time in ms, so that it is above those of earlier processes */
export function openChannels(begin: () => number, limits: ChannelLimits = LIMITS): Channels {
  const channels = new Map<string, Channel>()

  function channelOf(name: string): Channel {
    const known = channels.get(name)
    if (known !== undefined) return known
    const made = new Channel(name, begin(), limits)
    channels.set(name, made)
    return made
  }

  /** The oldest without subscribers go first; a subscriber that comes back gets a snapshot. */
  function forgetIdle(): void {
    const idle = [...channels.values()].filter(({ listeners }) => listeners.size === 0)
    for (const { name } of idle.slice(0, Math.max(0, idle.length - limits.idle))) channels.delete(name)
  }

  return {
    publish: (name, change) => channels.get(name)?.publish(change),
    subscribe(of) {
      const channel = channelOf(of.channel)
      const listener = new Listener(channel, of)
      channel.listeners.add(listener)
      listener.greet()
      return () => {
        listener.end()
        forgetIdle()
      }
    },
    names: () => [...channels.keys()],
    listens: (name) => (channels.get(name)?.listeners.size ?? 0) > 0,
    close() {
      for (const { listeners } of channels.values()) for (const listener of [...listeners]) listener.end()
      channels.clear()
    },
  }
}

class Channel {
  readonly listeners = new Set<Listener>()
  readonly name: string
  readonly limits: ChannelLimits
  /** Oldest first. */
  private readonly recent: HubEvent[] = []
  seq: number

  constructor(name: string, begin: number, limits: ChannelLimits) {
    this.name = name
    this.seq = begin
    this.limits = limits
  }

  publish(change: unknown): void {
    const event: HubEvent = { channel: this.name, seq: ++this.seq, data: { change } satisfies ChannelData }
    this.recent.push(event)
    if (this.recent.length > this.limits.remembered) this.recent.shift()
    for (const listener of [...this.listeners]) listener.push(event)
  }

  /** What came after `since`; null if that is not known. */
  after(since: number): readonly HubEvent[] | null {
    if (since === this.seq) return []
    const first = this.recent[0]?.seq
    if (first === undefined || since < first - 1 || since > this.seq) return null
    return this.recent.filter(({ seq }) => seq > since)
  }
}

class Listener {
  private readonly channel: Channel
  private readonly of: Subscription
  private queue: HubEvent[] = []
  private lost: 'yes' | 'no' = 'no'
  private busy = false
  private ended = false

  constructor(channel: Channel, of: Subscription) {
    this.channel = channel
    this.of = of
  }

  greet(): void {
    const { since, state } = this.of
    const missed = since === undefined ? null : this.channel.after(since)
    if (missed !== null) for (const event of missed) this.push(event)
    else if (since === undefined) this.push(this.event({ snapshot: state() }))
    else this.push(this.event({ resync: true, snapshot: state() }))
  }

  push(event: HubEvent): void {
    if (this.ended || this.lost === 'yes') return
    this.queue.push(event)
    if (this.queue.length > this.channel.limits.waiting) {
      this.queue = []
      this.lost = 'yes'
    }
    void this.pump()
  }

  end(): void {
    this.ended = true
    this.queue = []
    this.channel.listeners.delete(this)
  }

  /** One event after the other: a subscriber that takes its time is waited for, and nobody else. */
  private async pump(): Promise<void> {
    if (this.busy) return
    this.busy = true
    try {
      for (let event = this.next(); event !== undefined; event = this.next()) await this.of.on(event)
    } catch {
      this.end()
    }
    this.busy = false
  }

  private next(): HubEvent | undefined {
    if (this.ended) return undefined
    if (this.lost === 'no') return this.queue.shift()
    this.lost = 'no'
    return this.event({ resync: true, snapshot: this.of.state() })
  }

  private event(data: ChannelData): HubEvent {
    return { channel: this.channel.name, seq: this.channel.seq, data }
  }
}
