import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isByPerson, recentWakes, WAKES_AN_HOUR, wakeAgainAt } from '../../../src/domain/plan/plan-neo.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test.each([
  ['message', 'human', true],
  ['message', 'member:m-1', true],
  ['message', 'schedule:daily', true],
  ['message', 'system', false],
  ['message', 'session:s-1', false],
  ['message', 'neo', false],
  ['ended', 'human', false],
  ['failed', 'task:t-1', false],
])('isByPerson says of a %s from %s: %s', (kind, from, is) => {
  expect(isByPerson({ kind, from })).toBe(is)
})

test('wakeAgainAt gives the instant at which the oldest of ten is an hour old', () => {
  const wakes = Array.from({ length: 10 }, (_, n) => n * MINUTE)
  expect(wakeAgainAt(wakes.slice(1), 10 * MINUTE)).toBeNull()
  expect(wakeAgainAt(wakes, 10 * MINUTE)).toBe(HOUR)
  expect(wakeAgainAt(wakes, HOUR)).toBeNull()
})

test('no hour holds more wakes than allowed, whenever they are wanted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 * MINUTE }), { maxLength: 80 }), (gaps) => {
      let now = 0
      const taken: number[] = []
      for (const gap of gaps) {
        now += gap
        if (wakeAgainAt(taken, now) === null) taken.push(now)
        expect(recentWakes(taken, now).length).toBeLessThanOrEqual(WAKES_AN_HOUR)
      }
    }),
  )
})
