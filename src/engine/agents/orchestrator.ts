/**
 * The orchestrator as the path sees it: something that takes a turn when judgement is needed. Implemented in neo/,
 * handed in by whoever starts the daemon; without one, rules alone decide. Invariant 1: a trigger's key is kept in its
 * subject, so that no trigger wakes him twice.
 */
import type { ScopeAt, ScopeSpeaker } from '../../domain/policy/scope-types.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Trigger } from '../../domain/plan/trigger.ts'

/** Somebody speaks in a scope: one turn in that conversation, with the rights of the speaker. */
export interface ScopeTurn {
  readonly scope: Pick<ScopeAt, 'name' | 'keeps' | 'folder' | 'state'>
  readonly room: string
  readonly speaker: ScopeSpeaker
  /** Each with a key of its own for ever. */
  readonly messages: readonly Trigger[]
}

/** Conversations in scopes, each with a line of its own. */
export interface ScopeOrchestrator {
  /** Throws nothing that a model can cause. Nothing of it is told but the reply that it gives. */
  talk(turn: ScopeTurn, signal: AbortSignal): Promise<TurnResult>
  /** Closes the conversation after the turn that runs; the transcript stays. */
  renew(scope: ScopeTurn['scope']): Promise<void>
  /** Ends the answer that is being made there, if one is. */
  stop(scope: string): 'stopped' | 'idle'
  /** Transcripts that nothing is added to any more. */
  closed(scope: ScopeTurn['scope']): readonly ClosedFile[]
  /** Forgets what is held of it in memory, after the turn that runs: files were changed or taken away. */
  drop(scope: string): Promise<void>
}

export interface TurnResult {
  /** `done`: actions were taken, `reply` may be empty. `waits`: no model or budget now, wake him again later. */
  readonly kind: 'done' | 'waits'
  readonly reply: string
  /** Epoch ms from which to try again; for `waits`. */
  readonly retryAt?: number
  readonly why?: string
  /** Held by its own brake: a person's message ends the wait. */
  readonly brake?: 'yes'
}

export interface TurnTaker {
  /** One turn of one room's Neo over all triggers that came meanwhile. Throws nothing that a model can cause. */
  turn(room: string, triggers: readonly Trigger[], signal: AbortSignal): Promise<TurnResult>
  /** Transcripts that nothing is added to any more, to be moved into their rooms. */
  closed(): readonly ClosedFile[]
}

export interface ClosedFile {
  readonly room: string
  /** File name in `rooms/<room>/transcripts/`. */
  readonly name: string
  /** Where it lies now, absolute. */
  readonly path: string
}

/** What the daemon is given to think with: made over its Context, told of each round. */
export interface Orchestrator extends TurnTaker {
  /** Absent where nobody talks, and before it is loaded. */
  readonly scopes?: ScopeOrchestrator | undefined
  /**
   * After each round: clients hear what has changed, and what people approved is carried out. Gives how much was.
   * `hints`: paths that the round was told of; absent or `all` where it looked everywhere.
   */
  afterRound(snapshot: Snapshot, hints?: 'all' | ReadonlySet<string>): Promise<number>
  close(): void
}
