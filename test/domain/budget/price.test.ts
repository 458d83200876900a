import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Usage } from '../../../src/domain/agent/model-message.ts'
import type { ModelErrorKind } from '../../../src/domain/agent/model-retry.ts'
import {
  costOf,
  dearestOutput,
  estimateOf,
  mayHaveUsed,
  priceOf,
  wholeInput,
} from '../../../src/domain/budget/price.ts'
import { PRICES } from '../../../src/files/config/prices.ts'

const NONE = { prices: {}, table: PRICES }
const HAIKU = 'anthropic/claude-haiku-4-5'
const TIERED = 'anthropic/claude-haiku-5-5'

function used(over: Partial<Usage> = {}): Usage {
  return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, source: 'told', ...over }
}

test('priceOf() is that of the table where the home says nothing', () => {
  expect(priceOf(HAIKU, NONE)).toEqual({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 })
})

test('priceOf() is the home’s own before that of the table', () => {
  const own = { input: 7, output: 8 }
  expect(priceOf(HAIKU, { prices: { [HAIKU]: own }, table: PRICES })).toEqual(own)
})

test.each(['anthropic/claude-mythos-5', 'local/qwen', 'rules', '', 'constructor', 'toString', '__proto__'])(
  'priceOf() is unknown for %j',
  (ref) => {
    expect(priceOf(ref, NONE)).toBeNull()
  },
)

test.each([
  [0, 0.1],
  [100_000, 0.1],
  [100_001, 0.5],
  [undefined, 0.5],
])('priceOf() of a model with two tiers at %s tokens of input is %d', (tokens, input) => {
  expect(priceOf(TIERED, NONE, tokens)?.input).toBe(input)
})

test.each([
  [used({ input: 1e6 }), 1],
  [used({ output: 1e6 }), 5],
  [used({ cacheRead: 1e6 }), 0.1],
  [used({ cacheWrite: 1e6 }), 1.25],
  [used({ input: 1000, cacheRead: 2000, cacheWrite: 3000, output: 400 }), 0.00695],
])('costOf() %j is %d USD', (usage, usd) => {
  expect(costOf(usage, priceOf(HAIKU, NONE))).toBe(usd)
})

test('costOf() takes cache tokens for plain input where their price is not said', () => {
  const usage = used({ cacheRead: 1e6, cacheWrite: 1e6 })
  expect(costOf(usage, { input: 2, output: 9 })).toBe(4)
})

test('costOf() is unknown without a price, also where nothing was used', () => {
  expect([costOf(used({ input: 5 }), null), costOf(used(), null)]).toEqual([null, null])
})

test('costOf() is zero where the home says that a model costs nothing', () => {
  expect(costOf(used({ input: 5, output: 5 }), { input: 0, output: 0 })).toBe(0)
})

test('dearestOutput() looks at the table and at the home’s own prices', () => {
  expect(dearestOutput({}, PRICES)).toBe(50)
  expect(dearestOutput({ 'local/gold': { input: 1, output: 99 } }, PRICES)).toBe(99)
  expect(dearestOutput({}, { date: '2026-01-01', models: {} })).toBe(0)
})

test('every model of the table has a last tier without a limit, and tiers that rise', () => {
  for (const tiers of Object.values(PRICES.models)) {
    expect(tiers.at(-1)?.upTo).toBeNull()
    const limits = tiers.slice(0, -1).map(({ upTo }) => upTo ?? 0)
    expect(limits).toEqual([...limits].sort((a, b) => a - b))
  }
})

test('the table says on which day it was made', () => {
  expect(PRICES.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
})

test('costOf() never falls when more is used, and is never negative', () => {
  const tokens = fc.integer({ min: 0, max: 10_000_000 })
  const usage = fc.record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens })
  const refs = fc.constantFrom(...Object.keys(PRICES.models))
  fc.assert(
    fc.property(refs, usage, usage, (ref, some, more) => {
      const both = used({
        input: some.input + more.input,
        cacheRead: some.cacheRead + more.cacheRead,
        cacheWrite: some.cacheWrite + more.cacheWrite,
        output: some.output + more.output,
      })
      const less = costOf(used(some), priceOf(ref, NONE, wholeInput(some))) ?? -1
      expect(less).toBeGreaterThanOrEqual(0)
      expect(costOf(both, priceOf(ref, NONE, wholeInput(both))) ?? -1).toBeGreaterThanOrEqual(less)
    }),
  )
})

describe('estimateOf', () => {
  const asking = { system: [], tools: [], messages: [] }
  const said = (text: string) => ({ role: 'user', parts: [{ kind: 'text', text }] }) as const
  const inputOf = (text: string) => estimateOf({ ...asking, messages: [said(text)] }).input

  test('is marked as such, counts nothing as cached, and expects an answer', () => {
    expect(estimateOf(asking)).toMatchObject({
      cacheRead: 0,
      cacheWrite: 0,
      output: 1_000,
      source: 'estimated',
    })
  })

  test('counts what stands before the messages, tools too', () => {
    const { input } = estimateOf(asking)
    expect(estimateOf({ ...asking, system: ['a'.repeat(400)] }).input).toBe(input + 100)
    const tool = { name: 'read', description: 'b'.repeat(400), schema: {} }
    expect(estimateOf({ ...asking, tools: [tool] }).input).toBeGreaterThan(input + 100)
  })

  test('counts other scripts than Latin as they cost, not as a quarter of a token each', () => {
    expect(inputOf('漢字'.repeat(300)) - inputOf('')).toBe(400)
    expect(inputOf('abcd'.repeat(300)) - inputOf('')).toBe(300)
  })

  test('counts calls, results and images', () => {
    const call = { kind: 'call', id: 'c', name: 'read', input: { path: 'a'.repeat(400) } } as const
    const result = { kind: 'result', call: 'c', name: 'read', text: 'a'.repeat(400), isError: false } as const
    const image = { kind: 'image', type: 'image/png', path: 'x' } as const
    const of = (part: typeof result | typeof image) =>
      estimateOf({ ...asking, messages: [{ role: 'user', parts: [part] }] }).input
    const called = estimateOf({ ...asking, messages: [{ role: 'assistant', parts: [call] }] }).input
    for (const input of [called, of(result), of(image)]) expect(input).toBeGreaterThan(100)
  })
})

const MAY_HAVE_USED: Readonly<Record<ModelErrorKind, boolean>> = {
  ...{ cut: true, silent: true, aborted: true },
  ...{ auth: false, billing: false, forbidden: false, missing: false, request: false, refused_size: false },
  ...{ overflow: false, rate: false, overloaded: false, server: false, network: false },
}

test.each(Object.entries(MAY_HAVE_USED))('mayHaveUsed(%j) is %s', (kind, is) => {
  expect(mayHaveUsed(kind as ModelErrorKind)).toBe(is)
})
