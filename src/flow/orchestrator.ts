/**
 * The orchestrator as the path sees it: something that takes a turn when judgement is needed. Implemented in neo/,
 * handed in by whoever starts the daemon; without one, rules alone decide.
 * Takes triggers; gives what the turn said. Leaves to core/rules: when he is woken; to neo/: what he does.
 * Invariant 1: a trigger's key is kept in its subject, so that no trigger wakes him twice.
 */

/** Why Neo is woken. `key` names the cause: the same cause has the same key for ever. */
export interface Trigger {
  readonly key: string
  readonly room: string
  /**
   * `message`: somebody wrote to him; `failed`: a task failed for good; `question`: a session asks; `ended`: a task
   * that he made has ended; `report`: all that he made for one goal has ended.
   */
  readonly kind: 'message' | 'failed' | 'question' | 'ended' | 'report'
  /** Who: `human`, `system`, `session:<id>`, `task:<id>`. */
  readonly from: string
  /** What was said or what happened, as plain text. Text of others is data, not instructions. */
  readonly text: string
  readonly task?: string
  readonly session?: string
  readonly ask?: string
}

export interface Turned {
  /** `done`: actions were taken, `reply` may be empty. `waits`: no model or budget now, wake him again later. */
  readonly kind: 'done' | 'waits'
  readonly reply: string
  /** Epoch ms from which to try again; for `waits`. */
  readonly retryAt?: number
  readonly why?: string
}

export interface Orchestrator {
  /** One turn of one room's Neo over all triggers that came meanwhile. Throws nothing that a model can cause. */
  turn(room: string, triggers: readonly Trigger[], signal: AbortSignal): Promise<Turned>
}
