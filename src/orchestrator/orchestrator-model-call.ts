/**
 * One answer of a model, with the waits that its troubles need. Invariant 1: budget is asked before each call, and each
 * call is counted before it is made, so that no kill hides it. Invariant 2: waits are shown, and end at once when the
 * signal is aborted.
 */
import type { Message, Reply, ToolSpec } from '../domain/agent/model-message.ts'
import { ModelError } from '../domain/agent/model-error.ts'
import { estimateOf, mayHaveUsed } from '../domain/budget/estimate-cost.ts'
import { afterModelError } from '../domain/agent/model-retry.ts'
import { redactStream } from '../domain/secrets/redact-stream.ts'
import type { Clock } from '../ports/world.ts'
import type { Model } from '../ports/agent-port.ts'
import type { NeoOptions } from './options.ts'
import type { Store } from './conversation-store.ts'

export type Answer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The conversation does not fit the window. */
  | { readonly kind: 'overflow' }
  /** `giveUp`: asking again soon would give the same. */
  | {
      readonly kind: 'waits'
      readonly why: string
      readonly retryAt: number | null
      readonly giveUp: 'yes' | 'no'
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

export interface Question {
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
}

export async function askModel(options: NeoOptions, asking: Asking, question: Question): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    if (asking.signal.aborted) return { kind: 'stopped' }
    const budget = options.budget(asking.room)
    if (!budget.ok) return { kind: 'waits', why: budget.why, retryAt: budget.retryAt, giveUp: 'no' }
    const counted = options.onCall(estimateOf(question), asking.model.ref, asking.room)
    try {
      const reply = await call(options, asking, question)
      counted.used(reply.usage)
      return replied(asking, reply)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (!mayHaveUsed(error.kind)) counted.nothing()
      const after = await afterTrouble(options, asking, { error, tries })
      if (after !== null) return after
    }
  }
}

/** What streams in is masked before it is shown. */
async function call(options: NeoOptions, asking: Asking, question: Question): Promise<Reply> {
  const { model, signal, room, purpose } = asking
  const { onText } = options
  const streams = purpose === 'reply' && onText !== undefined
  if (!streams) return await model.call({ ...question, signal })
  const shown = redactStream((text) => onText.call(options, room, text))
  const reply = await model.call({ ...question, signal, onText: (delta) => shown.push(delta) })
  shown.end()
  return reply
}

function replied({ model, store, purpose }: Asking, reply: Reply): Answer {
  const { input, cacheRead, cacheWrite, output, source } = reply.usage
  const counts = { input, cache_read: cacheRead, cache_write: cacheWrite, output, source }
  store.put('usage', { turn: store.state().open?.id ?? '', model: model.ref, purpose, ...counts })
  return reply.stop === 'overflow' ? { kind: 'overflow' } : { kind: 'reply', reply }
}

/** null: ask again now. */
async function afterTrouble(
  options: NeoOptions,
  { room, store, signal }: Asking,
  { error, tries }: { readonly error: ModelError; readonly tries: number },
): Promise<Answer | null> {
  if (error.kind === 'aborted' || signal.aborted) return { kind: 'stopped' }
  const { retryAfterMs } = error.more
  const act = afterModelError(
    { kind: error.kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    tries,
  )
  store.put('error', {
    turn: store.state().open?.id ?? '',
    kind: error.kind,
    text: error.message,
    after: act.do,
  })
  switch (act.do) {
    case 'wait':
      options.onStatus(room, 'thinking', `retrying in ${Math.ceil(act.ms / 1000)} s: ${error.message}`)
      await sleep(options.clock, act.ms, signal)
      options.onStatus(room, 'thinking')
      return null
    case 'pause':
      return { kind: 'waits', why: error.message, retryAt: options.clock.now() + act.ms, giveUp: 'no' }
    case 'compact':
      return { kind: 'overflow' }
    case 'give up':
      return error.kind === 'overflow'
        ? { kind: 'overflow' }
        : { kind: 'waits', why: error.message, retryAt: null, giveUp: 'yes' }
  }
}

/** Ends early where the signal is aborted. */
function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
