import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterModelError, type ModelErrorKind } from '../../../src/domain/agent/model-retry.ts'

const PASSING: readonly ModelErrorKind[] = ['overloaded', 'server', 'network', 'cut', 'silent']
const FINAL: readonly ModelErrorKind[] = [
  'auth',
  'billing',
  'forbidden',
  'missing',
  'request',
  'refused_size',
  'aborted',
]
const DAY_MS = 24 * 3600 * 1000

test.each(PASSING)('afterModelError() waits longer each time for %s, and gives up at the fifth', (kind) => {
  const acts = [1, 2, 3, 4, 5].map((tries) => afterModelError({ kind }, tries))
  expect(acts).toEqual([
    { do: 'wait', ms: 2000 },
    { do: 'wait', ms: 6000 },
    { do: 'wait', ms: 18_000 },
    { do: 'wait', ms: 54_000 },
    { do: 'give up' },
  ])
})

test.each(FINAL)('afterModelError() gives up at once for %s', (kind) => {
  expect(afterModelError({ kind, retryAfterMs: 1000 }, 1)).toEqual({ do: 'give up' })
})

test('afterModelError() compacts once for an overflow', () => {
  expect(afterModelError({ kind: 'overflow' }, 1)).toEqual({ do: 'compact' })
  expect(afterModelError({ kind: 'overflow' }, 2)).toEqual({ do: 'give up' })
})

test('afterModelError() pauses until the reset of a limit, however often it was hit', () => {
  const hour = { kind: 'rate', retryAfterMs: 3_600_000 } as const
  expect([1, 6, 100].map((tries) => afterModelError(hour, tries))).toEqual(
    Array(3).fill({ do: 'pause', ms: 3_600_000 }),
  )
})

test('afterModelError() pauses longer each time, up to 15 minutes, where a limit says no reset', () => {
  const ms = [1, 2, 3, 50].map((tries) => afterModelError({ kind: 'rate' }, tries))
  expect(ms).toEqual([30_000, 60_000, 120_000, 900_000].map((one) => ({ do: 'pause', ms: one })))
})

test('afterModelError() shows a long wait that a server asks for as a pause', () => {
  expect(afterModelError({ kind: 'overloaded', retryAfterMs: 30_000 }, 1)).toEqual({ do: 'wait', ms: 30_000 })
  expect(afterModelError({ kind: 'server', retryAfterMs: 600_000 }, 1)).toEqual({ do: 'pause', ms: 600_000 })
})

test('afterModelError() never waits less than a second or more than eight days, whatever it is told', () => {
  const told = fc.oneof(fc.double(), fc.integer(), fc.constant(undefined))
  fc.assert(
    fc.property(
      fc.constantFrom(...PASSING, 'rate' as const),
      told,
      fc.nat(40),
      (kind, retryAfterMs, tries) => {
        const act = afterModelError(retryAfterMs === undefined ? { kind } : { kind, retryAfterMs }, tries)
        expect('ms' in act ? act.ms >= 1000 && act.ms <= 8 * DAY_MS : act.do === 'give up').toBe(true)
      },
    ),
  )
})
