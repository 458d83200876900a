/** Bars and short figures. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bar, inkOf } from '../../src/cli/commands/show-usage.ts'
import { countText, widthOf } from '../../src/cli/shown-text.ts'

test.each([
  [0, 'blocks', ''],
  [0.001, 'blocks', '▏'],
  [0.5, 'blocks', '████'],
  [0.55, 'blocks', '████▍'],
  [1, 'blocks', '████████'],
  [0, 'plain', ''],
  [0.001, 'plain', '#'],
  [0.5, 'plain', '####'],
  [1, 'plain', '########'],
  [Number.NaN, 'plain', ''],
] as const)('bar() of %d in eight columns of %s is %j', (share, ink, text) => {
  expect(bar(share, 8, ink)).toBe(text)
})

test('bar() shows what is more than nothing, is never too long, and never shorter for more', () => {
  const share = fc.double({ min: 1e-9, max: 1, noNaN: true })
  fc.assert(
    fc.property(
      share,
      share,
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('blocks', 'plain'),
      (a, b, width, ink) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((one) => widthOf(bar(one, width, ink)))
        expect(less).toBeGreaterThan(0)
        expect(more).toBeGreaterThanOrEqual(less ?? 0)
        expect(more).toBeLessThanOrEqual(width)
      },
    ),
  )
})

test.each([
  [true, { LANG: 'de_DE.UTF-8' }, 'blocks'],
  [true, { LANG: 'C.utf8' }, 'blocks'],
  [true, { LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, 'plain'],
  [true, { LANG: 'de_DE.UTF-8', TERM: 'dumb' }, 'plain'],
  [true, {}, 'plain'],
  [false, { LANG: 'de_DE.UTF-8' }, 'plain'],
] as const)('inkOf() a terminal (%s) with %j is %s', (isTerminal, env, ink) => {
  expect(inkOf(isTerminal, env)).toBe(ink)
})

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.0k'],
  [9949, '9.9k'],
  [9950, '10k'],
  [999_499, '999k'],
  [999_500, '1.0M'],
  [1_250_000, '1.3M'],
  [999_500_000, '1.0G'],
])('countText() of %d is %s', (count, text) => {
  expect(countText(count)).toBe(text)
})
