/** Search and replace, and unified diffs: what applies, and what is said where it does not. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from '../../../src/domain/agent/confinement.ts'
import { applyDiff } from '../../../src/domain/agent/patch.ts'
import { replaceIn } from '../../../src/domain/agent/replace-text.ts'
import { cpuMs } from '../../wait.ts'

const TEXT = 'one\ntwo\n  three\nfour\nfive\ntwo\n'
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

const REPLACED: readonly (readonly [text: string, search: string, replace: string, after: string])[] = [
  [TEXT, 'one', 'ONE', 'ONE\ntwo\n  three\nfour\nfive\ntwo\n'],
  [TEXT, 'two\n  three', 'x', 'one\nx\nfour\nfive\ntwo\n'],
  [TEXT, 'four\n', '', 'one\ntwo\n  three\nfive\ntwo\n'],
  [crlf(TEXT), 'four\nfive', 'a\nb\nc', crlf('one\ntwo\n  three\na\nb\nc\ntwo\n')],
  [crlf(TEXT), 'four\r\nfive', 'a\r\nb', crlf('one\ntwo\n  three\na\nb\ntwo\n')],
  ['a\r\nb\nc\n', 'b\n', 'x\n', 'a\r\nx\nc\n'],
  ['no end', 'end', 'END', 'no END'],
  ['a $& b', 'a', '$&$1$$', '$&$1$$ $& b'],
  ['\ufeffa\n', 'a', 'b', '\ufeffb\n'],
]

test.each(REPLACED)('replaceIn(%j) of %j by %j', (text, search, replace, after) => {
  expect(replaceIn(text, { search, replace, count: 1 })).toEqual({ text: after })
})

const UNFIT: readonly (readonly [search: string, count: number, says: string])[] = [
  ['', 1, 'is empty'],
  ['two', 1, 'occurs 2 times (lines 2, 6), expected 1'],
  ['one', 2, 'occurs 1 times (lines 1), expected 2'],
  [
    '\tthree',
    1,
    'nearest is line 3, where line 3 differs: the indentation differs: found 2 spaces, expected 1 tabs',
  ],
  ['four ', 1, 'whitespace at the end'],
  ['four\nfive\nsix', 1, 'nearest is line 4, where line 6 differs: found "two"'],
  ['FOUR', 1, 'search text not found'],
  ['nothing of it', 1, 'search text not found'],
]

test.each(UNFIT)('replaceIn() of %j, %i times, says why not', (search, count, says) => {
  expect(replaceIn(TEXT, { search, replace: 'x', count })).toEqual({ wrong: expect.stringContaining(says) })
})

test('replaceIn() puts all places or none', () => {
  expect(replaceIn(TEXT, { search: 'two', replace: 'x', count: 2 })).toEqual({
    text: 'one\nx\n  three\nfour\nfive\nx\n',
  })
})

test('replaceIn() tells a change that changes nothing', () => {
  expect(replaceIn(TEXT, { search: 'one', replace: 'one', count: 1 })).toHaveProperty('wrong')
})

const DIFFS: readonly (readonly [name: string, text: string, diff: string, after: string])[] = [
  ['a line', 'a\nb\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'a\nB\nc\n'],
  ['file headers before it', 'a\nb\n', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b', 'A\nb\n'],
  ['wrong counts and lines', 'a\nb\nc\nd\n', '@@ -9,9 +9,9 @@\n c\n-d\n+D\n', 'a\nb\nc\nD\n'],
  [
    'two hunks',
    'a\nb\nc\nd\ne\n',
    '@@ -1,2 +1,1 @@\n-a\n b\n@@ -4,2 +3,3 @@\n d\n+x\n e\n',
    'b\nc\nd\nx\ne\n',
  ],
  ['CRLF', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n+C\n', 'a\r\nB\r\nC\r\n'],
  ['a diff in CRLF', 'a\nb\n', '@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n', 'a\nB\n'],
  ['no final line end', 'a\nb', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n', 'A\nb'],
  ['CRLF without final line end', 'a\r\nb', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n', 'A\r\nb'],
  ['an end put', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a\n'],
  ['an end taken', 'a\n', '@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n', 'a'],
  ['an empty file', '', '@@ -0,0 +1,2 @@\n+a\n+b\n', 'a\nb\n'],
  ['a stripped blank of context', 'a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n', 'a\n\nB\n'],
  ['the place that @@ names', 'x\na\nx\na\n', '@@ -3,2 +3,2 @@\n x\n-a\n+A\n', 'x\na\nx\nA\n'],
  ['all lines removed', 'a\nb\n', '@@ -1,2 +0,0 @@\n-a\n-b\n', ''],
  ['lines put without context', 'a\nb\n', '@@ -1,0 +2 @@\n+x\n', 'a\nx\nb\n'],
]

test.each(DIFFS)('applyDiff() applies %s', (_, text, diff, after) => {
  expect(applyDiff(text, diff)).toEqual({ text: after })
})

const UNFIT_DIFFS: readonly (readonly [diff: string, says: string])[] = [
  ['', 'no hunk'],
  ['just text', 'no hunk'],
  ['@@ nonsense\n-one\n', 'line 1 of the diff is "@@ nonsense"'],
  ['@@ -1 +1 @@\n one\n', 'changes nothing'],
  ['@@ -1 +1 @@\n-one\n+one\n', 'changes nothing'],
  ['@@ -1 +1 @@\n-one\n*x\n', 'line 3 of the diff is "*x"'],
  [
    '@@ -3,1 +3,1 @@\n-three\n+x\n',
    'hunk 1 of 1 does not apply: line 3 differs from the hunk: the indentation differs',
  ],
  ['@@ -1 +1 @@\n-one\n+x\n@@ -4 +4 @@\n four\n-six\n+y\n', 'hunk 2 of 2 does not apply: line 5'],
  ['@@ -9 +9 @@\n-two\n+x\n', 'occurs 2 times (lines 2, 6)'],
  ['@@ -6,2 +6,2 @@\n two\n-seven\n+x\n', 'beyond the end'],
  ['@@ -1 +1 @@\n-one\n+x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', 'several files'],
  ['@@ -4 +4 @@\n-four\n+x\n@@ -1 +1 @@\n-one\n+y\n', 'hunk 2 of 2'],
]

test.each(UNFIT_DIFFS)('applyDiff() of %j says why not', (diff, says) => {
  expect(applyDiff(TEXT, diff)).toEqual({ wrong: expect.stringContaining(says) })
})

const line = fc.stringMatching(/^[a-c ]{0,3}$/)

test('applyDiff() of a diff with whole context gives the new text, whatever lines there are', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(line, { minLength: 1 }), (before, after) => {
      fc.pre(before.join('\n') !== after.join('\n'))
      const diff = ['@@ -1 +1 @@', ...before.map((one) => `-${one}`), ...after.map((one) => `+${one}`)].join(
        '\n',
      )
      expect(applyDiff(`${before.join('\n')}\n`, `${diff}\n`)).toEqual({ text: `${after.join('\n')}\n` })
    }),
    { numRuns: 500 },
  )
})

const GLOBS: readonly (readonly [string, string, boolean])[] = [
  ['*.ts', 'a.ts', true],
  ['*.ts', 'a/b.ts', false],
  ['**/*.ts', 'b.ts', true],
  ['**/*.ts', 'a/b/c.ts', true],
  ['a/**', 'a/b/c', true],
  ['a/**', 'a', false],
  ['a/**/c', 'a/c', true],
  ['a/**/c', 'a/x/y/c', true],
  ['a', 'a/b', true],
  ['a/', 'a/b', true],
  ['a', 'ab', false],
  ['?', 'ab', false],
  ['a*b*c', 'aXbXbc', true],
  ['{a,b}/*.{x,y}', 'b/1.y', true],
  ['[a].ts', 'a.ts', false],
  ['[a].ts', '[a].ts', true],
  ['', 'a', false],
  ['**', 'a/b', true],
]

test.each(GLOBS)('matchesGlob(%j, %j) is %s', (glob, path, is) => {
  expect(matchesGlob(glob, path)).toBe(is)
})

test('matchesGlob() ends soon whatever the glob', () => {
  const took = cpuMs(() => {
    matchesGlob(`${'**/'.repeat(50)}${'*a'.repeat(50)}b`, `${'a/'.repeat(200)}${'a'.repeat(200)}`)
    matchesGlob('{a,b}'.repeat(30), 'a'.repeat(30))
  })
  expect(took).toBeLessThan(5_000)
})
