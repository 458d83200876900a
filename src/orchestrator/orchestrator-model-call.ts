/**
 * One answer of the model in a turn of Neo; failures, waits and usage are in the conversation's transcript.
 */

import type { Answered } from '../agent/runtime/agent-loop.ts'
import { askModel, type Question } from '../agent/runtime/ask-model.ts'
import type { TurnResult } from '../engine/agents/orchestrator.ts'
import type { Model } from '../ports/model-port.ts'
import type { Store } from './conversation-store.ts'
import type { NeoOptions } from './options.ts'

/** `giveUp`: the same would happen again soon; `asked`: a person was asked something. */
export type TurnEnd = TurnResult & { readonly giveUp?: 'yes'; readonly asked?: 'yes' }

export function waits(why: string, retryAt: number | null): TurnEnd {
  return { kind: 'waits', reply: '', why, ...(retryAt === null ? {} : { retryAt }) }
}

/** The abort reason if a person stops the answer: the turn ends, and is not continued. */
export const BY_PERSON = 'stopped by a person'

export interface Asking {
  readonly room: string
  readonly model: Model
  readonly store: Store
  readonly signal: AbortSignal
  /** `reply`: shown as it streams; `fold`: not. */
  readonly purpose: 'reply' | 'fold'
}

export async function askNeoModel(
  options: NeoOptions,
  asking: Asking,
  question: Question,
): Promise<Answered<TurnEnd | 'stopped'>> {
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
    case 'overflow':
      return asked
    case 'over budget':
      return { kind: 'none', end: waits(asked.spent.why, asked.spent.retryAt) }
    case 'paused':
      return { kind: 'none', end: waits(asked.error.message, clock.now() + asked.ms) }
    case 'failed':
      return { kind: 'none', end: { ...waits(asked.error.message, null), giveUp: 'yes' } }
    case 'stopped':
      return { kind: 'none', end: 'stopped' }
  }
}
