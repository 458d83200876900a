/** Known literals are masked as a slow search by hand masks them, whole and in a stream. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openMasker, openMaskStream } from '../../../src/domain/secrets/mask-literals.ts'

const LEAST_INSIDE = 8

function isPart(left: string | undefined, right: string | undefined): boolean {
  const both = `${left ?? ' '}${right ?? ' '}`
  return /^\p{N}{2}$/u.test(both) || /^\p{L}{2}$/u.test(both)
}

/** Each place of each literal; short ones only where they stand alone; what overlaps is one. */
function maskedByHand(literals: readonly string[], text: string): string {
  const spans: [number, number][] = []
  for (const literal of literals)
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
      const end = at + literal.length
      const isAlone = !isPart(text[at - 1], text[at]) && !isPart(text[end - 1], text[end])
      if (literal.length >= LEAST_INSIDE || isAlone) spans.push([at, end])
    }
  spans.sort(([a, x], [b, y]) => a - b || x - y)
  let [out, end] = ['', 0]
  for (const [at, to] of spans) {
    if (at >= end) out += `${text.slice(end, at)}***`
    end = Math.max(end, to)
  }
  return out + text.slice(end)
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' '), minLength: 1, maxLength: 10 })
const texts = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', ' '), maxLength: 40 })

test('mask() agrees with a search by hand, for any literals and texts', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 5 }), texts, fc.boolean(), (literals, free, isNear) => {
      const text = isNear ? `${free}${literals.join('')}${free}${literals[0] ?? ''}` : free
      expect(openMasker(literals).mask(text)).toBe(maskedByHand(literals, text))
    }),
    { numRuns: 1_000 },
  )
})

test('a stream shows what mask() shows, however it is cut', () => {
  // Those of a value have four characters and more.
  const literals = fc.array(
    letters.filter(({ length }) => length > 1),
    { minLength: 1, maxLength: 3 },
  )
  fc.assert(
    fc.property(literals, fc.array(fc.oneof(letters, texts), { maxLength: 8 }), (all, pieces) => {
      const masker = openMasker(all)
      const stream = openMaskStream(() => masker)
      const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.end()
      expect(shown).toBe(masker.mask(pieces.join('')))
    }),
    { numRuns: 500 },
  )
})

describe('mask', () => {
  test.each([
    ['nothing known', [], 'secret-value', 'secret-value'],
    ['at both ends', ['swordfish'], 'swordfish x swordfish', '*** x ***'],
    ['a long one inside a word', ['swordfish'], 'myswordfishes', 'my***es'],
    ['a short one alone', ['4711'], 'pin=4711,', 'pin=***,'],
    ['a short one inside a number', ['4711'], '147112', '147112'],
    ['a short one before letters', ['4711'], '4711abc', '***abc'],
    ['a short word inside a word', ['hook'], 'hooks', 'hooks'],
    ['a short word beside a digit', ['hook'], 'hook2', '***2'],
    ['overlapping ones', ['abcdefgh', 'efghijkl'], 'x abcdefghijkl y', 'x *** y'],
    ['one inside another', ['abcdefghij', 'cdefghij'], 'abcdefghij', '***'],
    ['one after another', ['abcdefgh'], 'abcdefghabcdefgh', '******'],
    ['a short one that is too near, inside a long one', ['abcd', 'abcdefghi'], 'abcdefghi', '***'],
    ['the longest that stands alone', ['b-c', 'a-b-c'], 'xa-b-c', 'xa-***'],
    ['other scripts', ['пароль12'], 'мой пароль12', 'мой ***'],
  ])('%s', (_, literals, text, masked) => expect(openMasker(literals).mask(text)).toBe(masked))
})

test('head() cuts before what may become a literal, and shows all else', () => {
  const masker = openMasker(['swordfish'])
  expect(masker.head('a swordfish b', 0)).toEqual({ shown: 'a *** b', cut: 13 })
  expect(masker.head('a sword', 0)).toEqual({ shown: 'a ', cut: 2 })
  expect(masker.head('a swords', 0)).toEqual({ shown: 'a sword', cut: 7 })
  expect(masker.head('a b', 2)).toEqual({ shown: 'b', cut: 3 })
})
