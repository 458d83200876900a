/** What a program or server prints about a limit, and until when its task waits. */
import { expect, test } from 'vitest'
import { isBusy } from '../../../src/agent/program/exec-busy.ts'
import { rateLimited } from '../../../src/agent/program/limit-pause.ts'

const NOW = Date.parse('2026-03-02T09:00:00Z')
type Run = Parameters<typeof rateLimited>[0]
const run = (zone?: string) =>
  ({
    deps: { world: { clock: { now: () => NOW } }, env: zone === undefined ? {} : { TZ: zone } },
  }) as unknown as Run

function minutes(words: string, of: { resetsAt?: number | null; zone?: string } = {}): number {
  const ending = rateLimited(run(of.zone), words, of.resetsAt ?? null)
  if (ending.kind !== 'parked' || ending.by !== 'model') throw new Error('not parked by its model')
  return (Date.parse(String((ending as { retryAt?: string }).retryAt)) - NOW) / 60_000
}

test.each<[string, number]>([
  ['', 15],
  ['usage limit reached', 15],
  ['try again in 20 minutes', 20],
  ['You have hit your limit. It resets at 13:30', 270],
  // In the morning or in the evening?
  ['You have hit your limit. It resets at 11:30', 15],
  ['limit resets in 2 hours and 5 minutes', 125],
  ['retry-after: 90', 1.5],
  ['resets 3pm (Europe/Berlin)', 300],
  ['resets at 2026-03-02T10:00:00Z', 60],
  ['usage limit reached|1772445600', 60],
  // Not plausible: a year, a time long past.
  ['try again in 400 days', 15],
  ['resets at 2026-02-01T10:00:00Z', 15],
])('after %j its task waits %d minutes', (words, wait) => {
  expect(minutes(words)).toBe(wait)
})

test('a clock without a zone is the one of the machine', () => {
  expect(minutes('resets at 15:00', { zone: 'Europe/Berlin' })).toBe(300)
  expect(minutes('resets at 15:00', { zone: 'UTC' })).toBe(360)
})

test.each<[string, number, number]>([
  ['is taken before the words', NOW + 600_000, 10],
  ['has just passed: a moment', NOW - 30_000, 2 / 60],
  ['is now: a moment', NOW, 2 / 60],
  ['passed long ago: not plausible', NOW - 3_600_000, 15],
  ['is next month: not plausible', NOW + 30 * 86_400_000, 15],
])('a number that %s', (_, resetsAt, wait) => {
  expect(minutes('try again in 20 minutes', { resetsAt })).toBeCloseTo(wait, 6)
})

test.each([
  'HTTP 429',
  'status code: 529',
  'Error: 429 Too Many Requests',
  'RESOURCE_EXHAUSTED',
  'rate_limit_exceeded',
  'Your session limit has been reached',
  'You’ve hit your weekly limit',
])('a plain line that says it: %s', (line) => {
  expect(isBusy(null, line)).toBe(true)
})

test.each([
  'line 429 of the file',
  'took 529 ms',
  'the limit is 5',
  'added rate limiting',
  'issue #429',
  'http://a/429',
])('a plain line that doesn’t: %s', (line) => {
  expect(isBusy(null, line)).toBe(false)
})

test.each<[string, object, boolean]>([
  ['a status', { type: 'error', status: 429 }, true],
  ['a code as text', { error: { code: '529' } }, true],
  ['a type of error', { error: { type: 'rate_limit_error' } }, true],
  ['a message', { error: { message: 'HTTP 429' } }, true],
  ['deep inside', { a: { b: { c: { status: 429 } } } }, true],
  ['too deep', { a: { b: { c: { d: { e: { status: 429 } } } } } }, false],
  ['a number that is no status', { tokens: 429, line: 529 }, false],
  ['what a tool has read', { type: 'user', message: 'HTTP 429', status: 429 }, false],
  ['a text elsewhere', { text: 'HTTP 429' }, false],
])('an event with %s', (_, event, busy) => {
  expect(isBusy(event as Parameters<typeof isBusy>[0], '')).toBe(busy)
})
