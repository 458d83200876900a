/**
 * What Neo needs from outside, and what it reports. Invariant 1: all changes of the home go through the hub; `files` is
 * for its own transcripts and for reading texts.
 */

import type { CountedCall } from '../agent/runtime/ask-model.ts'
import type { Usage } from '../domain/agent/model-message.ts'
import type { HomeConfig } from '../domain/home/home-config.ts'
import type { Hub, Sayer } from '../hub/hub.ts'
import type { Files } from '../ports/files-port.ts'
import type { Models } from '../ports/model-port.ts'
import type { Clock } from '../ports/world.ts'

export type NeoStatus = 'idle' | 'thinking' | 'waiting_for_input'

export type BudgetState =
  | { readonly ok: true }
  /** `retryAt`: epoch ms; null if a person has to raise it. */
  | { readonly ok: false; readonly why: string; readonly retryAt: number | null }

export interface NeoOptions {
  readonly hub: Pick<Hub, 'call'>
  readonly models: Pick<Models, 'open'>
  readonly files: Files
  readonly clock: Clock
  /** `<git dir>/neo`. */
  readonly dir: string
  readonly home: string
  /** The configuration in force. */
  config(): HomeConfig
  /** Asked before each call of a model. */
  budget(room: string): BudgetState
  /** Puts a message into a room's inbox, durably, and sees to its turn. */
  keep(room: string, content: string, by: Sayer): Promise<void>
  /** A report or a question to the people of a room: its channel, and notices. */
  say(room: string, what: 'report' | 'question', text: string): Promise<void>
  /** Counts a call of a model by an estimate before it is made, folds included. */
  onCall(estimate: Usage, model: string, room: string): CountedCall
  /** `note` says what it waits for. */
  onStatus(room: string, status: NeoStatus, note?: string): void
  /** Text of the reply as it streams. */
  onText?(room: string, delta: string): void
  /** An action has ended: it, and the words before it, are in the transcript. */
  onAction?(room: string): void
}
