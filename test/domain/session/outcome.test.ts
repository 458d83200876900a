/** What the end of a session means for its task. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Merged, type Verdict, verdictOf, waitBefore } from '../../../src/domain/session/outcome.ts'
import type { CommandResult, Outcome } from '../../../src/domain/session/session.ts'
import { mayMove, type Task } from '../../../src/domain/task/task.ts'
import { AFTER, done, failed, NOW, task } from '../../builders.ts'

const BRANCH = 'neo/shop/a-1'
const CLEARED = { current_step: undefined, blocked: undefined, retry_at: undefined, error: undefined }
const SAVED: Merged = { kind: 'merged', commit: 'c2' }

function verdict(outcome: Outcome, over: Partial<Task> = {}, merged: Merged = SAVED): Verdict {
  return verdictOf(task(over), outcome, { merged, now: NOW, branch: BRANCH })
}

function check(exitCode: number | null): CommandResult {
  return { command: 'check', exitCode, ended: 'exit', tail: '', ms: 1 }
}

const MERGES: readonly Merged[] = [
  { kind: 'not-wanted' },
  SAVED,
  { kind: 'nothing' },
  { kind: 'waits', why: 'shop is being edited' },
  { kind: 'conflict', paths: ['a', 'b', 'c', 'd'] },
]

const COMPLETED = {
  status: 'completed',
  verb: 'complete',
  says: 'built',
  needsPerson: false,
  neo: {
    ...CLEARED,
    progress: 100,
    retries: undefined,
    completed_at: AFTER,
    result: 'built',
    branch: undefined,
  },
}

test.each(MERGES)('verdictOf() completes work that changed nothing when the merge is $kind', (merged) => {
  expect(verdict(done({ changed: 'no' }), {}, merged)).toEqual(COMPLETED)
})

test.each(MERGES.slice(1, 3))('verdictOf() completes work when the merge is $kind', (merged) => {
  expect(verdict(done(), {}, merged)).toEqual(COMPLETED)
})

test.each([
  ['not-wanted', MERGES[0], `${BRANCH} waits for review`, undefined, true],
  ['waits', MERGES[3], 'shop is being edited', 'shop is being edited', false],
  ['conflict', MERGES[4], 'merge conflicts in a, b, c', 'merge conflicts in a, b, c', true],
])('verdictOf() puts work in review when the merge is %s', (_kind, merged, says, error, needsPerson) => {
  const neo = { ...COMPLETED.neo, error, branch: BRANCH, completed_at: undefined }
  expect(verdict(done(), {}, merged)).toEqual({ status: 'review', verb: 'review', says, needsPerson, neo })
})

test('verdictOf() counts the checks that passed', () => {
  const verified = { at: AFTER, commands: 3, passed: 2 }
  const checks = [check(0), check(1), check(0)]
  expect(verdict(done({ checks })).neo).toMatchObject({ verified })
  expect(verdict(failed({ checks })).neo).toMatchObject({ verified })
})

test('verdictOf() fails a task that has no retry', () => {
  expect(verdict(failed())).toEqual({
    status: 'failed',
    verb: 'fail',
    says: 'step 1 gave 1',
    needsPerson: true,
    neo: { ...CLEARED, error: 'step 1 gave 1', branch: undefined, completed_at: AFTER },
  })
})

test.each([
  ['c1', 'c0', BRANCH],
  ['c0', 'c0', undefined],
  ['', 'c0', undefined],
  ['', '', undefined],
])('verdictOf() of a failure at %j from %j keeps branch %s', (commit, from, branch) => {
  expect(verdict(failed({ commit, from })).neo).toHaveProperty('branch', branch)
})

/** Columns: retry.max, tries so far, next try. */
test.each([
  [1, undefined, '2026-03-02T09:00:30Z'],
  [3, 1, '2026-03-02T09:01:00Z'],
  [3, 2, '2026-03-02T09:02:00Z'],
  [99, 50, '2026-03-03T09:00:00Z'],
])('verdictOf() tries again with retry.max %s after %s tries at %s', (max, retries, at) => {
  const neo = retries === undefined ? {} : { retries }
  expect(verdict(failed({ commit: 'c1' }), { retry: { max, backoffMs: 30_000 }, neo })).toEqual({
    status: 'pending',
    verb: 'retry',
    says: `step 1 gave 1; next attempt at ${at}`,
    needsPerson: false,
    neo: { ...CLEARED, error: 'step 1 gave 1', branch: undefined, retries: (retries ?? 0) + 1, retry_at: at },
  })
})

