/** What schedules are due with, under a virtual clock: restarts, jumps, sleep, clock changes, kills before the mark. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LATE_MS, MOST_SLOTS } from '../../../src/domain/schedule/due-runs.ts'
import { nextSlot } from '../../../src/domain/schedule/schedule-slots.ts'
import { DAY, fileOf, HOUR, MINUTE, ms, Room } from './schedule-room.ts'

const times = (slots: readonly number[]) => slots.map((slot) => new Date(slot).toISOString().slice(0, 16))

describe('a schedule', () => {
  test('fires each slot once as it comes, and not before', () => {
    const room = new Room('cron: "0 * * * *"', '2026-03-02T09:30:00Z')
    room.pass(3 * HOUR)
    expect(times(room.made)).toEqual(['2026-03-02T10:00', '2026-03-02T11:00', '2026-03-02T12:00'])
    expect(room.wakeAt).toBe(ms('2026-03-02T13:00:00Z'))
  })

  test('that ran at 22:00 does not run again at the start at 22:30', () => {
    const room = new Room('cron: "0 22 * * *"', '2026-03-02T21:00:00Z')
    room.pass(HOUR)
    room.now += 30 * MINUTE
    room.restart()
    expect(room.made).toHaveLength(1)
  })

  test.each([
    ['latest', 1, 71],
    ['none', 0, 72],
    ['all', 72, 0],
  ])(
    'with catch_up: %s makes up for %d of three days of hours, and says that %d were missed',
    (policy, runs, missed) => {
      const room = new Room(`cron: "0 * * * *"\ncatch_up: ${policy}\noverlap: all`, '2026-03-02T09:30:00Z')
      room.now += 3 * DAY
      room.restart()
      expect([room.made.length, room.missed]).toEqual([runs, missed])
      room.pass(HOUR)
      expect(room.made).toHaveLength(runs + 1)
    },
  )

  test('of every ten seconds makes up for a hundred runs of a month at most', () => {
    const room = new Room('every: 10s\ncatch_up: all\noverlap: all', '2026-03-02T09:30:00Z')
    room.now += 30 * DAY
    room.restart()
    expect(room.made).toHaveLength(MOST_SLOTS)
    expect(room.made.at(-1)).toBe(room.now)
  })

  test('that was asleep with the machine, the process living on, counts as missed too', () => {
    const room = new Room('cron: "0 * * * *"\ncatch_up: none', '2026-03-02T09:30:00Z')
    room.now += 3 * DAY
    room.look()
    expect([room.made.length, room.missed]).toEqual([0, 72])
  })

  test('down for 13 seconds over the slot runs it late, or lets it pass, as its policy says', () => {
    const runs = (['latest', 'none'] as const).map((policy) => {
      const room = new Room(`cron: "0 10 * * *"\ncatch_up: ${policy}`, '2026-03-02T09:59:55Z')
      room.now += 13_000
      room.restart()
      return room.made.length
    })
    expect(runs).toEqual([1, 0])
  })

  test('a month away fires once, on time', () => {
    const room = new Room('cron: "0 9 1 * *"', '2026-03-02T09:00:00Z')
    expect(room.wakeAt).toBe(ms('2026-04-01T09:00:00Z'))
    room.pass(31 * DAY)
    expect(times(room.made)).toEqual(['2026-04-01T09:00'])
  })

  test('100 restarts within a minute give one run', () => {
    const room = new Room('cron: "* * * * *"', '2026-03-02T09:00:30Z')
    for (let n = 0; n < 100; n++) {
      room.now += 300
      room.restart()
      room.endAll()
    }
    expect(times(room.made)).toEqual(['2026-03-02T09:01'])
  })

  test('begins at its change, and catches up with nothing from before', () => {
    const room = new Room('cron: "0 9 * * *"', '2026-03-01T08:00:00Z')
    room.pass(2 * HOUR)
    room.now = ms('2026-03-02T08:30:00Z')
    const { neo } = room.file.schedule
    const changed = fileOf('---\ncron: "0 8 * * *"\n---\nDo it.\n')
    room.file = { ...changed, schedule: { ...changed.schedule, neo } }
    room.pass(DAY)
    expect(times(room.made)).toEqual(['2026-03-01T09:00', '2026-03-03T08:00'])
  })

  test('that was paused and goes on has no runs to make up for', () => {
    const room = new Room('cron: "0 * * * *"', '2026-03-02T09:30:00Z')
    room.set('paused')
    room.pass(5 * HOUR)
    room.set('active')
    expect([room.made.length, room.missed]).toEqual([0, 0])
    room.pass(HOUR)
    expect(room.made).toHaveLength(1)
  })

  test('of one time fires once, also when that time is over at its first look', () => {
    const room = new Room('at: 2026-03-02T09:00', '2026-03-02T10:00:00Z')
    room.pass(DAY)
    room.now -= 3 * DAY
    room.pass(6 * DAY)
    expect(times(room.made)).toEqual(['2026-03-02T09:00'])
  })
})

describe('a slot that comes while the task of an earlier one goes on', () => {
  const slow = (overlap: string) => {
    const room = new Room(`every: 10m\noverlap: ${overlap}`, '2026-03-02T09:00:00Z')
    room.pass(35 * MINUTE, false)
    const during = room.made.length
    for (let n = 0; n < 5; n++) {
      room.endAll()
      room.look()
    }
    return [during, room.made.length, room.missed]
  }

  test.each([
    ['skip', [1, 1, 2]],
    ['queue', [1, 3, 0]],
    ['all', [3, 3, 0]],
  ])('goes by overlap: %s', (overlap, counts) => {
    expect(slow(overlap)).toEqual(counts)
  })

  test('waits in a queue over a restart', () => {
    const room = new Room('every: 10m\noverlap: queue', '2026-03-02T09:00:00Z')
    room.pass(25 * MINUTE, false)
    room.restart()
    room.endAll()
    room.look()
    expect(times(room.made)).toEqual(['2026-03-02T09:10', '2026-03-02T09:20'])
  })

  test('does not wait for work that waits for a review', () => {
    const room = new Room('every: 10m', '2026-03-02T09:00:00Z')
    room.pass(15 * MINUTE, false)
    room.tasks = room.tasks.map((file) => ({ ...file, task: { ...file.task, status: 'review' } }))
    room.pass(10 * MINUTE, false)
    expect(room.made).toHaveLength(2)
  })
})

const ZONES = ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo'] as const
/** Before both changes of each zone; the last has none. */
const CHANGES = [
  ['Europe/Paris', '2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z'],
  ['America/New_York', '2026-03-07T18:00:00Z', '2026-10-31T18:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T06:00:00Z', '2026-04-04T06:00:00Z'],
  ['Asia/Tokyo', '2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z'],
] as const
const STARTS = CHANGES.flatMap(([, ...starts]) => starts)
const RULES = [
  'cron: "30 2 * * *"',
  'cron: "15 1,2,3 * * *"',
  'cron: "*/20 * * * *"',
  'cron: "0 0 * * *"',
  'every: 45m',
  'cron: "45 1 * * 0"',
] as const

