/**
 * The port of a channel: it sends messages and can show that an answer is being written. Ids of chats, threads and accounts
 * are its own: any text without blanks and colons; the id of a private chat is the id of its account. Invariant 1: what the
 * other side does is a value, never thrown. Invariant 2: each part of a message is announced before it leaves and noted after.
 */

import type { Trigger } from '../domain/plan/decision.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import type { Context } from '../engine/context.ts'
import type { Hub } from '../hub/hub.ts'
import type { Clock } from '../ports/world.ts'
import type { Queue } from '../store/durable-queue.ts'
import type { Held, Inbound, Outbound, Place } from './channel-message.ts'

export type Sent =
  | { readonly kind: 'sent' }
  /** Not now: again after `afterMs`, or after a pause that grows; `why` is shown where people look for troubles. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs?: number }
  /** Never to this place: blocked, kicked, no such chat. */
  | { readonly kind: 'never'; readonly why: string }

/** How far a message of several parts has come. */
export interface Progress {
  /** Parts that have left. */
  readonly sent: number
  /** True if a part was begun before and it is unknown whether it left. */
  readonly unsure: boolean
  begin(part: number): void
  /** It certainly did not leave. */
  undone(part: number): void
  did(part: number): void
}

export interface Channel {
  readonly name: string
  send(message: Outbound, progress: Progress, signal: AbortSignal): Promise<Sent>
  /** Shows that an answer is being made, until the function that it gives is called. */
  busy(place: Place): () => void
}

/** Carries a command out and puts its answer; called again with the same message after a kill. */
export type Commands = (message: Inbound) => Promise<void>

export interface MessageQueues {
  /** It survives this process when it returns, and the machine when `kept` resolves: many are kept at once. */
  accept(message: Inbound): 'new' | 'known'
  kept(): Promise<void>
  /** Whether a message of this key was accepted before. */
  has(key: string): boolean
  put(message: Outbound): 'new' | 'known'
  /** Messages that wait for their files. */
  readonly held: Queue<Held>
  /** Lets a channel send and be answered. Returns what detaches it. */
  attach(channel: Channel, commands: Commands): () => Promise<void>
  /** Triggers of a room, with the images of its messages. */
  pictured(triggers: readonly Trigger[]): readonly Trigger[]
  /** Called after each round, for notices and ends of tasks. */
  saw(snapshot: Snapshot): void
  /** What was seen last. */
  seen(): Snapshot | null
  /** What waits in both directions. */
  counts(): { readonly inbound: number; readonly outbound: number }
  close(): Promise<void>
}

/** What a channel is opened with. */
export interface ChannelOptions {
  readonly context: Context
  readonly hub: Pick<Hub, 'call'>
  readonly queues: MessageQueues
  /** What is wrong with receiving; `null`: it works again. */
  readonly trouble: (why: string | null) => void
}

/** Returns what closes it. A change of its settings counts without opening it again. */
export type OpenChannel = (options: ChannelOptions) => () => Promise<void>

interface Typing {
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** True while a turn may be about this message: false without a model, in a paused room, while Neo holds back. */
  readonly isWorked: () => boolean
  /** Shows it until what it gives is called. */
  readonly show: () => () => void
}

const LOOK_MS = 4_000
/** A turn begins a moment after its message; one that has not begun by then waits for something. */
const BEGINS_MS = 15_000
/** Longer than any answer that somebody sits and waits for. */
const LONGEST_MS = 10 * 60_000

export function showTyping({ clock, isWorked, show }: Typing): () => void {
  const began = clock.now()
  let seen = began
  const idle = show()
  let forget = (): void => {}
  const end = (): void => {
    forget()
    idle()
  }
  const check = (): void => {
    const now = clock.now()
    if (isWorked()) seen = now
    if (now - seen > BEGINS_MS || now - began > LONGEST_MS) end()
    else forget = clock.after(LOOK_MS, check)
  }
  forget = clock.after(LOOK_MS, check)
  return end
}
