/** Which notices go to a place now, and which together. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NoticeKind, NotifyRule } from '../../../src/domain/room/notice-kinds.ts'
import { deliveryOf, isQuiet } from '../../../src/domain/room/notice-kinds.ts'

const AT = Date.parse('2026-03-01T09:00:00Z')
const KINDS: Readonly<Record<string, NoticeKind>> = {
  ask: 'asks',
  complete: 'results',
  fail: 'failures',
  reply: 'words',
}
const notice = (key: string, minutesAgo = 0) => ({
  key,
  kind: KINDS[key.split(':')[0] ?? ''] ?? 'problems',
  at: new Date(AT - minutesAgo * 60_000).toISOString(),
})
const rule = (more: Partial<NotifyRule>): NotifyRule => ({ what: null, quiet: null, digestMs: 0, ...more })
const now = { ms: AT, hour: 9, lately: 0 }
const keys = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key)

test('deliveryOf() drops what is not wanted, by any of the rules', () => {
  const waiting = [notice('ask:a'), notice('complete:b'), notice('fail:c')]
  const rules = [rule({ what: ['asks', 'failures'] }), rule({ what: ['asks', 'results'] })]
  expect(deliveryOf(waiting, () => rules, now)).toEqual({
    unwanted: [waiting[1], waiting[2]],
    alone: [waiting[0]],
    together: [],
  })
})

test.each([
  [[22, 7], 23, true],
  [[22, 7], 6, true],
  [[22, 7], 7, false],
  [[1, 5], 4, true],
  [[1, 5], 5, false],
  [[9, 9], 9, false],
  [null, 3, false],
] as const)('isQuiet(%j, %i) is %s', (quiet, hour, is) => expect(isQuiet(quiet, hour)).toBe(is))

test('deliveryOf() lets everything wait in quiet hours', () => {
  const waiting = [notice('ask:a'), notice('fail:b')]
  const quiet = () => [rule({ quiet: [22, 7] })]
  expect(deliveryOf(waiting, quiet, { ...now, hour: 23 })).toEqual({ unwanted: [], alone: [], together: [] })
  expect(keys(deliveryOf(waiting, quiet, now).alone)).toEqual(['ask:a', 'fail:b'])
})

test('deliveryOf() gathers until the oldest has waited long enough; asks go at once', () => {
  const digest = () => [rule({ digestMs: 30 * 60_000 })]
  const young = [notice('fail:a', 10), notice('ask:b', 1)]
  expect(deliveryOf(young, digest, now)).toMatchObject({ alone: [young[1]], together: [] })
  const old = [...young, notice('complete:c', 31)]
  expect(keys(deliveryOf(old, digest, now).together)).toEqual(['fail:a', 'complete:c'])
})

test('deliveryOf() makes one message of many, and none where many went there within a minute', () => {
  const many = ['a', 'b', 'c', 'd'].map((name) => notice(`fail:${name}`))
  expect(keys(deliveryOf(many, () => [], now).together)).toHaveLength(4)
  const two = many.slice(0, 2)
  expect(keys(deliveryOf(two, () => [], { ...now, lately: 1 }).alone)).toHaveLength(2)
  expect(keys(deliveryOf(two, () => [], { ...now, lately: 2 }).together)).toHaveLength(2)
  const full = deliveryOf([...two, notice('ask:x')], () => [], { ...now, lately: 4 })
  expect([keys(full.alone), full.together]).toEqual([['ask:x'], []])
})

test('deliveryOf() gives each notice to one group at most, in order, and asks never together', () => {
  const rules = fc.record({
    what: fc.option(fc.subarray(['asks', 'results', 'failures', 'words'] as const)),
    quiet: fc.option(fc.tuple(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 24 }))),
    digestMs: fc.constantFrom(0, 60_000),
  })
  const waiting = fc
    .array(fc.constantFrom('ask', 'complete', 'fail', 'reply'), { maxLength: 12 })
    .map((kinds) => kinds.map((kind, n) => notice(`${kind}:${n}`, n % 3)))
  fc.assert(
    fc.property(
      waiting,
      fc.array(rules, { maxLength: 2 }),
      fc.nat(23),
      fc.nat(6),
      (all, own, hour, lately) => {
        const { unwanted, alone, together } = deliveryOf(all, () => own, { ms: AT, hour, lately })
        const given = [...unwanted, ...alone, ...together]
        expect(new Set(keys(given)).size).toBe(given.length)
        expect(keys(all)).toEqual(expect.arrayContaining(keys(given)))
        expect(together.some(({ key }) => key.startsWith('ask:'))).toBe(false)
        expect(keys(all).filter((key) => keys(together).includes(key))).toEqual(
          keys(together).toSorted((a, b) => keys(all).indexOf(a) - keys(all).indexOf(b)),
        )
      },
    ),
  )
})

test('deliveryOf() sends no more than four messages a minute, requests aside, and keeps all that it does not send', () => {
  const waiting = fc
    .array(fc.constantFrom('ask', 'complete', 'fail', 'reply'), { maxLength: 12 })
    .map((kinds) => kinds.map((kind, n) => notice(`${kind}:${n}`, n)))
  const digest = fc.constantFrom(0, 60_000, 20 * 60_000)
  fc.assert(
    fc.property(waiting, digest, fc.nat(8), (all, digestMs, lately) => {
      const given = deliveryOf(all, () => [rule({ digestMs })], { ...now, lately })
      const alone = given.alone.filter(({ kind }) => kind !== 'asks')
      const messages = alone.length + (given.together.length > 0 ? 1 : 0)
      expect(messages).toBeLessThanOrEqual(Math.max(0, 4 - lately))
      expect(given.unwanted).toEqual([])
      expect(given.alone.filter(({ kind }) => kind === 'asks')).toEqual(
        all.filter(({ kind }) => kind === 'asks'),
      )
      // What is wanted at once and has room goes at once.
      const others = all.filter(({ kind }) => kind !== 'asks').length
      if (digestMs === 0 && lately < 4) expect(alone.length + given.together.length).toBe(others)
    }),
  )
})
