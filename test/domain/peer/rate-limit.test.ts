import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bucket, take } from '../../../src/domain/peer/rate-limit.ts'

const rate = { requests: 30, perMs: 60_000 }

/** How many of the requests at these times are allowed. */
function allowed(times: readonly number[]): number {
  let state: Bucket | undefined
  let count = 0
  for (const now of times) {
    const taken = take(state, now, rate)
    state = taken.state
    if (taken.ok) count++
  }
  return count
}

test('a burst gets the whole limit, and then says when to come back', () => {
  expect(allowed(Array(31).fill(0))).toBe(30)
  let state: Bucket | undefined
  for (let n = 0; n < 30; n++) state = take(state, 0, rate).state
  expect(take(state, 500, rate)).toMatchObject({ ok: false, retryAfterMs: 1500 })
  expect(take(state, 2000, rate)).toMatchObject({ ok: true, retryAfterMs: 0 })
})

test('a refused request takes nothing', () => {
  const { state } = take({ left: 0.5, at: 0 }, 0, rate)
  expect(state.left).toBe(0.5)
})

test('a clock that goes back refills nothing', () => {
  expect(take({ left: 0, at: 10_000 }, 0, rate)).toMatchObject({ ok: false, state: { left: 0 } })
})

test('in any time, no more than a burst and the even flow', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 }), (gaps) => {
      let now = 0
      const times = gaps.map((gap) => (now += gap))
      expect(allowed(times)).toBeLessThanOrEqual(30 + Math.floor(now / 2000) + 1)
    }),
  )
})

test('the first moment after retryAfterMs is allowed', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 0, max: 1e12 }),
      (left, now) => {
        const { ok, state, retryAfterMs } = take({ left, at: now }, now, rate)
        expect(ok).toBe(false)
        expect(take(state, now + retryAfterMs, rate).ok).toBe(true)
      },
    ),
  )
})
