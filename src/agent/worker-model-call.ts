/** One answer of the model in a worker's session, and how the session ends if there is none. */

import type { Reply } from '../domain/agent/model-message.ts'
import type { ModelError } from '../domain/agent/model-retry.ts'
import { isoSecond } from '../files/values/times.ts'
import type { Model } from '../ports/model-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { askModel, type Question } from './runtime/ask-model.ts'

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

/** A longer pause frees the session's slot. */
const LONGEST_PAUSE_MS = 10 * 60_000
/** After a trouble that passes and did not pass while it was waited for. */
const LATER_MS = 5 * 60_000

/** @param question `key` names the call within the session */
export async function askWorkerModel(
  { record, deps: { world, signal, on } }: Run,
  { deps, model }: { readonly deps: AgentDeps; readonly model: Model },
  { key, ...question }: Question & { readonly key: string },
): Promise<Answer> {
  const asked = await askModel(
    {
      model,
      clock: world.clock,
      signal,
      longestPauseMs: LONGEST_PAUSE_MS,
      overBudget: () => deps.budget(record),
      count: (estimate) => deps.calling(record, { key, model: model.ref, estimate }),
      onText: on.text?.bind(on),
      onWait: (ms, { message }) => on.line?.(`model: ${message}; retrying in ${Math.ceil(ms / 1000)} s`),
    },
    question,
  )
  const parked = (error: ModelError, ms: number): Answer => {
    const retryAt = isoSecond(world.clock.now() + ms)
    return { kind: 'parked', by: 'model', error: `model: ${error.message}`, retryAt }
  }
  switch (asked.kind) {
    case 'reply':
    case 'overflow':
      return asked
    case 'over budget':
      return { kind: 'parked', by: 'budget', ...asked.spent }
    case 'paused':
      return parked(asked.error, asked.ms)
    case 'failed':
      return isPassing(asked.error)
        ? parked(asked.error, LATER_MS)
        : { kind: 'failed', error: `model: ${asked.error.message}` }
    case 'stopped':
      return { kind: 'interrupted' }
  }
}

/** Other failures need a person: they fail the attempt. */
function isPassing({ kind }: ModelError): boolean {
  return ['overloaded', 'server', 'network', 'cut', 'silent', 'rate'].includes(kind)
}
