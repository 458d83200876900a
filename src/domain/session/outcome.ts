/** What the outcome of a session means for its task. */
import type { Outcome } from './session.ts'
import type { Retry, Task, TaskStatus } from '../task/task.ts'
import { grownWait } from '../text/grown-wait.ts'

export type Merged =
  | { readonly kind: 'not-wanted' }
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'waits'; readonly why: string }
  /** Only a person merges it; `why` completes "it …". */
  | { readonly kind: 'guarded'; readonly why: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

/** A value for a key of the `neo:` block; undefined removes the key. */
export type NeoKeys = Readonly<Record<string, NeoValue | undefined>>
type NeoValue = string | number | { readonly [key: string]: string | number }

export interface Verdict {
  readonly status: TaskStatus
  readonly neo: NeoKeys
  /** For the commit's subject: `complete`, `fail`, … */
  readonly verb: string
  /** One line: the result, the error or what it waits for. */
  readonly says: string
  readonly needsPerson: boolean
}

/** Keys to remove at the end of an attempt. */
const ATTEMPT_ENDS: NeoKeys = {
  current_step: undefined,
  blocked: undefined,
  retry_at: undefined,
  error: undefined,
}

/**
 * @param now epoch ms, for the time of the next try
 * @param branch the session's branch
 */
export function verdictOf(
  task: Task,
  outcome: Outcome,
  how: { merged: Merged; now: number; branch: string },
): Verdict {
  switch (outcome.kind) {
    case 'done':
      return done(outcome, how)
    case 'failed':
      return failed(task, outcome, how)
    case 'parked':
      return parked(outcome, how.branch)
    case 'unknown':
      return unknown(task, outcome)
    case 'stopped':
      return {
        status: 'blocked',
        neo: { ...ATTEMPT_ENDS, error: `stopped: ${outcome.why}`, completed_at: outcome.endedAt },
        verb: 'stop',
        says: `stopped: ${outcome.why}`,
        needsPerson: false,
      }
  }
}

function done(outcome: Extract<Outcome, { kind: 'done' }>, how: { merged: Merged; branch: string }): Verdict {
  const checks = outcome.checks.length === 0 ? {} : verified(outcome)
  const ended: NeoKeys = {
    ...ATTEMPT_ENDS,
    progress: 100,
    retries: undefined,
    completed_at: outcome.endedAt,
    result: outcome.result,
    ...checks,
  }
  const completed: Verdict = {
    status: 'completed',
    neo: { ...ended, branch: undefined },
    verb: 'complete',
    says: outcome.result,
    needsPerson: false,
  }
  if (outcome.changed === 'no') return completed
  if (outcome.unchecked !== undefined) {
    const hold = `${outcome.unchecked}: check the work, then run neo review accept`
    return inReview({ ...ended, branch: how.branch, error: hold, hold: outcome.unchecked }, hold)
  }
  const { merged } = how
  switch (merged.kind) {
    case 'merged':
    case 'nothing':
      return completed
    case 'not-wanted':
      return inReview({ ...ended, branch: how.branch }, `${how.branch} waits for review`)
    case 'waits':
      return {
        ...inReview({ ...ended, branch: how.branch, error: merged.why }, merged.why),
        needsPerson: false,
      }
    case 'guarded': {
      const why = `it ${merged.why}: check the work, then run neo review accept`
      return inReview({ ...ended, branch: how.branch, error: why, hold: merged.why }, why)
    }
    case 'conflict': {
      const why = `merge conflicts in ${merged.paths.slice(0, 3).join(', ')}`
      return inReview({ ...ended, branch: how.branch, error: why }, why)
    }
  }
}

function inReview(neo: NeoKeys, says: string): Verdict {
  return {
    status: 'review',
    neo: { ...neo, completed_at: undefined },
    verb: 'review',
    says,
    needsPerson: true,
  }
}

function verified(outcome: Extract<Outcome, { kind: 'done' | 'failed' }>): NeoKeys {
  const passed = outcome.checks.filter((check) => check.exitCode === 0).length
  return { verified: { at: outcome.endedAt, commands: outcome.checks.length, passed } }
}

function failed(
  task: Task,
  outcome: Extract<Outcome, { kind: 'failed' }>,
  how: { now: number; branch: string },
): Verdict {
  const kept = outcome.commit === outcome.from || outcome.commit === '' ? undefined : how.branch
  const checks = outcome.checks.length === 0 ? {} : verified(outcome)
  const retries = task.neo.retries ?? 0
  const base: NeoKeys = { ...ATTEMPT_ENDS, error: outcome.error, ...checks }
  if (outcome.why !== 'place' && retries < task.retry.max) {
    const at = new Date(how.now + waitBefore(task.retry, retries)).toISOString().replace(/\.\d+Z$/, 'Z')
    const neo = { ...base, branch: undefined, retries: retries + 1, retry_at: at }
    return {
      status: 'pending',
      neo,
      verb: 'retry',
      says: `${outcome.error}; next attempt at ${at}`,
      needsPerson: false,
    }
  }
  return {
    status: 'failed',
    neo: { ...base, branch: kept, completed_at: outcome.endedAt },
    verb: 'fail',
    says: outcome.error,
    needsPerson: true,
  }
}

/** Continues by itself at a time, or when the budget allows it. The work stays on its branch. */
function parked(outcome: Extract<Outcome, { kind: 'parked' }>, branch: string): Verdict {
  const { error, by, retryAt } = outcome
  const kept = outcome.commit === outcome.from || outcome.commit === '' ? undefined : branch
  // Each look checks the budget again: it may be raised before it resets.
  const neo: NeoKeys = {
    ...ATTEMPT_ENDS,
    error,
    branch: kept,
    retry_at: by === 'model' ? retryAt : undefined,
  }
  const later = retryAt === undefined ? error : `${error}; continues at ${retryAt}`
  if (by === 'model') return { status: 'pending', neo, verb: 'pause', says: later, needsPerson: false }
  return {
    status: 'blocked',
    neo: { ...neo, blocked: by },
    verb: 'block',
    says: error,
    needsPerson: true,
  }
}

/** At most a day, so that a large `max` doesn't delay the next try for too long. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/** Doubled for each try: 30 s, 60 s, 120 s, … */
export function waitBefore(retry: Retry, triesSoFar: number): number {
  return grownWait({ first: retry.backoffMs, most: LONGEST_WAIT_MS }, triesSoFar + 1)
}

function unknown(task: Task, outcome: Extract<Outcome, { kind: 'unknown' }>): Verdict {
  const neo: NeoKeys = { ...ATTEMPT_ENDS, error: outcome.error }
  switch (task.onInterrupt) {
    case 'retry':
      return {
        status: 'pending',
        neo,
        verb: 'retry',
        says: `${outcome.error}; runs again`,
        needsPerson: false,
      }
    case 'fail':
      return {
        status: 'failed',
        neo: { ...neo, completed_at: outcome.endedAt },
        verb: 'fail',
        says: outcome.error,
        needsPerson: true,
      }
    case 'ask':
      return {
        status: 'blocked',
        neo: { ...neo, blocked: 'interrupted' },
        verb: 'block',
        says: outcome.error,
        needsPerson: true,
      }
  }
}
