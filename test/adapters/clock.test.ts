import { expect, test } from 'vitest'
import { systemClock, type Timers } from '../../src/adapters/machine.ts'

const DAY = 24 * 60 * 60_000

/** Timers moved by hand. `jump` moves the wall clock alone, `sleep` both clocks' difference as a suspended laptop does. */
function byHand() {
  let wall = 1_000_000
  let monotonic = 0
  let next: { at: number; call: () => void } | null = null
  let waits = 0
  let longest = 0
  let shortest = Number.POSITIVE_INFINITY
  const timers: Timers = {
    wall: () => wall,
    monotonic: () => monotonic,
    set(call, ms) {
      waits += 1
      longest = Math.max(longest, ms)
      shortest = Math.min(shortest, ms)
      const timer = { at: monotonic + ms, call }
      next = timer
      return () => {
        if (next === timer) next = null
      }
    },
  }
  return {
    timers,
    pass(ms: number) {
      const end = monotonic + ms
      for (let due = next; due !== null && due.at <= end; due = next) {
        wall += due.at - monotonic
        monotonic = due.at
        next = null
        due.call()
      }
      wall += end - monotonic
      monotonic = end
    },
    jump(ms: number) {
      wall += ms
    },
    stats: () => ({ waits, longest, shortest }),
    idle: () => next === null,
  }
}

test('after() calls once, on time, when it is 30 days away', () => {
  const hand = byHand()
  let calls = 0
  systemClock(hand.timers).after(30 * DAY, () => {
    calls += 1
  })
  hand.pass(30 * DAY - 1)
  expect(calls).toBe(0)
  hand.pass(1)
  expect(calls).toBe(1)
  hand.pass(30 * DAY)
  expect([calls, hand.idle()]).toEqual([1, true])
})

test.each([0, -5, Number.NaN, 0.2])('after() waits at least 1 ms and calls once when asked for %s', (ms) => {
  const hand = byHand()
  let calls = 0
  systemClock(hand.timers).after(ms, () => {
    calls += 1
  })
  hand.pass(10)
  expect([calls, hand.stats().waits, hand.stats().shortest]).toEqual([1, 1, 1])
})

test('after() is never called when the time is infinite, and does not spin', () => {
  const hand = byHand()
  systemClock(hand.timers).after(Number.POSITIVE_INFINITY, () => expect.unreachable())
  hand.pass(DAY)
  expect(hand.stats().waits).toBeLessThanOrEqual(24 * 60 + 1)
})

test('after() calls within a minute of waking when the machine slept past the time', () => {
  const hand = byHand()
  let calls = 0
  systemClock(hand.timers).after(DAY, () => {
    calls += 1
  })
  hand.pass(1_000)
  hand.jump(3 * DAY)
  hand.pass(2 * 60_000)
  expect(calls).toBe(1)
})

test('after() is not held up when the wall clock is set back', () => {
  const hand = byHand()
  let calls = 0
  systemClock(hand.timers).after(60 * 60_000, () => {
    calls += 1
  })
  hand.jump(-10 * DAY)
  hand.pass(60 * 60_000)
  expect(calls).toBe(1)
})

test('after() calls nothing when it was cancelled between two waits', () => {
  const hand = byHand()
  const cancel = systemClock(hand.timers).after(DAY, () => expect.unreachable())
  hand.pass(DAY / 2)
  cancel()
  hand.pass(DAY)
  expect(hand.idle()).toBe(true)
})

test('systemClock() tells the time of the machine and calls back', async () => {
  const clock = systemClock()
  const before = Date.now()
  await new Promise<void>((resolve) => clock.after(5, resolve))
  // By how much is left out: timers go by another clock than the time of day.
  expect(clock.now()).toBeGreaterThanOrEqual(before)
})
