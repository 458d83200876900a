/** Values that several kinds of files share: workers, budgets, retries, ids, durations and sizes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, duration, durationMs, msOf, size, sizeBytes } from '../../../src/files/values/duration.ts'
import {
  budgetOf,
  camelKeys,
  id,
  modelOf,
  parseWorker,
  retryOf,
  variable,
  withoutUndefined,
} from '../../../src/files/values/header-values.ts'
import type { Shape } from '../../../src/files/values/shape.ts'

test.each([
  ['agent', { kind: 'agent' }],
  ['shell', { kind: 'shell' }],
  ['human', { kind: 'human' }],
  ['exec:claude-code', { kind: 'exec', name: 'claude-code' }],
  ['exec:a.b_c-1', { kind: 'exec', name: 'a.b_c-1' }],
  ['mcp:codex', { kind: 'mcp', name: 'codex' }],
  ['mcp:codex/tools/review.all', { kind: 'mcp', name: 'codex/tools/review.all' }],
  ['peer:pm-ana', { kind: 'peer', name: 'pm-ana' }],
])('parseWorker() reads %s', (text, worker) => {
  expect(parseWorker(text)).toEqual(worker)
})

test.each([
  ...['', 'agent:x', 'agent:', 'shell:', 'exec', 'exec:', 'mcp', 'peer', 'Agent', ' agent', 'agent '],
  ...[
    'exec:a b',
    'exec:-a',
    'exec:a/b',
    'exec:a:b',
    'exec:../x',
    'exec:a\nb',
    'mcp:/x',
    'mcp:a/',
    'mcp:a/ b',
  ],
  ...['toString', '__proto__', 'constructor:x', `exec:${'x'.repeat(65)}`, `mcp:a/${'x'.repeat(129)}`],
])('parseWorker() refuses %j', (text) => {
  expect(parseWorker(text)).toBeNull()
})

test.each<[Parameters<typeof retryOf>[0], object]>([
  [undefined, { max: 0, backoffMs: 30_000 }],
  [3, { max: 3, backoffMs: 30_000 }],
  [{}, { max: 0, backoffMs: 30_000 }],
  [
    { max: 2, backoff: '1m' },
    { max: 2, backoffMs: 60_000 },
  ],
  [{ backoff: '0' }, { max: 0, backoffMs: 0 }],
])('retryOf(%j) is %j', (given, retry) => {
  expect(retryOf(given)).toEqual(retry)
})

test.each<[Parameters<typeof budgetOf>[0], object | undefined]>([
  [undefined, undefined],
  [1.5, { usd: 1.5 }],
  [0, { usd: 0 }],
  [{}, {}],
  [
    { tokens: 5, turns: 0 },
    { tokens: 5, turns: 0 },
  ],
])('budgetOf(%j) is %j', (given, budget) => {
  expect(budgetOf(given)).toEqual(budget)
})

test.each<[string | undefined, string | undefined]>([
  ['none', 'rules'],
  ['rules', 'rules'],
  ['local/none', 'local/none'],
  [undefined, undefined],
])('modelOf(%j) is %j', (given, model) => {
  expect(modelOf(given)).toBe(model)
})

const accepts = (shape: Shape<string>, text: string) =>
  shape.kind === 'text' && (shape.accepts?.(text) ?? true)

test.each(['a', 'T-1', '0012', 'a.b', 'a_b-c', '9', 'x'.repeat(64)])('%j is an id', (text) => {
  expect(accepts(id, text)).toBe(true)
})

test.each(['', '.', '..', 'a..b', 'a.', '.a', '-a', 'a/b', 'a\\b', 'a b', 'a\n', 'é', 'x'.repeat(65)])(
  '%j is no id, as it would be no name of a file or branch',
  (text) => {
    expect(accepts(id, text)).toBe(false)
  },
)

test.each([
  ['NODE_ENV', true],
  ['_x1', true],
  ['1X', false],
  ['A-B', false],
  ['A=B', false],
  ['A\n', false],
  ['', false],
])('%j as the name of a variable: %s', (text, is) => {
  expect(accepts(variable, text)).toBe(is)
})

test('camelKeys() renames keys, and leaves out what is absent', () => {
  expect(camelKeys({ on_interrupt: 'ask', a_b_c: 1, x: null, y: undefined })).toEqual({
    onInterrupt: 'ask',
    aBC: 1,
    x: null,
  })
  expect(Object.keys(withoutUndefined({ a: undefined, b: 0, c: '' }))).toEqual(['b', 'c'])
})

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const part = fc.record({
  amount: fc.nat(500),
  unit: fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[])),
})

test('durationMs() adds up its parts, and msOf() gives what the shape accepts', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const text = parts.map(({ amount, unit }) => `${amount}${unit}`).join('')
      const ms = parts.reduce((sum, { amount, unit }) => sum + amount * UNITS[unit], 0)
      expect(durationMs(text)).toBe(ms)
      expect([accepts(duration, text), msOf(text)]).toEqual([true, ms])
    }),
  )
})

test('any text is a duration or size that is finite and not negative, or none', () => {
  const letters = fc.constantFrom(...'0123456789.msdhkMGTiIbB -+e'.split(''))
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      for (const [value, isRight] of [
        [durationMs(text), accepts(duration, text)],
        [sizeBytes(text), accepts(size, text)],
      ] as const) {
        expect(value !== null).toBe(isRight)
        if (value !== null) expect(Number.isFinite(value) && value >= 0 && Number.isInteger(value)).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['3650d', 3650 * 86_400_000],
  ['3660d', 3660 * 86_400_000],
  ['3661d', null],
  ['999999999h', null],
  ['0.5s', 500],
  ['0.0004s', 0],
  ['1.s', null],
  ['.5s', null],
  ['1s ', null],
  ['1s\n', null],
])('durationMs(%j) is %j', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each([
  ['1KB', 1_000],
  ['1KiB', 1_024],
  ['1kib', 1_024],
  ['1.5 GB', 1.5e9],
  ['2TB', 2e12],
  ['1  GB', null],
  ['1G', null],
  ['-1GB', null],
  ['1GB\n', null],
])('sizeBytes(%j) is %j', (text, bytes) => {
  expect(sizeBytes(text)).toBe(bytes)
  expect(bytesOf(bytes === null ? undefined : text)).toBe(bytes ?? undefined)
})
