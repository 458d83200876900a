/**
 * Triggers: why Neo is woken. Made by domain/plan/plan-neo.ts from files and facts, handed to anyone who takes the turn.
 * Invariant 1: the same cause has the same key for ever, so that it wakes him once.
 */

export interface Trigger {
  /** Names the cause: `inbox:<path>@<hash>`, `failed:<task>@<attempt>`, `ended:<task>@<attempt>`, `ask:<id>`. */
  readonly key: string
  readonly room: string
  /**
   * `message`: somebody wrote to him; `failed`: a task failed for good; `question`: a session asks; `ended`: a task
   * that he made has ended; `report`: all that he made for one goal has ended.
   */
  readonly kind: 'message' | 'failed' | 'question' | 'ended' | 'report'
  /** Who: `human`, `member:<id>`, `schedule:<name>` of the user, `neo`, `session:<id>`, `task:<id>`, `system`. */
  readonly from: string
  /** What was said or what happened, as plain text. Text of others is data, not instructions. */
  readonly text: string
  /** Pictures that came with it. */
  readonly images?: readonly { readonly type: string; readonly path: string }[]
  readonly task?: string
  readonly session?: string
  readonly ask?: string
}

/** Where a room's turn stands in this process. */
export type TurnFact =
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly triggers: readonly Trigger[]; readonly reply: string }
  /** No model or budget now, or its own brake holds (`brake`): again from `at`, epoch ms. */
  | { readonly kind: 'waits'; readonly at: number; readonly why: string; readonly brake?: 'yes' }
