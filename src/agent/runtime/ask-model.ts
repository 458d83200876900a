/**
 * One answer of a model, for every caller: budget first, then the call, with waits that people see and a stop cuts
 * short. Invariants: 1. no call is made over a budget; 2. a call is counted before it is made, so that no kill hides it;
 * 3. text that streams is masked before it is shown.
 */

import type { Message, Reply, ToolSpec, Usage } from '../../domain/agent/model-message.ts'
import { type AfterModelError, afterModelError, ModelError } from '../../domain/agent/model-retry.ts'
import { estimateOf, mayHaveUsed } from '../../domain/budget/price.ts'
import { redactStream } from '../../domain/secrets/redact.ts'
import type { Model, ModelRequest } from '../../ports/model-port.ts'
import type { Clock } from '../../ports/world.ts'

export interface Question {
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
}

/** How a counted call ends; the estimate holds until one of these is called. */
export interface CountedCall {
  used(usage: Usage): void
  /** The server refused the call before it used anything. */
  nothing(): void
}

/** What differs between callers. @typeParam Spent why a budget allows no call, in the caller's own form */
export interface Asking<Spent> {
  readonly model: Model
  readonly clock: Pick<Clock, 'after'>
  readonly signal: AbortSignal
  /** Milliseconds: a longer pause ends the call, a shorter one is waited for here. */
  readonly longestPauseMs: number
  /** Null: the call may be made. Asked before each try. */
  overBudget(): Spent | null
  count(estimate: Usage): CountedCall
  /** Text as it streams; absent: it is not streamed. */
  readonly onText?: ((text: string) => void) | undefined
  /** After each failure, before anything follows from it. */
  onFailure?(error: ModelError, next: AfterModelError): void
  onWait(ms: number, error: ModelError): void
  onWaited?(): void
}

export type Asked<Spent> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The conversation does not fit: fold it, then ask again. */
  | { readonly kind: 'overflow' }
  | { readonly kind: 'over budget'; readonly spent: Spent }
  /** The limit of the server resets in `ms`. */
  | { readonly kind: 'paused'; readonly error: ModelError; readonly ms: number }
  /** Asking again now would give the same. */
  | { readonly kind: 'failed'; readonly error: ModelError }
  | { readonly kind: 'stopped' }

/** Throws only errors that are not the model's. */
export async function askModel<Spent>(asking: Asking<Spent>, question: Question): Promise<Asked<Spent>> {
  for (let tries = 1; ; tries++) {
    if (asking.signal.aborted) return { kind: 'stopped' }
    const spent = asking.overBudget()
    if (spent !== null) return { kind: 'over budget', spent }
    const counted = asking.count(estimateOf(question))
    try {
      const reply = await call(asking, question)
      counted.used(reply.usage)
      return { kind: 'reply', reply }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (!mayHaveUsed(error.kind)) counted.nothing()
      const end = await afterFailure(asking, error, tries)
      if (end !== null) return end
    }
  }
}

async function call(
  { model, signal, onText }: Pick<Asking<unknown>, 'model' | 'signal' | 'onText'>,
  question: Question,
): Promise<Reply> {
  if (onText === undefined) return await model.call({ ...question, signal })
  const shown = redactStream(onText)
  const request: ModelRequest = { ...question, signal, onText: (delta) => shown.push(delta) }
  const reply = await model.call(request)
  shown.end()
  return reply
}

/** Null: ask again now. */
async function afterFailure<Spent>(
  asking: Asking<Spent>,
  error: ModelError,
  tries: number,
): Promise<Exclude<Asked<Spent>, { kind: 'reply' }> | null> {
  if (error.kind === 'aborted' || asking.signal.aborted) return { kind: 'stopped' }
  const { retryAfterMs } = error.more
  const told = retryAfterMs === undefined ? {} : { retryAfterMs }
  const next = afterModelError({ kind: error.kind, ...told }, tries)
  asking.onFailure?.(error, next)
  if (error.kind === 'overflow') return { kind: 'overflow' }
  if (next.do === 'compact' || next.do === 'give up') return { kind: 'failed', error }
  if (next.do === 'pause' && next.ms > asking.longestPauseMs) return { kind: 'paused', error, ms: next.ms }
  asking.onWait(next.ms, error)
  await sleep(asking, next.ms)
  asking.onWaited?.()
  return null
}

/** Ends early if the signal is aborted. */
function sleep({ clock, signal }: Pick<Asking<unknown>, 'clock' | 'signal'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done)
  })
}
