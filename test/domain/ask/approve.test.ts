/** Who needs approval, and what an ask says at a time. */
import { expect, test } from 'vitest'
import type { AskFile } from '../../../src/domain/plan/snapshot.ts'
import { asked, needsApproval } from '../../../src/domain/ask/approve.ts'
import { AFTER, askFile, BEFORE, facts, NOW, newFile, taskFile } from '../../builders.ts'

test.each([
  ['human', false],
  ['schedule:nightly', false],
  ['member:m-1', false],
  ['neo', true],
  ['session:s-1', true],
  ['peer:p-1', true],
  ['editor', true],
])('needsApproval() of a task by %s is %s', (createdBy, needs) => {
  expect(needsApproval(taskFile('a', { neo: { createdBy } }))).toBe(needs)
})

test('needsApproval() takes a task without an author for a human’s', () => {
  expect(needsApproval(newFile('a'))).toBe(false)
})

const TASK = { task: 't-a' }
const EARLY = '2026-03-02T07:00:00Z'
const { expiresAt: _expires, ...ENDLESS } = askFile('a-1', TASK).ask

function verdict(
  asks: readonly AskFile[],
  hash: string | null = 'sha',
): readonly [string, string | undefined] {
  const askHashes = new Map(hash === null ? [] : asks.map(({ ask }) => [ask.id, hash]))
  const found = asked(taskFile('a'), asks, { tool: 'run_task', facts: facts({ askHashes }), now: NOW })
  return [found.verdict, found.ask?.ask.id]
}

/** Columns: decision, expires_at, decided_at, verdict. */
test.each([
  ['pending', AFTER, undefined, 'pending'],
  ['pending', new Date(NOW).toISOString(), undefined, 'expired'],
  ['pending', BEFORE, undefined, 'expired'],
  ['pending', undefined, undefined, 'pending'],
  ['approved', AFTER, BEFORE, 'approved'],
  ['approved', AFTER, undefined, 'approved'],
  ['approved', BEFORE, EARLY, 'approved'],
  ['approved', EARLY, BEFORE, 'expired'],
  ['approved', BEFORE, undefined, 'expired'],
  ['approved', undefined, undefined, 'approved'],
  ['denied', AFTER, BEFORE, 'denied'],
  ['denied', EARLY, BEFORE, 'denied'],
  ['denied', undefined, undefined, 'denied'],
] as const)('asked() of %s until %s, decided at %s, is %s', (decision, expiresAt, decidedAt, want) => {
  const until = expiresAt === undefined ? {} : { expiresAt }
  const at = decidedAt === undefined ? {} : { decidedAt }
  const ask = { ...askFile('a-1'), ask: { ...ENDLESS, ...TASK, decision, ...until, ...at } }
  expect(verdict([ask])).toEqual([want, 'a-1'])
})

test.each(['pending', 'approved', 'denied'] as const)(
  'asked() is changed when what %s names has',
  (decision) => {
    expect(verdict([askFile('a-1', { ...TASK, decision })], 'other')).toEqual(['changed', 'a-1'])
  },
)

test('asked() takes the decision as it is when nobody knows the present hash', () => {
  expect(verdict([askFile('a-1', { ...TASK, decision: 'approved' })], null)).toEqual(['approved', 'a-1'])
})

test('asked() is none when the asks are about another task or another tool', () => {
  expect(verdict([askFile('a-1', { task: 't-b' }), askFile('a-2', TASK, 'retry_task')])).toEqual([
    'none',
    undefined,
  ])
})

const DENIED = { ...TASK, decision: 'denied' } as const
const APPROVED = { ...TASK, decision: 'approved' } as const

/** Of two asks, in both orders, the one named `a-1` counts. */
test.each([
  ['open before handled', askFile('a-1', TASK), askFile('a-2', { ...APPROVED, handledAt: BEFORE })],
  ['decided before open', askFile('a-1', APPROVED), askFile('a-2', TASK)],
  ['decided before handled', askFile('a-1', DENIED), askFile('a-2', { ...APPROVED, handledAt: BEFORE })],
  [
    'the last of those handled',
    askFile('a-1', { ...DENIED, handledAt: BEFORE }),
    askFile('a-2', { ...APPROVED, handledAt: EARLY }),
  ],
])('asked() counts %s', (_rule, first, second) => {
  expect(verdict([first, second])[1]).toBe('a-1')
  expect(verdict([second, first])[1]).toBe('a-1')
})
