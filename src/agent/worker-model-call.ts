/** One answer of the model in a worker's session, and how the session ends without it. */

import type { ModelError } from '../domain/agent/model-retry.ts'
import { isoSecond } from '../files/values/times.ts'
import type { Model } from '../ports/model-port.ts'
import { type AgentDeps, abortedEnd } from '../runner/deps.ts'
import type { Ending } from '../runner/ending.ts'
import type { Run } from '../runner/run-step.ts'
import type { Answered } from './runtime/agent-loop.ts'
import { askModel, type Question } from './runtime/ask-model.ts'

export type AgentEnd = Ending | { readonly kind: 'left' }

/** A longer pause frees the session's slot. */
const LONGEST_PAUSE_MS = 10 * 60_000
/** After a trouble that passes and did not pass while it was waited for. */
const LATER_MS = 5 * 60_000

/** @param question `key` names the call within the session */
export async function askWorkerModel(
  { record, deps: { world, signal, on } }: Run,
  { deps, model }: { readonly deps: AgentDeps; readonly model: Model },
  { key, ...question }: Question & { readonly key: string },
): Promise<Answered<AgentEnd>> {
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
  if (asked.kind === 'reply' || asked.kind === 'overflow') return asked
  const ended = (): AgentEnd => {
    switch (asked.kind) {
      case 'over budget':
        return { kind: 'parked', by: 'budget', ...asked.spent }
      case 'paused':
        return parked(asked.error, world.clock.now() + asked.ms)
      case 'failed':
        return isPassing(asked.error)
          ? parked(asked.error, world.clock.now() + LATER_MS)
          : { kind: 'failed', why: 'model', error: `model: ${asked.error.message}`, tail: '' }
      case 'stopped':
        return abortedEnd(signal)
    }
  }
  return { kind: 'none', end: ended() }
}

function parked({ message }: ModelError, retryAt: number): AgentEnd {
  return { kind: 'parked', by: 'model', error: `model: ${message}`, retryAt: isoSecond(retryAt) }
}

/** Other failures need a person: they fail the attempt. */
function isPassing({ kind }: ModelError): boolean {
  return ['overloaded', 'server', 'network', 'cut', 'silent', 'rate'].includes(kind)
}
