/** Patterns of access rules, against what they mean by definition. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patternCovers } from '../../../src/domain/peer/pattern-match.ts'

/** Tries everything: `*` is any text without `/`, `**` any text, and a name `**` any number of names. */
function means(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const names = /^\*{2,}\//.exec(pattern)?.[0]
  if (names !== undefined) {
    const rest = pattern.slice(names.length)
    return startsOf(text).some((from) => means(rest, text.slice(from)))
  }
  const stars = /^\*+/.exec(pattern)?.[0]
  if (stars === undefined) {
    const [char = ''] = pattern
    return text.startsWith(char) && meansAfter(char, pattern.slice(char.length), text.slice(char.length))
  }
  const most = stars.length > 1 || !text.includes('/') ? text.length : text.indexOf('/')
  return [...Array(most + 1).keys()].some((from) =>
    meansAfter('x', pattern.slice(stars.length), text.slice(from)),
  )
}

/** `**` is a name only at the start and after a slash. */
function meansAfter(char: string, pattern: string, text: string): boolean {
  const isName = char === '/' || !/^\*{2,}\//.test(pattern)
  if (isName) return means(pattern, text)
  const rest = pattern.replace(/^\*+/, '')
  return [...Array(text.length + 1).keys()].some((from) => means(rest, text.slice(from)))
}

/** Where names begin. */
function startsOf(text: string): readonly number[] {
  return [0, ...[...text].flatMap((char, at) => (char === '/' ? [at + 1] : []))]
}

test('patternCovers() matches what the pattern means', () => {
  const pattern = fc
    .array(fc.constantFrom('a', 'b', '*', '**', '/', '**/'), { minLength: 1, maxLength: 8 })
    .map((parts) => `o/r/${parts.join('')}`)
    .filter((text) => !/\/\/|\/$/.test(text))
  const path = fc
    .array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 8 })
    .map((parts) => `o/r/${parts.join('')}`)
    .filter((text) => !/\/\/|\/$/.test(text))
  fc.assert(
    fc.property(pattern, path, (given, identifier) => {
      expect(patternCovers('file', given, { type: 'file', identifier })).toBe(means(given, identifier))
    }),
    { numRuns: 5_000 },
  )
})