describe('properties', () => {
  const acts = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        by: fc.integer({ min: 1000, max: 5 * HOUR }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('restart' as const),
        by: fc.integer({ min: 0, max: 30 * HOUR }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('jump' as const),
        by: fc.integer({ min: -20 * HOUR, max: 20 * HOUR }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('kill' as const), by: fc.integer({ min: 0, max: HOUR }) }),
    },
  )
  const policies = fc.record({
    catchUp: fc.constantFrom('latest', 'all', 'none'),
    overlap: fc.constantFrom('skip', 'queue', 'all'),
  })

  test('whatever clock and process do, each slot runs once at most, and only slots run', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...STARTS),
        fc.tuple(fc.constantFrom(...RULES), policies),
        fc.array(acts, { maxLength: 15 }),
        (zone, start, [rule, { catchUp, overlap }], story) => {
          const room = new Room(`${rule}\ncatch_up: ${catchUp}\noverlap: ${overlap}`, start, zone)
          for (const { kind, by } of story) {
            if (kind === 'pass') room.pass(Math.max(0, by))
            else room.now += by
            if (kind === 'kill') room.look(true)
            if (kind === 'restart' || kind === 'kill') room.restart()
            else room.look()
            room.endAll()
          }
          expect(new Set(room.made).size).toBe(room.made.length)
          const { schedule } = room.file
          const anchor = ms(schedule.neo.createdAt ?? '')
          for (const slot of room.made)
            expect(nextSlot({ when: schedule.when, zone, anchor }, slot - 1)).toBe(slot)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('without jumps, and with somebody there, each slot runs', () => {
    for (const [zone, ...starts] of CHANGES)
      for (const start of starts)
        for (const rule of RULES) {
          const room = new Room(rule, start, zone)
          const { schedule } = room.file
          const rhythm = { when: schedule.when, zone, anchor: ms(start) }
          const until = ms(start) + 2 * DAY
          const wanted: number[] = []
          for (let at = nextSlot(rhythm, ms(start)); at !== null && at <= until; at = nextSlot(rhythm, at))
            wanted.push(at)
          room.pass(2 * DAY)
          expect(room.made).toEqual(wanted)
          expect(room.missed).toBe(0)
        }
  })
})

test('a clock that was years ahead for a moment leaves the schedule running', () => {
  const room = new Room('cron: "0 * * * *"', '2026-03-02T09:30:00Z')
  room.now += 4 * 365 * DAY
  room.look()
  room.endAll()
  room.now -= 4 * 365 * DAY
  room.pass(2 * HOUR)
  expect(times(room.made.slice(1))).toEqual(['2026-03-02T10:00', '2026-03-02T11:00'])
})

test('late is what comes after five minutes', () => {
  const room = new Room('cron: "0 10 * * *"\ncatch_up: none', '2026-03-02T09:59:00Z')
  room.now = ms('2026-03-02T10:00:00Z') + LATE_MS
  room.look()
  expect(room.made).toHaveLength(1)
})
