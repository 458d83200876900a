/** Local time across clock changes: which instants a reading of the wall clock means. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  instantsOf,
  offsetAt,
  offsetsNear,
  steadyOffset,
  wallOf,
} from '../../../src/domain/schedule/schedule-zone.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const ZONES = [
  ...['UTC', 'Europe/Paris', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Africa/Cairo'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'America/Havana', 'Asia/Beirut', 'Pacific/Chatham'],
]
const utc = (text: string) => Date.parse(`${text}Z`)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19)

test.each([
  ['2026-01-15T12:00:00', 'UTC', 0],
  ['2026-01-15T12:00:00', 'Europe/Paris', 1],
  ['2026-07-15T12:00:00', 'Europe/Paris', 2],
  ['2026-03-29T00:59:59', 'Europe/Paris', 1],
  ['2026-03-29T01:00:00', 'Europe/Paris', 2],
  ['2026-10-25T00:59:59', 'Europe/Paris', 2],
  ['2026-10-25T01:00:00', 'Europe/Paris', 1],
  ['2026-01-15T12:00:00', 'America/St_Johns', -3.5],
  ['2026-01-15T12:00:00', 'Asia/Kolkata', 5.5],
  ['2026-07-15T12:00:00', 'Australia/Lord_Howe', 10.5],
  ['2026-01-15T12:00:00', 'Pacific/Kiritimati', 14],
])('offsetAt() of %s in %s is %d hours', (at, zone, hours) => {
  expect(offsetAt(utc(at), zone)).toBe(hours * HOUR)
})

test('offsetAt() keeps parts of a second out of the offset', () => {
  expect(offsetAt(utc('2026-01-15T12:00:00') + 999, 'Europe/Paris')).toBe(HOUR)
  expect(wallOf(utc('2026-01-15T12:00:00') + 999, 'Europe/Paris')).toBe(utc('2026-01-15T13:00:00') + 999)
})

describe('instantsOf', () => {
  test.each([
    ['an ordinary time', '2026-03-02T09:00:00', 'Europe/Paris', ['2026-03-02T08:00:00']],
    ['before a gap', '2026-03-29T01:59:59', 'Europe/Paris', ['2026-03-29T00:59:59']],
    ['the start of a gap', '2026-03-29T02:00:00', 'Europe/Paris', ['2026-03-29T01:00:00']],
    ['within a gap', '2026-03-29T02:30:00', 'Europe/Paris', ['2026-03-29T01:00:00']],
    ['after a gap', '2026-03-29T03:00:00', 'Europe/Paris', ['2026-03-29T01:00:00']],
    ['twice', '2026-10-25T02:30:00', 'Europe/Paris', ['2026-10-25T00:30:00', '2026-10-25T01:30:00']],
    ['after what comes twice', '2026-10-25T03:00:00', 'Europe/Paris', ['2026-10-25T02:00:00']],
    ['a gap of half an hour', '2026-10-04T02:15:00', 'Australia/Lord_Howe', ['2026-10-03T15:30:00']],
    ['a gap at midnight', '2026-04-24T00:30:00', 'Africa/Cairo', ['2026-04-23T22:00:00']],
    ['a day that was left out', '2011-12-30T12:00:00', 'Pacific/Apia', ['2011-12-30T10:00:00']],
    [
      'midnight twice',
      '2026-11-01T00:30:00',
      'America/Havana',
      ['2026-11-01T04:30:00', '2026-11-01T05:30:00'],
    ],
  ])('of %s', (_, wall, zone, instants) => {
    expect(instantsOf(utc(wall), zone).map(iso)).toEqual(instants)
  })

  test('hold the instant that has this reading, rise, and all have it unless it is left out', () => {
    const times = fc.integer({ min: utc('2012-01-01T00:00:00'), max: utc('2032-01-01T00:00:00') })
    fc.assert(
      fc.property(times, fc.constantFrom(...ZONES), (ms, zone) => {
        const at = Math.floor(ms / 1_000) * 1_000
        const own = instantsOf(wallOf(at, zone), zone)
        expect(own).toContain(at)
        expect(own.every((one) => wallOf(one, zone) === wallOf(at, zone))).toBe(true)
        const any = instantsOf(at, zone)
        expect(any.length).toBeGreaterThan(0)
        expect(any).toEqual(any.toSorted((a, b) => a - b))
        // A reading that is left out means the instant at which clocks go on: later than it, and no more than a gap.
        for (const one of any) {
          expect(wallOf(one, zone)).toBeGreaterThanOrEqual(at)
          expect(wallOf(one, zone) - at).toBeLessThanOrEqual(HOUR)
          if (wallOf(one, zone) !== at) expect(wallOf(one - 1_000, zone)).toBeLessThan(at)
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('steadyOffset() holds all through its day, and is none around a change', () => {
  expect(steadyOffset(utc('2026-03-02T00:00:00'), 'Europe/Paris')).toBe(HOUR)
  for (const day of ['2026-03-28', '2026-03-29', '2026-10-25'])
    expect(steadyOffset(utc(`${day}T00:00:00`), 'Europe/Paris')).toBeNull()
  expect(offsetsNear(utc('2026-03-29T00:00:00'), 'Europe/Paris')).toEqual([HOUR, 2 * HOUR])
  expect(offsetsNear(utc('2026-10-25T00:00:00'), 'Europe/Paris')).toEqual([HOUR, 2 * HOUR])
  const days = fc.integer({ min: 15_400, max: 22_000 }).map((day) => day * DAY)
  fc.assert(
    fc.property(days, fc.constantFrom(...ZONES), fc.integer({ min: 0, max: DAY - 1 }), (day, zone, time) => {
      const offset = steadyOffset(day, zone)
      if (offset !== null) expect(instantsOf(day + time, zone)).toEqual([day + time - offset])
    }),
    { numRuns: 200 },
  )
})
