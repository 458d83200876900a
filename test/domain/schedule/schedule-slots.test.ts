/** When schedules are due: expressions, time zones and both clock changes, held against a plain count through the seconds. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { When } from '../../../src/domain/schedule/schedule.ts'
import { nextSlot, type Rhythm, slotsIn } from '../../../src/domain/schedule/schedule-slots.ts'
import { cronFields } from '../../../src/engine/snapshot/schedules.ts'

const HOUR = 3_600_000
const ms = (iso: string) => Date.parse(iso)
const iso = (at: number | null) =>
  at === null ? null : new Date(at).toISOString().replace(':00.000Z', 'Z').replace('.000Z', 'Z')

function cron(expression: string): When {
  const read = cronFields(expression)
  if ('wrong' in read) throw new Error(read.wrong)
  return { kind: 'cron', cron: expression, fields: read }
}

const rhythm = (expression: string, zone = 'UTC'): Rhythm => ({ when: cron(expression), zone, anchor: 0 })
const next = (expression: string, after: string, zone = 'UTC') =>
  iso(nextSlot(rhythm(expression, zone), ms(after)))
const between = (of: Rhythm, from: string, to: string) =>
  slotsIn(of, { after: ms(from), until: ms(to) }, 1000).slots.map(iso)

describe('nextSlot of a cron expression', () => {
  test.each([
    ['0 9 * * 1-5', '2026-03-06T09:00:00Z', '2026-03-09T09:00Z'],
    ['0 9 * * 1-5', '2026-03-06T08:59:59Z', '2026-03-06T09:00Z'],
    ['*/15 * * * *', '2026-03-06T09:01:00Z', '2026-03-06T09:15Z'],
    ['30 */10 * * * *', '2026-03-06T09:00:00Z', '2026-03-06T09:00:30Z'],
    ['0 0 1 * *', '2026-03-06T09:00:00Z', '2026-04-01T00:00Z'],
    ['0 0 L * *', '2026-02-01T00:00:00Z', '2026-02-28T00:00Z'],
    ['0 0 L-1 * *', '2026-02-01T00:00:00Z', '2026-02-27T00:00Z'],
    ['0 0 15W * *', '2026-03-01T00:00:00Z', '2026-03-16T00:00Z'],
    ['0 0 LW * *', '2026-05-01T00:00:00Z', '2026-05-29T00:00Z'],
    ['0 0 * * 5#2', '2026-03-01T00:00:00Z', '2026-03-13T00:00Z'],
    ['0 0 * * 5L', '2026-03-01T00:00:00Z', '2026-03-27T00:00Z'],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00Z'],
    ['@weekly', '2026-03-06T09:00:00Z', '2026-03-08T00:00Z'],
    ['0 9 * jan mon', '2026-03-06T09:00:00Z', '2027-01-04T09:00Z'],
    ['0 22-1 * * *', '2026-03-06T23:30:00Z', '2026-03-07T00:00Z'],
    ['0 0 * * 7', '2026-03-06T09:00:00Z', '2026-03-08T00:00Z'],
  ])('%s after %s is %s', (expression, after, wanted) => {
    expect(next(expression, after)).toBe(wanted)
  })

  test('day of month and day of week are either, as in crontab(5)', () => {
    expect(between(rhythm('0 9 13 * 5'), '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual([
      '2026-03-06T09:00Z',
      '2026-03-13T09:00Z',
      '2026-03-20T09:00Z',
      '2026-03-27T09:00Z',
    ])
  })
})

/** Both changes of the zones in 2026, and one that has none. */
const CHANGES = [
  ['Europe/Paris', '2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z'],
  ['America/New_York', '2026-03-07T18:00:00Z', '2026-10-31T18:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T06:00:00Z', '2026-04-04T06:00:00Z'],
  ['Asia/Tokyo', '2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z'],
] as const
const EXPRESSIONS = ['30 2 * * *', '15 1,2,3 * * *', '0 9 * * *', '*/20 * * * *', '0 0 * * *', '45 1-2 * * 0']

