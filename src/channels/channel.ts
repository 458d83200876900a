/**
 * The port of a channel: it sends messages and can show that an answer is being written. Ids of chats, threads and accounts
 * are its own: any text without blanks and colons; the id of a private chat is the id of its account. Invariant 1: what the
 * other side does is a value, never thrown. Invariant 2: each part of a message is announced before it leaves and noted after.
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
  busy?(place: Place): () => void
}
