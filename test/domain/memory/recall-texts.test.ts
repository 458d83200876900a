/** Texts as the index has them: no line is lost, no piece is too long, and each says where it stands. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchedWords } from '../../../src/domain/memory/matched-words.ts'
import { bestLine, piecesOf, summaryOf, wholeOrPieces } from '../../../src/domain/memory/recall-texts.ts'

const MOST = 1_200
const shown = (text: string, first?: number) =>
  piecesOf(text, first).map(({ line, text: piece, heading }) => [line, piece, heading])

describe('piecesOf', () => {
  test.each<[string, string, readonly (readonly [number, string, string])[]]>([
    ['nothing', '', []],
    ['blank lines', '\n \n\t\n', []],
    ['a paragraph', 'one\ntwo', [[1, 'one\ntwo', '']]],
    [
      'two paragraphs',
      'one\n\n\ntwo',
      [
        [1, 'one', ''],
        [4, 'two', ''],
      ],
    ],
    [
      'items',
      '- one\n  more\n* two\n3. three',
      [
        [1, '- one\n  more', ''],
        [3, '* two', ''],
        [4, '3. three', ''],
      ],
    ],
    [
      'headings',
      '# A #\none\n## B\ntwo',
      [
        [2, 'one', 'A'],
        [4, 'two', 'B'],
      ],
    ],
    ['a heading without text', '#\none', [[1, '#\none', '']]],
    ['hashes that are no heading', '#one\n####### two', [[1, '#one\n####### two', '']]],
    [
      'line ends of Windows',
      'one\r\n\r\ntwo\r\n',
      [
        [1, 'one', ''],
        [3, 'two', ''],
      ],
    ],
    [
      'marks of a merge',
      '<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> main',
      [
        [2, 'one', ''],
        [4, 'two', ''],
      ],
    ],
    ['what only looks like marks', '======\n======== x\n<<<<<<<x', [[1, '======\n======== x\n<<<<<<<x', '']]],
  ])('of %s', (_, text, pieces) => expect(shown(text)).toEqual(pieces))

  test('counts lines from the one that the text begins at', () => {
    expect(shown('\none\n\ntwo', 10)).toEqual([
      [11, 'one', ''],
      [13, 'two', ''],
    ])
  })

  test('cuts what is long at a line, else between characters', () => {
    const lines = ['a'.repeat(700), 'b'.repeat(700), '😀'.repeat(1_000)]
    const pieces = piecesOf(lines.join('\n'))
    expect(pieces.map(({ line, text }) => [line, text.length])).toEqual([
      [1, 700],
      [2, 700],
      [3, 1_200],
      [3, 800],
    ])
    expect(piecesOf(`a${'😀'.repeat(700)}`).map(({ text }) => text.length)).toEqual([1_199, 202])
  })

  test('loses no line with words, names its line, and gives no piece that is too long', () => {
    const line = fc.oneof(
      fc.constantFrom('', ' ', '# Head', '- item', '```', '=======', '<<<<<<< x', '||||||| y'),
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', '😀'), maxLength: 12 }),
      fc.nat(3_000).map((size) => 'x😀'.repeat(size).slice(0, size)),
    )
    const isMark = (one: string) => /^(?:=======|<<<<<<< x|\|\|\|\|\|\|\| y)$/.test(one)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const pieces = piecesOf(lines.join('\n'))
        const all = pieces.map(({ text }) => text).join('')
        for (const one of lines)
          if (one.trim() !== '' && !one.startsWith('# ') && !isMark(one)) expect(all.includes(one)).toBe(true)
        for (const { line: number, text } of pieces) {
          expect(text.length).toBeLessThanOrEqual(MOST)
          expect(text.split('\n').some(isMark)).toBe(false)
          const [first = ''] = text.split('\n')
          expect(lines[number - 1]?.includes(first)).toBe(true)
        }
      }),
    )
  })
})

test('wholeOrPieces() keeps a short text whole, with the line on which it begins', () => {
  expect(wholeOrPieces('  \n')).toEqual([])
  expect(wholeOrPieces('\n\n# A\n\none\n', 5)).toEqual([{ line: 7, text: '# A\n\none', heading: '' }])
  expect(wholeOrPieces(`${'a'.repeat(MOST)}\n`)).toHaveLength(1)
  expect(wholeOrPieces(`${'a'.repeat(MOST)}b`)).toHaveLength(2)
  expect(wholeOrPieces('one\n=======\ntwo')).toHaveLength(2)
})

test.each([
  [[0, 2, 1], 11, 'two'],
  [[0, 1, 1], 11, 'two'],
  [[0, 0, 0], 10, 'one'],
  [[1, 0, 0], 10, 'one'],
])('bestLine() with %j terms in the lines is line %i', (counts, line, text) => {
  const left = [...counts]
  expect(bestLine({ line: 10, text: 'one\n two \nthree' }, () => left.shift() ?? 0)).toEqual({ line, text })
})

describe('summaryOf', () => {
  test.each([
    ['a.ts', '// What it does here.\nexport async function readTask() {}\nconst ab = 1, x = 2', ['readTask']],
    ['a.ts', 'export const MOST_LINES = 3\nexport default class Task {}', ['Task', 'MOST_LINES']],
    [
      'a.py',
      'class Shop:\n    def open_it(self):\n        pass\nasync def go(): pass',
      ['Shop', 'open_it', 'go'],
    ],
    ['a.go', 'func (s *Shop) Open() {}\ntype Shop struct {}', ['Open', 'Shop']],
    ['a.rs', 'pub(crate) fn open() {}\npub struct Shop;\nimpl Shop {}', ['open', 'Shop']],
    ['a.sql', 'CREATE TABLE IF NOT EXISTS "orders" (\n  id int)', ['orders']],
    ['a.md', '# Shop\n\nSells things to people.\n\n## Open\n#### Deep', ['Shop', 'Open']],
    ['a.txt', 'function no() {}', []],
  ])('names what %s defines: %j', (path, text, symbols) => {
    expect(summaryOf(path, text).symbols).toEqual(symbols)
  })

  test.each([
    [
      'a.ts',
      '#!/usr/bin/env node\n// eslint-disable\n/** Reads a task from a file. */\nx',
      'Reads a task from a file.',
    ],
    ['a.py', '# -*- coding: utf-8 -*-\n"""Opens the shop early."""', 'Opens the shop early.'],
    ['a.ts', 'const a = 1 + 2 + 3', ''],
    ['a.ts', '// two words', ''],
    ['a.md', '# Shop\n\nSells things to people.', 'Shop: Sells things to people.'],
    ['a.md', '# Shop', 'Shop'],
    ['a.md', '| a | b | c |\n<p>one two three</p>\nIt has a line.', 'It has a line.'],
    ['a.ts', `// ${'word '.repeat(100)}`, 'word '.repeat(32)],
  ])('of %s has the line that describes it', (path, text, line) => {
    expect(summaryOf(path, text).line).toBe(line)
  })

  test('has the parts of path and names, each once', () => {
    expect(summaryOf('src/readTask.ts', 'function readTask() {}').words).toEqual([
      'src',
      'read',
      'task',
      'ts',
    ])
  })

  test('masks what looks like a secret, and reads no more than it says', () => {
    const token = `ghp_${'a1'.repeat(18)}`
    const { line, symbols } = summaryOf('a.ts', `// The token is ${token} for us.\nconst ${token} = 1`)
    expect(line + symbols.join()).not.toContain(token)
    expect(summaryOf('a.ts', `${' '.repeat(64_000)}\nfunction late() {}`).symbols).toEqual([])
    const many = Array.from({ length: 60 }, (_, at) => `function f${at}x() {}`).join('\n')
    expect(summaryOf('a.ts', many).symbols).toHaveLength(40)
  })
})

describe('matchedWords', () => {
  test.each([
    ['ship', 'We ship on Mondays', ['ship']],
    ['shipping', 'We shipped it; ships ship', ['shipped', 'ships', 'ship']],
    ['the', 'the cat', ['the']],
    ['the cat', 'the cat', ['cat']],
    ['sep', 'in September', ['September']],
    ['cafe', 'au Café', ['Café']],
    ['pan', 'pandas and panic', ['pandas', 'panic']],
    ['one two three', 'pandas', []],
    ['金庫', '金庫の番号', ['金庫']],
    ['🎉', 'done 🎉', ['🎉']],
    ['', 'anything', []],
    ["john's", 'John’s car', ['John’s']],
  ])('for %j in %j are %j', (query, text, words) => expect(matchedWords(query, text)).toEqual(words))

  test('are parts of the text, each once, twelve at most', () => {
    const text = Array.from({ length: 20 }, (_, at) => `word${at} Word${at}`).join(' ')
    const found = matchedWords(Array.from({ length: 20 }, (_, at) => `word${at}`).join(' '), text)
    expect([found.length, new Set(found).size, found.every((word) => text.includes(word))]).toEqual([
      12,
      12,
      true,
    ])
  })
})
