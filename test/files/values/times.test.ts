import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationMs, sizeBytes } from '../../../src/files/values/duration.ts'
import { instantOf, isDate, isoOf, isZone } from '../../../src/files/values/times.ts'

describe('instantOf', () => {
  test.each([
    ['2026-03-01T09:00:00Z', 'Europe/Paris', '2026-03-01T09:00:00Z'],
    ['2026-03-01T09:00:00.250Z', 'UTC', '2026-03-01T09:00:00.250Z'],
    ['2026-03-01T09:00', 'Europe/Paris', '2026-03-01T08:00:00Z'],
    ['2026-07-01 09:00:30', 'Europe/Paris', '2026-07-01T07:00:30Z'],
    ['2026-03-01', 'Europe/Paris', '2026-02-28T23:00:00Z'],
    ['2026-03-01', 'UTC', '2026-03-01T00:00:00Z'],
    ['2026-03-01T09:00:00+0900', 'UTC', '2026-03-01T00:00:00Z'],
    ['2026-03-01t09:00:00z', 'UTC', '2026-03-01T09:00:00Z'],
    ['2026-03-01T09:00 -03:30', 'UTC', '2026-03-01T12:30:00Z'],
    ['2026-01-01T00:00', 'Asia/Kathmandu', '2025-12-31T18:15:00Z'],
    ['2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:30:00Z'],
    ['2026-10-25T02:30', 'Europe/Paris', '2026-10-25T00:30:00Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    ['2024-02-29', 'UTC', '2024-02-29T00:00:00Z'],
  ])('reads %j in %s as %s', (value, zone, utc) => {
    expect(instantOf(value, zone)).toBe(utc)
  })

  test.each([
    '',
    'tomorrow',
    '2026-02-30',
    '2026-13-01',
    '2026-03-01T24:00',
    '2026-03-01T09:60',
    '2026-03-01T09:00:60Z',
    '2026-3-1',
    '2026-03-01T09',
    '2025-02-29T09:00:00Z',
    '2026-03-01T09:00:00+25:00',
    '2026-04-31T00:00:00Z',
    "9 o'clock",
    '20260301',
  ])('takes %j for no time', (value) => {
    expect(instantOf(value, 'UTC')).toBeNull()
  })

  test('gives back every instant that it is given, in any zone', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Paris',
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), zones, (seconds, zone) => {
        const utc = isoOf(seconds * 1000)
        expect(instantOf(utc, zone)).toBe(utc)
      }),
    )
  })

  test('reads a local time so that the zone shows it again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e9, max: 3e9 }), (seconds) => {
        const wall = new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone: 'America/New_York' })
        const utc = instantOf(wall, 'America/New_York') ?? ''
        expect(new Date(utc).toLocaleString('sv-SE', { timeZone: 'America/New_York' })).toBe(wall)
      }),
    )
  })
})

describe('isDate', () => {
  test('tells a date from a time', () => {
    expect([isDate('2026-03-01'), isDate('2026-03-01T00:00'), isDate('2026-02-31')]).toStrictEqual([
      true,
      false,
      false,
    ])
  })
})

describe('isZone', () => {
  test('knows zones by their IANA names', () => {
    expect([isZone('Europe/Paris'), isZone('UTC'), isZone('Mars/Base'), isZone('')]).toStrictEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('durationMs', () => {
  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['0', 0],
    ['0s', 0],
    ['30', null],
    ['', null],
    ['5 m', null],
    ['-5m', null],
    ['5M', null],
    ['1y', null],
    ['99999d', null],
    ['999999999h999999999h', null],
  ])('of %j is %j', (value, ms) => {
    expect(durationMs(value)).toBe(ms)
  })
})

describe('sizeBytes', () => {
  test.each([
    ['5GB', 5e9],
    ['1.5 kB', 1500],
    ['512MiB', 536_870_912],
    ['100B', 100],
    ['5', null],
    ['GB', null],
    ['5 PB', null],
  ])('of %j is %j', (value, bytes) => {
    expect(sizeBytes(value)).toBe(bytes)
  })
})
