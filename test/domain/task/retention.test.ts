/** Which ended attempts are cleared away: what is needed stays, and the limits hold for the rest. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expired, type Kept, type Limits } from '../../../src/domain/task/retention.ts'

const NOW = Date.parse('2026-03-02T09:00:00Z')
const DAY_MS = 86_400_000
const WIDE: Limits = { attempts: 100, ageMs: 1_000 * DAY_MS, bytes: 1e12 }

/** `open` attempts of one task, of 10 bytes; the first is a day old, the next two, … */
function kept(session: string, days: number, more: Partial<Kept> = {}): Kept {
  return { session, task: 't-a', endedAt: NOW - days * DAY_MS, bytes: 10, state: 'open', ...more }
}

const gone = (all: readonly Kept[], limits: Partial<Limits>) =>
  expired(all, { ...WIDE, ...limits }, NOW).map(({ session, why }) => `${session}: ${why}`)

test('expired() clears nothing within the limits', () => {
  expect(gone([kept('a', 1), kept('b', 999)], {})).toEqual([])
  expect(gone([], { attempts: 0, ageMs: 0, bytes: 0 })).toEqual([])
})

test('expired() keeps the newest attempts of each task', () => {
  const all = [kept('old', 3), kept('new', 1), kept('middle', 2), kept('other', 9, { task: 't-b' })]
  expect(gone(all, { attempts: 2 })).toEqual(['old: more than 2 attempts of this task'])
  expect(gone(all, { attempts: 1 })).toEqual([
    'middle: more than 1 attempt of this task',
    'old: more than 1 attempt of this task',
  ])
})

test('expired() clears what is older than the limit, to the millisecond', () => {
  const all = [kept('at', 2), kept('over', 2, { endedAt: NOW - 2 * DAY_MS - 1 })]
  expect(gone(all, { ageMs: 2 * DAY_MS })).toEqual(['over: older than retention.age'])
})

test('expired() clears the oldest first until the size fits, and counts what has gone already', () => {
  const all = [kept('a', 1), kept('b', 2), kept('c', 3), kept('d', 4)]
  expect(gone(all, { bytes: 40 })).toEqual([])
  expect(gone(all, { bytes: 39 })).toEqual(['d: over retention.size'])
  expect(gone(all, { bytes: 20 })).toEqual(['c: over retention.size', 'd: over retention.size'])
  expect(gone(all, { bytes: 30, attempts: 3 })).toEqual(['d: more than 3 attempts of this task'])
  expect(gone(all, { bytes: 0 })).toHaveLength(4)
})

test('expired() clears attempts of a task that a later one completed, whatever the limits are', () => {
  expect(gone([kept('a', 1, { state: 'done' }), kept('b', 2)], {})).toEqual([
    'a: a later attempt completed the task',
  ])
})

test('expired() never clears what is needed, though it counts for the size', () => {
  const needed = kept('needed', 900, { state: 'needed', bytes: 100 })
  expect(gone([needed], { attempts: 0, ageMs: 0, bytes: 0 })).toEqual([])
  expect(gone([needed, kept('a', 1)], { bytes: 109 })).toEqual(['a: over retention.size'])
  expect(gone([needed, kept('a', 1)], { attempts: 1 })).toEqual([])
})

test('expired() leaves what fits all limits, names each session once, and clears no more the second time', () => {
  const one = fc.record({
    task: fc.constantFrom('t-a', 't-b'),
    endedAt: fc.integer({ min: NOW - 20 * DAY_MS, max: NOW }),
    bytes: fc.integer({ min: 0, max: 50 }),
    state: fc.constantFrom('needed' as const, 'open' as const, 'done' as const),
  })
  const limits = fc.record({
    attempts: fc.nat(4),
    ageMs: fc.integer({ min: 0, max: 20 * DAY_MS }),
    bytes: fc.nat(200),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), limits, (list, most) => {
      const all = list.map((item, at) => ({ ...item, session: `s-${at}` }))
      const names = expired(all, most, NOW).map(({ session }) => session)
      expect(new Set(names).size).toBe(names.length)
      const left = all.filter(({ session }) => !names.includes(session))
      const free = left.filter(({ state }) => state !== 'needed')
      expect(all.filter(({ state }) => state === 'needed').every((item) => left.includes(item))).toBe(true)
      expect(free.some(({ state, endedAt }) => state === 'done' || NOW - endedAt > most.ageMs)).toBe(false)
      for (const task of ['t-a', 't-b'])
        expect(free.filter((item) => item.task === task).length).toBeLessThanOrEqual(most.attempts)
      const size = left.reduce((sum, { bytes }) => sum + bytes, 0)
      if (free.length > 0) expect(size).toBeLessThanOrEqual(most.bytes)
      expect(expired(left, most, NOW)).toEqual([])
    }),
    { numRuns: 300 },
  )
})