describe('a clock change', () => {
  test('that skips the time is one slot, as clocks go on', () => {
    expect(
      between(rhythm('30 2 * * *', 'Europe/Paris'), '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'),
    ).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:30Z'])
    expect(
      between(rhythm('0,15,30 2 * * *', 'America/New_York'), '2026-03-08T00:00:00Z', '2026-03-08T20:00:00Z'),
    ).toEqual(['2026-03-08T07:00Z'])
    expect(
      between(rhythm('15 2 * * *', 'Australia/Lord_Howe'), '2026-10-03T00:00:00Z', '2026-10-04T12:00:00Z'),
    ).toEqual(['2026-10-03T15:30Z'])
  })

  test('that repeats the time is one slot, the first time', () => {
    expect(
      between(rhythm('30 2 * * *', 'Europe/Paris'), '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'),
    ).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z'])
    expect(
      between(rhythm('45 1 * * *', 'Australia/Lord_Howe'), '2026-04-04T00:00:00Z', '2026-04-05T12:00:00Z'),
    ).toEqual(['2026-04-04T14:45Z'])
  })

  test('lets go on what runs every so many minutes', () => {
    expect(
      between(rhythm('*/30 * * * *', 'Europe/Paris'), '2026-10-25T00:00:00Z', '2026-10-25T02:30:00Z'),
    ).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
    ])
  })

  test.each(
    CHANGES.flatMap(([zone, ...days]) =>
      days.flatMap((day) => EXPRESSIONS.map((expression) => [zone, day, expression] as const)),
    ),
  )('in %s after %s gives %s as counting through the minutes does', (zone, day, expression) => {
    const until = new Date(ms(day) + 60 * HOUR).toISOString()
    expect(between(rhythm(expression, zone), day, until)).toEqual(
      counted(expression, zone, { from: ms(day), hours: 60 }),
    )
  })
})

/** Goes through all minutes of a span, and knows of clock changes only that the wall clock jumped. */
function counted(expression: string, zone: string, { from, hours }: { from: number; hours: number }) {
  const read = cronFields(expression)
  if ('wrong' in read) throw new Error(read.wrong)
  const wanted = new Set<string>()
  const slots: number[] = []
  const open = read.hour.length === 24
  const begun = from - 12 * HOUR
  let before = readingOf(begun, zone)
  for (let at = begun + 60_000; at <= from + hours * HOUR; at += 60_000) {
    const now = readingOf(at, zone)
    let due = false
    // The minutes that the wall clock went over, this one included.
    for (let wall = Math.min(before + 60_000, now); wall <= now; wall += 60_000) {
      const date = new Date(wall)
      const fits =
        read.minute.includes(date.getUTCMinutes()) &&
        read.hour.includes(date.getUTCHours()) &&
        read.dayOfWeek.includes(date.getUTCDay())
      const key = date.toISOString()
      if (fits && (open || !wanted.has(key))) due = true
      if (fits) wanted.add(key)
    }
    before = now
    if (due && at > from) slots.push(at)
  }
  return slots.map(iso)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function readingOf(at: number, zone: string): number {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' } as const
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('sv-SE', options)
  clocks.set(zone, clock)
  return Date.parse(`${clock.format(at).replace(' ', 'T')}Z`)
}

describe('properties', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Paris',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Tokyo',
    'Africa/Cairo',
    'America/St_Johns',
  )
  const expressions = fc.constantFrom(
    '30 2 * * *',
    '*/7 * * * *',
    '0 0 * * *',
    '59 23 * * *',
    '0 */5 * * 1-5',
    '15 0,1,2 1,15 * *',
    '@hourly',
    '*/20 30 1 * * *',
  )
  const instants = fc.integer({ min: ms('2025-01-01T00:00:00Z'), max: ms('2028-12-31T00:00:00Z') })

  test('the next slot is later than asked, and the same from wherever one asks before it', () => {
    fc.assert(
      fc.property(
        expressions,
        zones,
        instants,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (expression, zone, after, part) => {
          const of = rhythm(expression, zone)
          const slot = nextSlot(of, after) as number
          expect(slot).toBeGreaterThan(after)
          const later = after + Math.floor((slot - 1 - after) * part)
          expect(nextSlot(of, later)).toBe(slot)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('every counts from its creation, wherever one asks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 1e9 }), instants, instants, (everyMs, anchor, after) => {
        const slot = nextSlot({ when: { kind: 'every', everyMs }, zone: 'UTC', anchor }, after) as number
        expect(slot).toBeGreaterThan(after)
        expect((slot - anchor) % everyMs).toBe(0)
        expect(slot - Math.max(after, anchor)).toBeLessThanOrEqual(everyMs)
      }),
    )
  })
})

test('three years of every ten seconds give the last hundred, and say that there were more', () => {
  const of: Rhythm = { when: { kind: 'every', everyMs: 10_000 }, zone: 'UTC', anchor: 0 }
  const until = ms('2026-03-02T09:00:00Z')
  const { slots, more } = slotsIn(of, { after: ms('2023-03-02T09:00:00Z'), until }, 100)
  expect([slots.length, slots.at(-1), more]).toEqual([100, until, true])
})

test('a time for one run in the hour that is skipped is due as clocks go on', () => {
  const when: When = { kind: 'at', at: '2026-03-29T02:30', wall: ms('2026-03-29T02:30:00Z'), isFixed: false }
  expect(iso(nextSlot({ when, zone: 'Europe/Paris', anchor: 0 }, 0))).toBe('2026-03-29T01:00Z')
  expect(nextSlot({ when, zone: 'Europe/Paris', anchor: 0 }, ms('2026-03-29T01:00:00Z'))).toBeNull()
})
