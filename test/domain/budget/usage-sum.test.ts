import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addSums,
  amountText,
  costText,
  dayBounds,
  dayOf,
  estimateOf,
  groupSums,
  NO_SUM,
  sumOf,
  sumOfCall,
  tokensOf,
  type UsageCall,
  type UsageSum,
  usdOf,
  usdText,
} from '../../../src/domain/budget/usage-sum.ts'

const HOUR = 3_600_000

function call(over: Partial<UsageCall> = {}): UsageCall {
  return {
    at: '2026-03-01T09:00:00Z',
    room: 'shop',
    task: 't-a',
    session: 's-a',
    kind: 'session',
    model: 'local/one',
    usage: { input: 10, cacheRead: 20, cacheWrite: 30, output: 40, source: 'told' },
    usd: 1,
    ...over,
  }
}

const tokens = fc.nat(10_000_000)
const source = fc.constantFrom('told' as const, 'estimated' as const)
const anyCall = fc
  .record({
    usage: fc.record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens, source }),
    usd: fc.option(fc.nat(1_000_000_000).map((billionths) => (billionths * 997) / 1e9)),
  })
  .map((over) => call(over))
const anySum = fc.array(anyCall, { maxLength: 6 }).map((calls) => sumOf(calls))

test('addSums() is associative and commutative, to the last digit', () => {
  fc.assert(
    fc.property(anySum, anySum, anySum, (a, b, c) => {
      expect(addSums(addSums(a, b), c)).toEqual(addSums(a, addSums(b, c)))
      expect(addSums(a, b)).toEqual(addSums(b, a))
    }),
  )
})

test('addSums() with nothing changes nothing', () => {
  fc.assert(
    fc.property(anySum, (sum) => {
      expect(addSums(sum, NO_SUM)).toEqual(sum)
    }),
  )
})

test('sumOf() does not depend on the order of calls', () => {
  fc.assert(
    fc.property(fc.array(anyCall), (calls) => {
      expect(sumOf(calls.toReversed())).toEqual(sumOf(calls))
    }),
  )
})

test('an unknown part makes a sum unknown, and the known part is shown', () => {
  const known = sumOfCall(call())
  const unknown = sumOfCall(call({ usd: null }))
  const both = addSums(known, unknown)
  expect([usdOf(known), usdOf(unknown), usdOf(both)]).toEqual([1, null, null])
  expect([usdText(known), usdText(unknown), usdText(both)]).toEqual(['1.00 USD', 'unknown', '≥ 1.00 USD'])
  expect([known, unknown, both, NO_SUM].map(costText)).toEqual(['1.00 USD', 'cost unknown', '≥ 1.00 USD', ''])
  expect(both).toMatchObject({ unpricedCalls: 1, unpricedTokens: 100, knownUsd: 1 })
})

test('a sum is unknown exactly where one of its calls is', () => {
  fc.assert(
    fc.property(fc.array(anyCall), (calls) => {
      expect(usdOf(sumOf(calls)) === null).toBe(calls.some(({ usd }) => usd === null))
    }),
  )
})

test('tokensOf() counts every kind', () => {
  expect(tokensOf(sumOfCall(call()))).toBe(100)
})

test.each([
  [0, '0 USD'],
  [0.00001, '< 0.0001 USD'],
  [0.0042, '0.0042 USD'],
  [0.1, '0.10 USD'],
  [1.2, '1.20 USD'],
  [1234.5, '1234.50 USD'],
])('amountText() of %d is %j', (usd, text) => {
  expect(amountText(usd)).toBe(text)
})

test.each([
  ['day', ['2026-03-01', '2026-03-02']],
  ['room', ['shop', '']],
  ['model', ['local/one', 'local/two']],
  ['session', ['s-a', '']],
] as const)('groupSums() by %s names %j', (by, names) => {
  const other = { at: '2026-03-01T23:30:00Z', room: null, session: null, model: 'local/two' }
  const groups = groupSums([call(), call(other)], by, 'Europe/Paris')
  expect([...groups.keys()]).toEqual(names)
})

test('groupSums() loses nothing and doubles nothing', () => {
  fc.assert(
    fc.property(fc.array(anyCall), fc.constantFrom('day', 'room', 'model', 'session'), (calls, by) => {
      const all = [...groupSums(calls, by, 'UTC').values()].reduce(addSums, NO_SUM)
      expect(all).toEqual(sumOf(calls))
    }),
  )
})

test('estimateOf() without a history is unknown', () => {
  const free = { input: 0, output: 0 }
  expect(estimateOf([], () => free)).toEqual({ tokens: null, usd: null, from: 'no history' })
})

test('estimateOf() is the mean of earlier sessions at today’s price for calls of their size', () => {
  const session = (input: number, output: number): UsageSum => ({ ...NO_SUM, calls: 2, input, output })
  const sizes: number[] = []
  const estimate = estimateOf([session(1_000_000, 100_000), session(3_000_000, 300_000)], (inputTokens) => {
    sizes.push(inputTokens)
    return { input: 1, output: 5 }
  })
  expect(estimate).toEqual({ tokens: 2_200_000, usd: 3, from: 'history of 2 sessions' })
  expect(sizes).toEqual([1_000_000])
})

test('estimateOf() tells tokens where the price is unknown', () => {
  const one = sumOfCall(call())
  expect(estimateOf([one], () => null)).toEqual({ tokens: 100, usd: null, from: 'history of 1 session' })
})

test.each([
  ['2026-03-29', '2026-03-29T10:00:00Z', 23],
  ['2026-10-25', '2026-10-25T10:00:00Z', 25],
  ['2026-10-25', '2026-10-25T00:30:00Z', 25],
  ['2026-10-25', '2026-10-25T01:30:00Z', 25],
  ['2026-03-01', '2026-03-01T10:00:00Z', 24],
])('dayBounds() of %s in Paris, seen from %s, are %d hours apart', (day, at, hours) => {
  const { from, to, day: named } = dayBounds(Date.parse(at), 'Europe/Paris')
  expect([named, (to - from) / HOUR]).toEqual([day, hours])
})

test('dayBounds() of a day that begins at one o’clock begin there', () => {
  const { from } = dayBounds(Date.parse('2026-04-24T12:00:00Z'), 'Africa/Cairo')
  expect(new Date(from).toISOString()).toBe('2026-04-23T22:00:00.000Z')
})

test('dayBounds() hold the instant, name its day, and touch the day before and the day after', () => {
  const zones = [
    'UTC',
    'Europe/Paris',
    'America/St_Johns',
    'Pacific/Apia',
    'Africa/Cairo',
    'Australia/Lord_Howe',
  ]
  const from2020 = { min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) }
  fc.assert(
    fc.property(fc.integer(from2020), fc.constantFrom(...zones), (at, zone) => {
      const { from, to, day } = dayBounds(at, zone)
      expect(from <= at && at < to).toBe(true)
      expect([dayOf(from, zone), dayOf(to - 1, zone)]).toEqual([day, day])
      expect([dayBounds(from - 1, zone).to, dayBounds(to, zone).from]).toEqual([from, to])
    }),
  )
})
