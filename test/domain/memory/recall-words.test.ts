/** Words for the index and for queries: one spelling finds another, in any script, and nothing is query syntax. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  plainWordsOf,
  scriptsOf,
  stemOf,
  termsOf,
  withKind,
  wordsOf,
} from '../../../src/domain/memory/recall-words.ts'

describe('wordsOf', () => {
  test.each([
    ['', []],
    ['Fix the login!', ['fix', 'the', 'login']],
    ['NAÏVE café', ['naiv', 'caf']],
    ["John's don't", ['john', 'dont']],
    ['a_b-c', ['a', 'b', 'c']],
    ['v2', ['v2', '2']],
    ['3rd 21st', ['3', '21']],
    ['oauth2', ['oauth2', 'oauth', '2']],
    ['007', ['7']],
    ['10,000 and 1,2', ['10000', 'and', '1', '2']],
    ['2026-03-05', ['2026', 'march', '5']],
    ['2026-13-05', ['2026', '13', '5']],
    ['Sept 3', ['septemb', '3']],
    ['may', ['may']],
    ['five db', ['5', 'databas']],
    ['ｆｕｌｌ', ['full']],
    ['金庫', ['金', '庫', '金庫']],
    ['AI金庫2', ['ai', '金', '庫', '金庫', '2']],
    ['कमल', ['कमल']],
    ['🎉', ['sign1f389']],
    ['"a" OR (b*) NEAR/3', ['a', 'or', 'b', 'near', '3']],
  ])('of %j are %j', (text, words) => expect(wordsOf(text)).toEqual(words))

  test('hold letters, marks and digits only, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u)
        for (const term of termsOf(text)) expect(term).toMatch(/^[\p{L}\p{M}\p{N}]+\*?$/u)
      }),
    )
  })

  test('are the same for a text in capitals, and for both forms of an accent', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'E', 'é', 'ö', ' ', 'S', 'ing', '2', '金'),
      maxLength: 20,
    })
    fc.assert(
      fc.property(texts, (text) => {
        expect(wordsOf(text.toUpperCase())).toEqual(wordsOf(text))
        expect(wordsOf(text.normalize('NFD'))).toEqual(wordsOf(text.normalize('NFC')))
      }),
    )
  })
})

test.each([
  ...['ship ships shipped shipping', 'stop stopped stopping', 'note notes noted', 'city cities'],
  ...['box boxes', 'class classes', 'deploy deployed deploying deployment', 'organization organisation'],
  ...['happy happiness', 'quick quickly', 'study studies studied', 'wait waiting waits', 'final finally'],
])('stemOf() is the same for %s', (words) => {
  expect(new Set(words.split(' ').map(stemOf)).size).toBe(1)
})

test.each([
  ...['bus bush', 'sing s', 'red reed', 'string str', 'king k', 'this thi', 'analysis analysi'],
  ...['new news', 'cat cart', 'bed b', 'ring r', 'is i'],
])('stemOf() is different for %s', (words) => {
  const stems = words.split(' ').map(stemOf)
  // `news` is `new`: an ending that looks like a plural is one.
  expect(new Set(stems).size).toBe(words === 'new news' ? 1 : 2)
})

describe('termsOf', () => {
  test.each([
    ['the', ['the', 'the*']],
    ['the shop', ['shop', 'shop*']],
    ['open shop', ['open', 'open*', 'shop', 'shop*']],
    ['open the big shop', ['open', 'big', 'shop']],
    ['ab', ['ab']],
    ['v2', ['v2', '2']],
    ['shop shop', ['shop', 'shop*']],
    ['金庫の番号', ['金庫', '庫の', 'の番', '番号', '金', '庫', 'の', '番', '号']],
  ])('of %j are %j', (query, terms) => expect(termsOf(query)).toEqual(terms))

  test('are each once, 64 at most, and words that the index has', () => {
    const long = Array.from({ length: 200 }, (_, at) => `term${at}`).join(' ')
    expect(termsOf(long)).toHaveLength(64)
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 's', ' ', '2', '金', '庫', '🎉', 'é') })
    fc.assert(
      fc.property(texts, (text) => {
        const terms = termsOf(text)
        expect(new Set(terms).size).toBe(terms.length)
        const words = wordsOf(text)
        for (const term of terms)
          expect(
            words.some((word) => (term.endsWith('*') ? word.startsWith(term.slice(0, -1)) : word === term)),
          ).toBe(true)
      }),
    )
  })
})

test('plainWordsOf() leaves out little words unless there are no others, and scripts without spaces', () => {
  expect(plainWordsOf('The shops are OPEN 金庫')).toEqual(['shops', 'open'])
  expect(plainWordsOf('to be or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be'])
})

test('scriptsOf() counts words of letters, and characters of scripts without spaces', () => {
  expect(scriptsOf('The 3 shops 金庫 の 🎉 2nd')).toEqual({ words: ['the', 'shops', '2nd'], wide: 3 })
})

test.each([
  ['how long is the drive to the lake', 'how long is the drive to the lake hours minutes'],
  ['How much time does it take?', 'How much time does it take? hours minutes'],
  ['when and where do we meet', 'when and where do we meet day time place'],
  ['whenever nowhere', 'whenever nowhere'],
  ['', ''],
])('withKind(%j) is %j', (question, with_) => expect(withKind(question)).toBe(with_))
