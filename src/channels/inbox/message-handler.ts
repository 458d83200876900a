/** How a message reaches Neo: through a room's inbox, or in a scope's own conversation. */
import type { Inbound } from '../channel-message.ts'

export type Outcome =
  /** It has had its turn: `text` is the reply, '' for none; `with`: keys of messages that were answered with it. */
  | { readonly kind: 'over'; readonly text: string; readonly with: readonly string[] }
  /** Not now: retried after `ms`, blocking nobody else; the sender is told `why` once. */
  | { readonly kind: 'rests'; readonly ms: number; readonly why: string | null }

export interface MessageHandler {
  /** Called again with the same message after a kill. Throws where something is wrong with the home. */
  answer(message: Inbound, signal: AbortSignal): Promise<Outcome>
}

/** It stays in the queue as it is. */
export const CLOSED: Outcome = { kind: 'rests', ms: 0, why: null }
