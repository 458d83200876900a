/**
 * The orchestrator as the engine sees it: it takes a turn when judgement is needed. Implemented in src/orchestrator/ and
 * passed to the daemon. Without one, rules alone decide. The key of a handled trigger is saved with its subject, so that
 * no trigger wakes Neo twice.
 */

import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Trigger } from '../../domain/plan/decision.ts'
import type { ScopeAt, ScopeSpeaker } from '../../domain/policy/scope-types.ts'

/** One turn in a conversation, with the rights of the sender. */
export interface ScopeTurn {
  readonly scope: Pick<ScopeAt, 'name' | 'keeps' | 'folder' | 'state'>
  readonly room: string
  readonly speaker: ScopeSpeaker
  /** Each with a unique key. */
  readonly messages: readonly Trigger[]
}

/** Conversations with people; each runs one turn at a time. */
export interface ScopeOrchestrator {
  /** Throws nothing that a model can cause. Only the returned reply is shown. */
  talk(turn: ScopeTurn, signal: AbortSignal): Promise<TurnResult>
  /** Closes the conversation after the running turn; the transcript stays. */
  renew(scope: ScopeTurn['scope']): Promise<void>
  /** Stops the running turn, if any. */
  stop(scope: string): 'stopped' | 'idle'
  /** Complete transcripts. */
  closed(scope: ScopeTurn['scope']): readonly ClosedFile[]
  /** Drops it from memory after the running turn: its files were changed or removed. */
  drop(scope: string): Promise<void>
}

export interface TurnResult {
  /** `done`: `reply` may be empty. `waits`: no model or budget now; retry later. */
  readonly kind: 'done' | 'waits'
  readonly reply: string
  /** Epoch ms from which to try again; for `waits`. */
  readonly retryAt?: number
  readonly why?: string
  /** Too many turns: a message from a person ends the wait. */
  readonly brake?: 'yes'
}

export interface TurnTaker {
  /** One turn for a room over all its triggers. Throws nothing that a model can cause. */
  turn(room: string, triggers: readonly Trigger[], signal: AbortSignal): Promise<TurnResult>
  /** Complete transcripts, to be moved into their rooms. */
  closed(): readonly ClosedFile[]
}

export interface ClosedFile {
  readonly room: string
  /** File name in `rooms/<room>/transcripts/`. */
  readonly name: string
  /** Absolute path. */
  readonly path: string
}

/** Made over the daemon's Context. */
export interface Orchestrator extends TurnTaker {
  /** Absent without channels, and before it is loaded. */
  readonly scopes?: ScopeOrchestrator | undefined
  /** After each round: tells clients what has changed, and carries out approved calls; returns how many. */
  afterRound(snapshot: Snapshot): Promise<number>
  close(): void
}
