/**
 * A channel as the bus sees it: something that can send, and show that an answer is being made. Invariant 1: a channel
 * never throws for what the other side does: that is a value. Invariant 2: each part of a message is announced on disk
 * before it leaves, and noted after.
 */
import type { Outbound, Place } from './channel-message.ts'

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
  /** True where a part was begun before and nobody knows whether it left. */
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
  busy?(place: Place): () => void
}
