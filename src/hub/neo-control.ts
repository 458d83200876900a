/**
 * Neo as the hub sees him: who takes what is said in a room, and whose conversation can be looked at and tidied.
 * Implemented in neo/, handed to openHub; without one the hub says that nobody listens.
 * Invariant 1: `say` returns when the message is kept and will get its turn, not when the turn is over.
 */

import type { ScopeSpeaker } from '../domain/policy/scope-types.ts'

export interface ConversationMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** ISO 8601 UTC. */
  readonly timestamp: string
  readonly tokenCount: number
  readonly sessionId?: string
  readonly taskId?: string
}

export interface ConversationView {
  readonly messages: readonly ConversationMessage[]
  readonly totalTokens: number
  readonly lastCompactedAt: string | null
  readonly status: 'idle' | 'thinking' | 'waiting_for_input'
  readonly currentTaskId: string | null
  readonly currentSessionId: string | null
}

export interface Sayer {
  /** `human`, `member:<id>`, `neo:<room>`, `session:<id>` */
  readonly from: string
  /** For whom it is said, where that is not the same: their rights hold. No file in git tells it. */
  readonly speakers: readonly ScopeSpeaker[]
}

export interface NeoControl {
  say(room: string, content: string, by: Sayer): Promise<void>
  context(room: string): ConversationView
  /** Folds older messages into the summary. */
  compact(room: string): Promise<void>
  /** Closes the conversation and begins a new one; the transcript stays. */
  clear(room: string): Promise<void>
  /** Ends the answer that he is making, if he is: what he has said and done so far stays. */
  stop(room: string): 'stopped' | 'idle'
}

/** What a room shows where no Neo is. */
export const SILENT: ConversationView = {
  messages: [],
  totalTokens: 0,
  lastCompactedAt: null,
  status: 'idle',
  currentTaskId: null,
  currentSessionId: null,
}
