/**
 * One answer of the model in a turn of Neo; failures, waits and usage are in the conversation's transcript.
 */

import { askModel, type Question } from '../agent/runtime/ask-model.ts'
import type { Reply } from '../domain/agent/model-message.ts'
import type { Model } from '../ports/model-port.ts'
import type { Store } from './conversation-store.ts'
import type { NeoOptions } from './options.ts'

export type Answer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The conversation does not fit the window. */
  | { readonly kind: 'overflow' }
  /** `giveUp`: asking again soon would give the same. */
  | {
      readonly kind: 'waits'
      readonly why: string
      readonly retryAt: number | null
      readonly giveUp: boolean
    }
  | { readonly kind: 'stopped' }

export interface Asking {
  readonly room: string
  readonly model: Model
  readonly store: Store
  readonly signal: AbortSignal
  /** `reply`: shown as it streams; `fold`: not. */
  readonly purpose: 'reply' | 'fold'
}

export async function askNeoModel(options: NeoOptions, asking: Asking, question: Question): Promise<Answer> {
  const { room, model, store, signal, purpose } = asking
  const { clock } = options
  const turn = () => store.state().open?.id ?? ''
  const asked = await askModel(
    {
      model,
      clock,
      signal,
      // A rate limit ends the turn: the room is free for other messages in the meantime.
      longestPauseMs: 0,
      overBudget: () => {
        const budget = options.budget(room)
        return budget.ok ? null : budget
      },
      count: (estimate) => options.onCall(estimate, model.ref, room),
      onText: purpose === 'reply' && options.onText ? (text) => options.onText?.(room, text) : undefined,
      onFailure: ({ kind, message }, { do: after }) =>
        store.put('error', { turn: turn(), kind, text: message, after }),
      onWait: (ms, { message }) =>
        options.onStatus(room, 'thinking', `retrying in ${Math.ceil(ms / 1000)} s: ${message}`),
      onWaited: () => options.onStatus(room, 'thinking'),
    },
    question,
  )
  switch (asked.kind) {
    case 'reply': {
      const { input, cacheRead, cacheWrite, output, source } = asked.reply.usage
      const counts = { input, cache_read: cacheRead, cache_write: cacheWrite, output, source }
      store.put('usage', { turn: turn(), model: model.ref, purpose, ...counts })
      return asked.reply.stop === 'overflow' ? { kind: 'overflow' } : asked
    }
    case 'over budget':
      return { kind: 'waits', why: asked.spent.why, retryAt: asked.spent.retryAt, giveUp: false }
    case 'paused':
      return { kind: 'waits', why: asked.error.message, retryAt: clock.now() + asked.ms, giveUp: false }
    case 'failed':
      return { kind: 'waits', why: asked.error.message, retryAt: null, giveUp: true }
    case 'overflow':
    case 'stopped':
      return asked
  }
}
