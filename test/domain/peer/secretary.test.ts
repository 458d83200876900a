import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { confidenceOf, mayAnswerUnasked, whenToAnswer } from '../../../src/domain/peer/secretary.ts'

const at = (time: string) => Date.parse(time)
const asked = {
  wish: 'normal',
  cap: 'high',
  config: { focusHours: [9, 17], interrupt: true },
  zone: 'UTC',
} as const

function bufferedUntil(more: Partial<Parameters<typeof whenToAnswer>[0]> & { readonly now: number }) {
  const when = whenToAnswer({ ...asked, ...more })
  return when === 'now' ? 'now' : new Date(when.bufferUntil).toISOString()
}

describe('whenToAnswer', () => {
  test.each([
    ['2026-03-02T08:59:59Z', 'now'],
    ['2026-03-02T09:00:00Z', '2026-03-02T17:00:00.000Z'],
    ['2026-03-02T16:59:59Z', '2026-03-02T17:00:00.000Z'],
    ['2026-03-02T17:00:00Z', 'now'],
  ])('with focus hours from 9 to 17, at %s: %s', (now, until) => {
    expect(bufferedUntil({ now: at(now) })).toBe(until)
  })

  test('reads the hours in the time zone of the home', () => {
    const zone = 'America/New_York'
    expect(bufferedUntil({ now: at('2026-03-02T13:30:00Z'), zone })).toBe('now')
    expect(bufferedUntil({ now: at('2026-03-02T14:30:00Z'), zone })).toBe('2026-03-02T22:00:00.000Z')
  })

  test('hours may go over midnight, and to its end', () => {
    const night = { config: { focusHours: [22, 6], interrupt: true } } as const
    expect(bufferedUntil({ ...night, now: at('2026-03-02T23:00:00Z') })).toBe('2026-03-03T06:00:00.000Z')
    expect(bufferedUntil({ ...night, now: at('2026-03-02T05:00:00Z') })).toBe('2026-03-02T06:00:00.000Z')
    expect(bufferedUntil({ ...night, now: at('2026-03-02T12:00:00Z') })).toBe('now')
    const evening = { config: { focusHours: [20, 24], interrupt: true } } as const
    expect(bufferedUntil({ ...evening, now: at('2026-03-02T21:00:00Z') })).toBe('2026-03-03T00:00:00.000Z')
  })

  test('the end is right on the day that clocks change', () => {
    const night = { config: { focusHours: [1, 8], interrupt: true } } as const
    expect(bufferedUntil({ ...night, now: at('2026-03-29T00:30:00Z'), zone: 'Europe/Paris' })).toBe(
      '2026-03-29T06:00:00.000Z',
    )
  })

  test.each([
    ['high', 'high', true, 'now'],
    ['high', 'normal', true, '2026-03-02T17:00:00.000Z'],
    ['normal', 'high', true, '2026-03-02T17:00:00.000Z'],
    ['high', 'high', false, '2026-03-02T17:00:00.000Z'],
  ] as const)('a wish for %s, capped at %s, with interrupt %s: %s', (wish, cap, interrupt, until) => {
    const now = at('2026-03-02T12:00:00Z')
    expect(bufferedUntil({ wish, cap, config: { focusHours: [9, 17], interrupt }, now })).toBe(until)
  })

  test('without focus hours everything is answered now', () => {
    expect(bufferedUntil({ config: { focusHours: null, interrupt: false }, now: 0 })).toBe('now')
  })

  test('waits less than a day, and then until an hour outside', () => {
    const hour = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(
        hour,
        hour,
        fc.integer({ min: 0, max: 4e12 }),
        fc.constantFrom('UTC', 'Europe/Paris'),
        (from, to, now, zone) => {
          fc.pre(from !== to)
          const config = { focusHours: [from, to], interrupt: true } as const
          const when = whenToAnswer({ ...asked, config, now, zone })
          if (when === 'now') return
          expect(when.bufferUntil).toBeGreaterThan(now)
          expect(when.bufferUntil - now).toBeLessThanOrEqual(25 * 3_600_000)
          expect(whenToAnswer({ ...asked, config, now: when.bufferUntil, zone })).toBe('now')
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('confidenceOf', () => {
  test('is the share of references that exist and are in the scope', () => {
    const yes = { exists: true, inScope: true }
    expect(confidenceOf([])).toBe(0)
    expect(confidenceOf([yes, yes])).toBe(1)
    expect(confidenceOf([yes, { exists: true, inScope: false }, { exists: false, inScope: true }, yes])).toBe(
      0.5,
    )
  })
})

describe('mayAnswerUnasked', () => {
  test.each([
    [true, 0.8, true, true],
    [true, 0.79, true, false],
    [false, 1, true, false],
    [false, 0, false, true],
  ])('auto %s, confidence %d, approval required %s: %s', (auto, confidence, approvalRequired, may) => {
    expect(mayAnswerUnasked({ confidence, auto, config: { approvalRequired, autoRespond: 0.8 } })).toBe(may)
  })
})
