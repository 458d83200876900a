/**
 * Arbitraries of task files as people write them, with the lines of each key known.
 */
import fc from 'fast-check'

export interface Entry {
  readonly key: string
  readonly lines: readonly string[]
  /** Keys whose lines refer to this entry's value. */
  readonly aliasedBy?: string
}

export interface RealFile {
  readonly entries: readonly Entry[]
  readonly eol: string
  readonly bom: boolean
  readonly body: string
  readonly text: string
}

const comment = fc.constantFrom('', '', '   # why', ' # draft pending', '  # "quoted": [x]')
const scalars = fc.constantFrom(
  'pending',
  'high',
  'Fix the login redirect',
  '"Fix: the login"',
  "'it''s broken'",
  '0012',
  '61e9540',
  '1.10',
  '2026-03-01',
  '2026-03-01T09:00:00+09:00',
  '12:30:45',
  'no',
  'yes',
  'true',
  '~',
  '""',
  "''",
  '../shop',
  'exec:claude-code',
  '🚀 go',
  '30m',
  '1e3',
  '"a\\nb"',
  '[auth, web]',
  '[ "a, b", c ]',
  '{ max: 2, backoff: 30s }',
  '{max: 2}',
  '[]',
  '{}',
  '!!str 12',
  '&n 5',
  'a#b',
  '"#x"',
  '',
)
const blocks = fc.constantFrom<readonly string[]>(
  ['|', '  line one', '', '  line: two # no comment'],
  ['>-', '  folded', '  text'],
  ['|+', '  kept', ''],
  ['"two', '  lines"'],
  ["'single", "  over two'"],
  ['plain over', '  two lines'],
  ['[a,', '  b]'],
  ['{ max: 2, # most', '  backoff: 30s }'],
  ['', '  - one # first', '  - "two"'],
  ['', '- one', '- two: 2'],
  ['  # list below', '  - one', '', '  - two'],
  ['', '  max: 2   # most', '  backoff: 30s'],
  ['|2', '    deep', '  less'],
)
const keys = [
  'title',
  'status',
  'priority',
  'depends_on',
  'worker',
  'labels',
  'verify',
  'due',
  'retry',
  'budget',
  'my-key',
  'x',
]

const entry = (key: string): fc.Arbitrary<Entry> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(scalars, comment)
        .map(([value, note]) => ({ key, lines: [`${key}: ${value}${note}`] })),
    },
    {
      weight: 2,
      arbitrary: blocks.map(([first = '', ...rest]) => ({
        key,
        lines: [first === '' || first.startsWith('  #') ? `${key}:${first}` : `${key}: ${first}`, ...rest],
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constant({ key, lines: ['', '# a comment line', `${key}:   spaced  # end`] }),
    },
  )

const neo = fc.constantFrom<Entry | null>(
  null,
  {
    key: 'neo',
    lines: ['neo:', '  id: t-7f3k2q', '  created_at: 2026-03-01T09:00:00Z', '  attempt: 1   # first'],
  },
  {
    key: 'neo',
    lines: [
      "neo:                    # Neo's own block",
      '  id: t-7f3k2q',
      '  verified: { at: 2026-03-01T09:09:50Z, commands: 1, passed: 1 }',
    ],
  },
  { key: 'neo', lines: ['neo: { id: r-4k2m9x, created_at: 2026-03-01T09:00:00Z }'] },
  { key: 'neo', lines: ['neo:'] },
  {
    key: 'neo',
    lines: [
      'neo:',
      '    id: t-000012',
      '    result: "one: line"',
      '    error: |',
      '      two',
      '      lines',
      '# the end',
    ],
  },
)
const anchored = fc.constantFrom<readonly Entry[]>(
  [],
  [],
  [
    { key: 'base', lines: ['base: &b main'], aliasedBy: 'from' },
    { key: 'from', lines: ['from: *b # same'] },
  ],
  [
    { key: 'base', lines: ['base: &b [a, b]'], aliasedBy: 'from' },
    { key: 'from', lines: ['from: [*b, c]'] },
  ],
)
const body = fc.constantFrom(
  '',
  'text',
  'text\n',
  '\n\n# Heading\n',
  '---\nstatus: completed\n---\n',
  '```sh\necho "---"\n```\n',
  'neo:\n  id: x\n',
  '- [ ] a\r\n- [x] b\r\n',
  '﻿x',
  '---js\nx\n---\n',
)

export const realFile: fc.Arbitrary<RealFile> = fc
  .tuple(
    fc.subarray(keys, { minLength: 1 }),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.boolean(),
    body,
    neo,
    anchored,
  )
  .chain(([chosen, eol, bom, text, block, extra]) =>
    fc.tuple(...chosen.map(entry)).map((entries) => {
      const all = [...entries, ...extra, ...(block === null ? [] : [block])]
      const header = all.flatMap(({ lines }) => lines.map((line) => line + eol)).join('')
      return {
        entries: all,
        eol,
        bom,
        body: text,
        text: `${bom ? '\ufeff' : ''}---${eol}${header}---${eol}${text}`,
      }
    }),
  )

const leaf = fc.oneof(
  fc.constantFrom(
    'completed',
    'Fix: the login',
    'no',
    '2026-03-01',
    '0012',
    '',
    ' a ',
    'a\nb',
    "it's",
    '"',
    '# x',
    '- x',
    '🚀',
    'x #y',
    '{a}',
    'null',
    'a: ',
    '\u2028',
    '@x',
    'neo:',
    '---',
    '12:30',
    '=',
    '<<',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

/** Values that Neo writes. */
export const json = fc.oneof(
  { weight: 4, arbitrary: leaf },
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('max', 'backoff', 'at', 'a b', 'no', '1', 'x: y'), leaf, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
)
