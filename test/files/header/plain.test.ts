import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readPlain } from '../../../src/files/header/plain-header.ts'

/** What `yaml` makes of a source; `refused` where it finds an error. */
function judge(source: string): unknown {
  try {
    return parse(source, { version: '1.2', schema: 'core', logLevel: 'silent' }) ?? {}
  } catch {
    return 'refused'
  }
}

const WORDS = [
  'a',
  'npm test',
  'no',
  'true',
  'True',
  'NULL',
  'null',
  '~',
  '0',
  '007',
  '1.10',
  '-3',
  '+1',
  '1e3',
]
const ODD = [
  '61e9540',
  '0x1F',
  '0o7',
  '.5',
  '5.',
  '.inf',
  '-.INF',
  '.nan',
  '2026-03-01',
  '12:30:45',
  '1_000',
  '-',
]
const TEXT = [
  'a: b',
  'a:',
  ':a',
  'a #b',
  'a#b',
  '#a',
  '@a',
  '`a`',
  '&a x',
  '*a',
  '!t x',
  '| ',
  '> ',
  '%a',
  'ü – “x”',
  '🚀 go',
  "it's",
]
const QUOTED = [
  '"a"',
  "'a'",
  '"a: b"',
  "'it''s'",
  '"a\\nb"',
  '"a" b',
  '"open',
  "'open",
  '""',
  "''",
  '"a"#b',
  '"a" # b',
]
const FLOW = [
  '[]',
  '{}',
  '[a, b]',
  '[a,b]',
  '[ a ]',
  '[a, ]',
  '[a',
  'a]',
  '[a: b]',
  '[[a], {b: c}]',
  '["x", \'y\']',
  '[a #b]',
]
const MAPS = [
  '{ a: 1, b: 2 }',
  '{a: 1}',
  '{a:1}',
  '{ a: , b: 1 }',
  '{ a: 1, a: 2 }',
  '{ at: 2026-03-01T09:09:50Z, n: 1 }',
  '{ a: }',
  '{ a }',
  '{"a": 1}',
]
const SPACED = [
  'a  b',
  'a b  ',
  '  a',
  'a\tb',
  'a\u00a0b',
  'a\u2028b',
  'é',
  '…',
  'a, b',
  'a]b',
  '$x',
  '(x)',
  '/x',
  './x',
  '../x',
  '~/x',
  '<x>',
  '=x',
  '?x',
  '? x',
  '-x',
]
const value = fc.constantFrom(...WORDS, ...ODD, ...TEXT, ...QUOTED, ...FLOW, ...MAPS, ...SPACED, '')
const key = fc.constantFrom(
  'title',
  'status',
  'neo',
  'a',
  'a-b',
  'x.y',
  'p/q',
  '_x',
  'true',
  'null',
  'A1',
  '1a',
  'a b',
  '"q"',
  '__proto__',
)
const blanks = fc.constantFrom('', '', '', ' ', '  ')
const comment = fc.constantFrom('', '', '', ' # note', '  #x', '#y')
const eol = fc.constantFrom('\n', '\n', '\r\n')

const scalarLine = fc
  .tuple(key, fc.constantFrom(': ', ': ', ': ', ':', ' : ', ':  '), value, comment, blanks)
  .map((parts) => [parts.join('')])
const listLines = fc
  .tuple(
    key,
    fc.constantFrom('', '  ', '    '),
    fc.array(fc.tuple(value, comment), { minLength: 1, maxLength: 3 }),
  )
  .map(([name, indent, items]) => [`${name}:`, ...items.map(([item, note]) => `${indent}- ${item}${note}`)])
const nestedLines = fc
  .tuple(key, fc.constantFrom('  ', '    ', ' '), fc.array(scalarLine, { minLength: 1, maxLength: 4 }))
  .map(([name, indent, lines]) => [`${name}:`, ...lines.flat().map((line) => `${indent}${line}`)])
const noiseLines = fc.constantFrom(
  ['# a note'],
  ['  # indented'],
  [''],
  ['   '],
  ['  stray'],
  ['---'],
  ['...'],
)
const header = fc
  .tuple(
    fc.array(fc.oneof({ weight: 5, arbitrary: scalarLine }, listLines, nestedLines, noiseLines), {
      maxLength: 7,
    }),
    eol,
  )
  .map(([groups, end]) =>
    groups
      .flat()
      .map((line) => line + end)
      .join(''),
  )

describe('readPlain', () => {
  test('gives exactly what yaml gives, or asks it', () => {
    fc.assert(
      fc.property(header, (source) => {
        const plain = readPlain(source)
        if (plain !== null) expect(plain).toStrictEqual(judge(source))
      }),
      { numRuns: 6000 },
    )
  })

  test('gives exactly what yaml gives for any text of YAML marks', () => {
    const marks = fc.constantFrom(...'ab1:- #[]{},"\'\n\n\t|>&*!?~.'.split(''), ': ', '\n  ', '- ', 'k: ')
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 16 }), (parts) => {
        const source = parts.join('')
        const plain = readPlain(source)
        if (plain !== null) expect(plain).toStrictEqual(judge(source))
      }),
      { numRuns: 6000 },
    )
  })

  test.each(
    [...WORDS, ...TEXT, ...QUOTED, ...FLOW, ...MAPS, ...SPACED, ...ODD].flatMap((one) => [
      `k: ${one}\n`,
      `k:\n  - ${one}\n`,
      `k: [${one}]\n`,
    ]),
  )('is exact or unsure for %j', (source) => {
    const plain = readPlain(source)
    expect(plain ?? judge(source)).toStrictEqual(judge(source))
  })

  test.each([
    ['title: Fix the login   # note\nstatus: pending\n', { title: 'Fix the login', status: 'pending' }],
    ['labels: [auth, web]\nverify:\n  - npm test\n', { labels: ['auth', 'web'], verify: ['npm test'] }],
    ['neo:\n  id: t-7f3k2q\n  attempt: 1\n', { neo: { id: 't-7f3k2q', attempt: 1 } }],
    [
      'retry: { max: 2, backoff: 30s }\r\ntitle: "a: b"\r\n',
      { retry: { max: 2, backoff: '30s' }, title: 'a: b' },
    ],
    ['due: 2026-03-05\nempty:\n# end\n', { due: '2026-03-05', empty: null }],
  ])('reads the plain header %j itself', (source, data) => {
    expect(readPlain(source)).toStrictEqual(data)
  })

  test.each([
    'a: &x 1\n',
    'a: |\n  b\n',
    'a: b\n  c\n',
    '? a\n: b\n',
    'a: 1\na: 2\n',
    'a:\tb\n',
    '- a\n',
    'text\n',
  ])('leaves %j to yaml', (source) => {
    expect(readPlain(source)).toBeNull()
  })
})
