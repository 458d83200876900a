/**
 * A road on which a message comes before Neo: through a room's inbox, or into a scope's own conversation.
 */
import type { Inbound } from '../channel-message.ts'

export type Outcome =
  /** It has had its turn: `text` is the reply, '' for none; `with`: keys of messages that were answered with it. */
  | { readonly kind: 'over'; readonly text: string; readonly with: readonly string[] }
  /** Not now: again after `ms`, without holding up anybody; `why` is told to whoever said it, once. */
  | { readonly kind: 'rests'; readonly ms: number; readonly why: string | null }

export interface Road {
  /** Called again with the same message after a kill. Throws where something is wrong with the home. */
  answer(message: Inbound, signal: AbortSignal): Promise<Outcome>
}

/** It stays in the queue as it is. */
export const CLOSED: Outcome = { kind: 'rests', ms: 0, why: null }