test.each(['step', 'setup', 'verify', 'timeout', 'hook'] as const)(
  'verdictOf() tries again after %s',
  (why) => {
    expect(verdict(failed({ why }), { retry: { max: 1, backoffMs: 0 } }).status).toBe('pending')
  },
)

test('verdictOf() tries no place again that cannot be had', () => {
  expect(verdict(failed({ why: 'place' }), { retry: { max: 1, backoffMs: 0 } }).status).toBe('failed')
})

test('verdictOf() fails when the retries are used up', () => {
  expect(verdict(failed(), { retry: { max: 2, backoffMs: 0 }, neo: { retries: 2 } }).status).toBe('failed')
})

const UNKNOWN: Outcome = {
  kind: 'unknown',
  step: 'send',
  error: 'nobody knows how "send" ended',
  endedAt: AFTER,
}

test.each([
  ['retry', 'pending', 'retry', false, {}],
  ['fail', 'failed', 'fail', true, { completed_at: AFTER }],
  ['ask', 'blocked', 'block', true, { blocked: 'interrupted' }],
] as const)(
  'verdictOf() of an unknown end with on_interrupt: %s is %s',
  (onInterrupt, status, verb, needs, keys) => {
    const said = verdict(UNKNOWN, { onInterrupt })
    expect(said).toMatchObject({ status, verb, needsPerson: needs })
    expect(said.says).toContain('nobody knows how "send" ended')
    expect(said.neo).toEqual({ ...CLEARED, error: 'nobody knows how "send" ended', ...keys })
  },
)

test('verdictOf() of a stopped session leaves the task to a person', () => {
  expect(verdict({ kind: 'stopped', why: 'neo stop', endedAt: AFTER })).toEqual({
    status: 'blocked',
    verb: 'stop',
    says: 'stopped: neo stop',
    needsPerson: false,
    neo: { ...CLEARED, error: 'stopped: neo stop', completed_at: AFTER },
  })
})

test('waitBefore() never falls with the number of tries, and is a day at most', () => {
  const wait = (backoffMs: number, tries: number) => waitBefore({ max: 99, backoffMs }, tries)
  fc.assert(
    fc.property(fc.nat(1e9), fc.nat(2000), (backoffMs, tries) => {
      expect(wait(backoffMs, tries + 1)).toBeGreaterThanOrEqual(wait(backoffMs, tries))
      expect(wait(backoffMs, tries)).toBeLessThanOrEqual(24 * 3_600_000)
    }),
  )
})

test('waitBefore() is nothing without a backoff, however many tries there were', () => {
  expect(waitBefore({ max: 9999, backoffMs: 0 }, 2000)).toBe(0)
})

const OUTCOMES = [done(), done({ changed: 'no' }), failed(), failed({ why: 'place' }), UNKNOWN] as const

test('verdictOf() moves a task only where mayMove() allows', () => {
  const anyTask = fc.record({
    onInterrupt: fc.constantFrom('retry' as const, 'ask' as const, 'fail' as const),
    retry: fc.record({ max: fc.nat(3), backoffMs: fc.nat(1e6) }),
  })
  fc.assert(
    fc.property(
      anyTask,
      fc.constantFrom(...OUTCOMES),
      fc.constantFrom(...MERGES),
      (over, outcome, merged) => {
        expect(mayMove('in_progress', verdict(outcome, over, merged).status)).toBe(true)
      },
    ),
  )
})
