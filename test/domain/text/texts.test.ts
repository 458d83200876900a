/** Small texts: one line, cuts between characters, counts, how well a name fits, what is made once. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitOf, typedWords } from '../../../src/domain/text/best-match.ts'
import { counted } from '../../../src/domain/text/counted.ts'
import { lazily } from '../../../src/domain/text/lazily.ts'
import { beginning, cut, oneLine } from '../../../src/domain/text/one-line.ts'
import { shellWord } from '../../../src/domain/text/shell-word.ts'

const texts = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '漢', '\u0301') })

describe('cut', () => {
  test.each([
    ['', 5, ''],
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
    ['abcdef', 1, '…'],
    ['abc😀', 5, 'abc😀'],
    ['abc😀d', 5, 'abc…'],
    ['😀😀😀', 4, '😀…'],
    ['😀😀😀', 3, '😀…'],
    ['😀😀😀', 2, '…'],
  ])('cut(%j, %i) is %j', (text, most, is) => expect(cut(text, most)).toBe(is))

  test('cut() and beginning() give no half of a character, and never more than asked for', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, most) => {
        for (const part of [cut(text, most), beginning(text, most)]) {
          expect(part.length).toBeLessThanOrEqual(most)
          expect(() => encodeURIComponent(part)).not.toThrow()
        }
        expect(text.startsWith(beginning(text, most))).toBe(true)
        expect(beginning(text, most).length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1)
        expect(cut(text, most) === text).toBe(text.length <= most)
      }),
    )
  })
})

test.each([
  ['', ''],
  ['  a\n\tb \r\n c ', 'a b c'],
  ['a\u00a0b', 'a b'],
  ['a\u2028b', 'a b'],
])('oneLine(%j) is %j', (text, line) => expect(oneLine(text)).toBe(line))

test('oneLine() keeps all that is no white space, and changes nothing twice', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const line = oneLine(text)
      expect(oneLine(line)).toBe(line)
      expect(line.replaceAll(' ', '')).toBe(text.replaceAll(/\s/g, ''))
      expect(line).not.toMatch(/[\n\r\t]| {2}|^ | $/)
    }),
  )
})

test.each([
  [0, '0 facts'],
  [1, '1 fact'],
  [2, '2 facts'],
  [999, '999 facts'],
  [1_000, '1,000 facts'],
  [12_345, '12,345 facts'],
  [1_234_567, '1,234,567 facts'],
])('counted(%i) is %j', (count, says) => expect(counted(count, 'fact')).toBe(says))

describe('best match', () => {
  test.each([
    ['', []],
    ['  ', []],
    [' Fix  LOGIN\tnow ', ['fix', 'login', 'now']],
    ['a b c d e f g h i j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
  ])('typedWords(%j) are %j', (text, words) => expect(typedWords(text)).toEqual(words))

  test.each([
    [[], 'Fix login', '', 0],
    [['fix'], 'Fix login', '', 4],
    [['login'], 'Fix login', '', 3],
    [['login'], 'fix-login', '', 3],
    [['ogin'], 'Fix login', '', 2],
    [['shop'], 'Fix login', 'shop t-1', 1],
    [['pay'], 'Fix login', 'shop t-1', 0],
    [['fix', 'pay'], 'Fix login', 'shop', 0],
    [['fix', 'login'], 'Fix login', '', 3.5],
    [['été'], 'Un été', '', 3],
    [['té'], 'Un été', '', 2],
  ])('fitOf(%j, %j, %j) is %d', (words, name, rest, fit) => expect(fitOf(words, name, rest)).toBe(fit))

  test('fitOf() is above zero exactly if every word is somewhere', () => {
    const words = fc.array(fc.constantFrom('fix', 'lo', 'shop', 'zz'), { minLength: 1, maxLength: 4 })
    const names = fc.constantFrom('Fix login', 'logs', 'a shop', '')
    fc.assert(
      fc.property(words, names, names, (all, name, rest) => {
        const isThere = all.every((word) => `${name}\n${rest}`.toLowerCase().includes(word))
        expect(fitOf(all, name, rest) > 0).toBe(isThere)
      }),
    )
  })
})

test('lazily() makes its value at the first call and once, also if it is undefined or the making failed before', () => {
  let made = 0
  const value = lazily(() => {
    made += 1
    if (made === 1) throw new Error('not yet')
    return undefined
  })
  expect(made).toBe(0)
  expect(value).toThrow('not yet')
  expect([value(), value(), made]).toEqual([undefined, undefined, 2])
})

test.each([
  ['/srv/home', '/srv/home'],
  ['/srv/my home', "'/srv/my home'"],
  ["it's", "'it'\\''s'"],
  ['', "''"],
])('shellWord() gives a shell %j as one word', (text, word) => {
  expect(shellWord(text)).toBe(word)
})
