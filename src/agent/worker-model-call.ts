/**
 * One answer of the model: budget first, then the call, with waits that people can see and a stop can cut short.
 * Invariant 1: no call is made over a budget. Invariant 2: a call is counted before it is made, so no kill hides it.
 */
import { isoSecond } from '../files/values/times.ts'
import type { Message, Reply, ToolSpec } from '../domain/agent/model-message.ts'
import { ModelError } from '../domain/agent/model-error.ts'
import { estimateOf, mayHaveUsed } from '../domain/budget/estimate-cost.ts'
import { afterModelError } from '../domain/agent/model-retry.ts'
import { redactStream } from '../domain/secrets/redact-stream.ts'
import type { Model, ModelRequest } from '../ports/agent-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'

export type Answer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The conversation does not fit: fold it, then ask again. */
  | { readonly kind: 'overflow' }
  | {
      readonly kind: 'parked'
      readonly by: 'budget' | 'model'
      readonly error: string
      readonly retryAt?: string
    }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'interrupted' }

export interface Question {
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  /** Names the call within the session. */
  readonly key: string
}

/** A pause up to this is waited for here; a longer one frees the slot. */
const LONGEST_PAUSE_MS = 10 * 60_000

export async function askModel(
  run: Run,
  of: { deps: AgentDeps; model: Model },
  question: Question,
): Promise<Answer> {
  const { signal, on } = run.deps
  for (let tries = 1; ; tries++) {
    if (signal.aborted) return { kind: 'interrupted' }
    const spent = of.deps.budget(run.record)
    if (spent !== null) return { kind: 'parked', by: 'budget', ...spent }
    const { key, ...request } = question
    const estimate = estimateOf(request)
    const counted = of.deps.calling(run.record, { key, model: of.model.ref, estimate })
    const shown = streamed(run)
    try {
      const reply = await of.model.call({ ...request, signal, ...shown.asked })
      shown.end()
      counted.used(reply.usage)
      return { kind: 'reply', reply }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (!mayHaveUsed(error.kind)) counted.nothing()
      if (error.kind === 'aborted') return { kind: 'interrupted' }
      const next = afterModelError({ kind: error.kind, ...retryAfter(error) }, tries)
      if (next.do === 'compact') return { kind: 'overflow' }
      if (next.do === 'give up') return givenUp(error, run)
      if (next.ms > LONGEST_PAUSE_MS) return parked(error, run, next.ms)
      on.line?.(`model: ${error.message}; retrying in ${Math.ceil(next.ms / 1000)} s`)
      await pause(run, next.ms)
    }
  }
}

/** What streams in is masked before it is shown. */
function streamed({ deps }: Run): { readonly asked: Pick<ModelRequest, 'onText'>; end(): void } {
  const { text } = deps.on
  if (text === undefined) return { asked: {}, end: () => {} }
  const stream = redactStream(text)
  return { asked: { onText: (delta) => stream.push(delta) }, end: () => stream.end() }
}

function retryAfter({ more }: ModelError): { readonly retryAfterMs?: number } {
  return more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs }
}

/** What passes by is tried again later; what a person has to mend fails the attempt. */
function givenUp(error: ModelError, run: Run): Answer {
  const passing = ['overloaded', 'server', 'network', 'cut', 'silent', 'rate'].includes(error.kind)
  return passing ? parked(error, run, LATER_MS) : { kind: 'failed', error: `model: ${error.message}` }
}

const LATER_MS = 5 * 60_000

function parked(error: ModelError, { deps }: Run, ms: number): Answer {
  const retryAt = isoSecond(deps.world.clock.now() + ms)
  return { kind: 'parked', by: 'model', error: `model: ${error.message}`, retryAt }
}

/** Ends early when the session is stopped or left. */
function pause({ deps }: Run, ms: number): Promise<void> {
  const { signal, world } = deps
  return new Promise((resolve) => {
    const over = () => {
      cancel()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const cancel = world.clock.after(ms, over)
    if (signal.aborted) over()
    else signal.addEventListener('abort', over)
  })
}
