/** Edits of headers in each style of YAML, byte for byte: what is written, and that nothing else moves. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { editDocument, type Json, type Patch, setPaths } from '../../../src/files/edit/edit-header.ts'
import { flowText, inlineText, keyText, type Quote } from '../../../src/files/edit/scalar.ts'
import { readDocument } from '../../../src/files/header/document.ts'
import { sameData } from '../../../src/files/values/equal.ts'

const edited = (header: string, patch: Patch) => {
  const text = editDocument(`---\n${header}---\nbody\n`, patch)
  expect(text.endsWith('---\nbody\n')).toBe(true)
  return text.slice(4, -'---\nbody\n'.length)
}

test.each<[string, string, { [key: string]: Json | undefined }, string]>([
  ['a plain value', 'a: x\nb: y\n', { a: 'z' }, 'a: z\nb: y\n'],
  ['blanks around a value', 'a:    x   # c\nb: y\n', { a: 'z' }, 'a:    z   # c\nb: y\n'],
  ['double quotes', 'a: "x" # c\n', { a: 'y "z"' }, 'a: "y \\"z\\"" # c\n'],
  ['single quotes', "a: 'x' # c\n", { a: 'y: z' }, "a: 'y: z' # c\n"],
  ['single quotes around a control character', "a: 'x'\n", { a: 'y\tz' }, 'a: "y\\tz"\n'],
  ['a text to a number', 'a: "x" # c\n', { a: 7 }, 'a: 7 # c\n'],
  ['a number to a text that looks like one', 'a: 7\n', { a: '7' }, 'a: "7"\n'],
  ['a text to nothing', 'a: x # c\n', { a: null }, 'a: null # c\n'],
  ['nothing to a text', 'a:\nb: y\n', { a: 'x' }, 'a: x\nb: y\n'],
  ['a value that has a colon inside', 'a: x:y\n', { a: 'z' }, 'a: z\n'],
  ['a value that has a number sign inside', 'a: x#y # c\n', { a: 'z' }, 'a: z # c\n'],
  ['the last line without a line break', 'a: x\n', { a: 'y', b: 'z' }, 'a: "y"\nb: z\n'],
  ['a new key', 'a: x\n# end\n', { b: 'y' }, 'a: x\nb: "y"\n# end\n'],
  [
    'a new key above the block of Neo',
    'a: x\n\nneo:\n  id: t-1\n',
    { b: 'y' },
    'a: x\nb: "y"\n\nneo:\n  id: t-1\n',
  ],
  ['a new key where there is the block alone', 'neo:\n  id: t-1\n', { b: 'y' }, 'b: "y"\nneo:\n  id: t-1\n'],
  ['a new list', 'a: x\n', { b: ['y', 'z: 1', 2, null] }, 'a: x\nb: ["y", "z: 1", 2, null]\n'],
  ['a new map', 'a: x\n', { b: { c: 'd', 'e f': true } }, 'a: x\nb: { c: d, e f: true }\n'],
  ['an empty list and map', 'a: x\n', { b: [], c: {} }, 'a: x\nb: []\nc: {}\n'],
  ['a key that is removed', 'a: x\nb: y # c\nc: z\n', { b: undefined }, 'a: x\nc: z\n'],
  ['a key that is missing', 'a: x\n', { b: undefined }, 'a: x\n'],
  ['a block list that is removed', 'a: x\nb:\n  - y\n  - z\nc: z\n', { b: undefined }, 'a: x\nc: z\n'],
  ['a text block that is removed', 'b: |\n  y\n\n  z\nc: z\n', { b: undefined }, 'c: z\n'],
  ['a text block', 'b: |\n  y\n\n  z\nc: z\n', { b: 'short' }, 'b: short\nc: z\n'],
  ['a folded text', 'b: >- # c\n  y\n  z\nc: z\n', { b: 'short' }, 'b: short\nc: z\n'],
  ['a flow list, at its end', 'a: [x,  y] # c\n', { a: ['x', 'y', 'z'] }, 'a: [x,  y, z] # c\n'],
  ['a flow list, at its start', 'a: [x,  y] # c\n', { a: ['w', 'x', 'y'] }, 'a: [w, x,  y] # c\n'],
  ['a flow list, in the middle', 'a: [x,  y,z] # c\n', { a: ['x', 'v', 'z'] }, 'a: [x, v, z] # c\n'],
  ['a flow list, shorter', 'a: ["x", y] # c\n', { a: ['x'] }, 'a: ["x"] # c\n'],
  ['a flow list, all new', 'a: [x, y] # c\n', { a: ['z'] }, 'a: [z] # c\n'],
  ['a block list, at its end', 'a:\n  - x # c\nb: y\n', { a: ['x', 'z'] }, 'a:\n  - x # c\n  - z\nb: y\n'],
  ['a block list, at its start', 'a:\n- x # c\nb: y\n', { a: ['z', 'x'] }, 'a:\n- z\n- x # c\nb: y\n'],
  [
    'a block list, in the middle',
    'a:\n  - x\n  - y\n  - z # c\n',
    { a: ['x', 'v', 'w', 'z'] },
    'a:\n  - x\n  - v\n  - w\n  - z # c\n',
  ],
  [
    'a block list, shorter',
    'a:\n  - x\n  # about y\n  - y\nb: z\n',
    { a: ['y'] },
    'a:\n  # about y\n  - y\nb: z\n',
  ],
  [
    'a block map, one key',
    'a:\n  x: 1 # c\n  y: 2\nb: z\n',
    { a: { x: 3, y: 2 } },
    'a:\n  x: 3 # c\n  y: 2\nb: z\n',
  ],
  ['a block map, a new key', 'a:\n  x: 1\nb: z\n', { a: { x: 1, y: 2 } }, 'a:\n  x: 1\n  "y": 2\nb: z\n'],
  ['a block map, a key less', 'a:\n  x: 1\n  y: 2\nb: z\n', { a: { y: 2 } }, 'a:\n  y: 2\nb: z\n'],
  ['a block map, all new', 'a:\n  x: 1\n  y: 2\nb: z\n', { a: { v: 1 } }, 'a: { v: 1 }\nb: z\n'],
  ['a flow map, one key', 'a: { x: 1,  y: 2 } # c\n', { a: { x: 1, y: 3 } }, 'a: { x: 1,  y: 3 } # c\n'],
  ['a flow map, a new key', 'a: {x: 1} # c\n', { a: { x: 1, y: 3 } }, 'a: {x: 1, "y": 3} # c\n'],
  ['a flow map, the first key less', 'a: { x: 1,  y: 2 }\n', { a: { y: 2 } }, 'a: { y: 2 }\n'],
  ['a flow map, the last key less', 'a: { x: 1,  y: 2 }\n', { a: { x: 1 } }, 'a: { x: 1 }\n'],
  ['a header that is one flow map', '{ a: x, b: y }\n', { a: 'z' }, '{ a: z, b: y }\n'],
  ['a quoted key', '"a": x # c\n', { a: 'z' }, '"a": z # c\n'],
  ['a key of two words', 'a b: x\n', { 'a b': 'z' }, 'a b: z\n'],
  ['a key that YAML 1.1 takes for false', 'a: x\n', { no: 'y' }, 'a: x\n"no": "y"\n'],
])('sets %s', (_, header, set, expected) => {
  expect(edited(header, { set })).toBe(expected)
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')
  expect(editDocument(crlf(`---\n${header}---\nbody\n`), { set })).toBe(crlf(`---\n${expected}---\nbody\n`))
})

test.each<[string, string, { [key: string]: Json | undefined }, string]>([
  ['a key', 'neo:\n  id: t-1 # c\n', { id: 't-2' }, 'neo:\n  id: t-2 # c\n'],
  ['a new key', 'neo:\n    id: t-1\n', { attempt: 1 }, 'neo:\n    id: t-1\n    attempt: 1\n'],
  [
    'several at once',
    'neo:\n  id: t-1\n  error: x\n',
    { error: undefined, result: 'y' },
    'neo:\n  id: t-1\n  result: "y"\n',
  ],
  ['a new block', 'a: x\n', { id: 't-1', n: 1 }, 'a: x\nneo:\n  id: t-1\n  "n": 1\n'],
  ['an empty block', 'a: x\nneo:\n', { id: 't-1' }, 'a: x\nneo: { id: t-1 }\n'],
  ['a block in braces', 'neo: {id: t-1} # c\n', { n: 1 }, 'neo: {id: t-1, "n": 1} # c\n'],
  [
    'a map within it',
    'neo:\n  verified: { at: x, commands: 1 }\n',
    { verified: { at: 'x', commands: 2 } },
    'neo:\n  verified: { at: x, commands: 2 }\n',
  ],
  ['a missing key', 'a: x\n', { id: undefined }, 'a: x\n'],
])('sets %s of the block of Neo', (_, header, neo, expected) => {
  expect(edited(header, { neo })).toBe(expected)
})

test('setPaths() sets keys of two levels, and none', () => {
  const source = '# mine\nhttp: { port: 80 } # web\nlog:\n  level: info\n'
  const eol = '\n'
  expect(setPaths(source, [])).toBe(source)
  expect(
    setPaths(source, [
      { path: ['http', 'port'], value: 81, eol },
      { path: ['log', 'level'], value: 'warn', eol },
      { path: ['model'], value: 'none', eol },
    ]),
  ).toBe('# mine\nhttp: { port: 81 } # web\nlog:\n  level: warn\nmodel: none\n')
})

test('an edit and the edit back give the same bytes, for values on one line', () => {
  const value = fc.constantFrom('x', 'Fix: it', '12', 'no', "it's", '🚀', '2026-03-01', 'a # b', '')
  const header = fc.constantFrom('k: "v" # c\nz: 1\n', "k: 'v'\n", '# top\nk: "v"\nneo:\n  id: t-1\n')
  fc.assert(
    fc.property(header, value, (source, to) => {
      expect(edited(edited(source, { set: { k: to } }), { set: { k: 'v' } })).toBe(source)
      expect(edited(edited(source, { set: { q: to } }), { set: { q: undefined } })).toBe(source)
      expect(edited(edited(source, { set: { k: to } }), { set: { k: to } })).toBe(
        edited(source, { set: { k: to } }),
      )
    }),
  )
})

test('several keys at once are the same as one after the other', () => {
  const values = fc.dictionary(
    fc.constantFrom('a', 'b', 'q', 'r'),
    fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
    {
      noNullPrototype: true,
    },
  )
  const header = fc.constantFrom('a: x\nb: [y]\n', 'b:\n  - y\n', '', 'a: |\n  x\nneo:\n  id: t-1\n')
  fc.assert(
    fc.property(header, values, (source, set) => {
      const one = Object.entries(set).reduce(
        (text, [key, to]) => editDocument(text, { set: { [key]: to } }),
        `---\n${source}---\nbody\n`,
      )
      const all = readDocument('x.md', editDocument(`---\n${source}---\nbody\n`, { set }))
      const apart = readDocument('x.md', one)
      expect(all.kind === 'ok' && apart.kind === 'ok' && sameData(all.value.data, apart.value.data)).toBe(
        true,
      )
      expect(all).toMatchObject({ kind: 'ok', value: { data: set, body: 'body\n' } })
    }),
    { numRuns: 200 },
  )
})

test('any text as a value or key is read back by YAML 1.2 and 1.1, in every quote', () => {
  const part = fc.constantFrom(
    ...[
      'a',
      '1',
      ' ',
      ':',
      '#',
      '-',
      "'",
      '"',
      '\\',
      '\n',
      '\t',
      ',',
      '[',
      '}',
      '&',
      '*',
      '!',
      '%',
      '@',
      '`',
      '\u00a0',
      '\u2028',
      '\ufeff',
      'é',
      '🚀',
      '~',
      '=',
    ],
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom<Quote>('none', 'single', 'double'),
      (parts, quote) => {
        const text = parts.join('')
        for (const version of ['1.2', '1.1'] as const) {
          expect(parse(`k: ${inlineText(text, quote)}\n`, { version })).toEqual({ k: text })
          expect(parse(`k: [${flowText(text, quote)}, x]\n`, { version })).toEqual({ k: [text, 'x'] })
          expect(Object.keys(parse(`${keyText(text)}: x\n`, { version }) as object)).toEqual([text])
        }
        expect(inlineText(text, quote)).not.toContain('\n')
      },
    ),
    { numRuns: 600 },
  )
})

test.each<[Json, string]>([
  [0, '0'],
  [-0, '-0'],
  [1e21, '1e+21'],
  [Number.NaN, '.nan'],
  [Number.POSITIVE_INFINITY, '.inf'],
  [Number.NEGATIVE_INFINITY, '-.inf'],
  ['true', '"true"'],
  ['No', '"No"'],
  ['~', '"~"'],
  ['30m', '30m'],
  ['30', '"30"'],
  ['1d', '"1d"'],
  ['2026-03-01', '"2026-03-01"'],
  ['e7', '"e7"'],
  ['../shop', '../shop'],
  ['a, b', 'a, b'],
  [['a, b'], '["a, b"]'],
  [{ 'x: y': [true, null] }, '{ "x: y": [true, null] }'],
])('%j is written as %s', (value, text) => {
  expect(inlineText(value)).toBe(text)
})

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: undefined }, {}, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [Number.NaN, Number.NaN, true],
  [0, -0, false],
  [null, {}, false],
  ['1', 1, false],
  [{ a: [{ b: null }] }, { a: [{ b: null }] }, true],
])('sameData(%j, %j) is %s', (a, b, same) => {
  expect([sameData(a, b), sameData(b, a)]).toEqual([same, same])
})
