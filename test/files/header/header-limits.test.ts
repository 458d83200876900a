/** What is refused before any parser sees it, at its exact bounds; and that nothing that passes is too much for one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  conflictIn,
  decode,
  guardYaml,
  MAX_ALIASES,
  MAX_DEPTH,
} from '../../../src/files/header/header-limits.ts'
import {
  eolOf,
  lineAt,
  lineEnd,
  lineStart,
  placeOf,
  readResult,
} from '../../../src/files/header/read-header.ts'
import { parseYaml } from '../../../src/files/header/yaml.ts'

const codeOf = (source: string, limit = 16_384) => guardYaml(source, limit)?.code ?? null

test.each([
  ['brackets', '['],
  ['braces', '{'],
  ['both', '[{'],
  ['list marks', '- '],
  ['question marks', '? '],
])('guardYaml() accepts %s up to the limit, and none beyond it', (_, mark) => {
  const times = (n: number) =>
    mark.repeat(Math.ceil(n / mark.trim().length)).slice(0, n * (mark.length / mark.trim().length))
  expect(codeOf(`${times(MAX_DEPTH)}x`)).toBeNull()
  expect(codeOf(`${times(MAX_DEPTH + 1)}x`)).toBe('depth')
})

test('guardYaml() counts steps of indentation, and forgets those that ended', () => {
  const steps = (n: number) => Array.from({ length: n }, (_, at) => `${' '.repeat(at)}a:\n`).join('')
  expect(codeOf(steps(MAX_DEPTH + 1))).toBeNull()
  expect(codeOf(steps(MAX_DEPTH + 2))).toBe('depth')
  expect(codeOf(steps(MAX_DEPTH).repeat(3))).toBeNull()
  expect(codeOf('[]'.repeat(100))).toBeNull()
})

test('guardYaml() names the place of what is too deep', () => {
  expect(guardYaml(`a: 1\nb: ${'['.repeat(40)}`, 16_384)).toMatchObject({
    offset: 5 + 3 + MAX_DEPTH,
    code: 'depth',
  })
})

test.each([
  [MAX_ALIASES, null],
  [MAX_ALIASES + 1, 'yaml'],
])('guardYaml() of %i aliases: %s', (count, code) => {
  expect(codeOf(`a: &a x\nb: [${'*a, '.repeat(count)}]`)).toBe(code)
})

test.each(['**bold** ', 'a * b ', 'x*y ', '2 * 3 '])('text such as %j is no alias', (text) => {
  expect(codeOf(`a: &x 1\nb: "${text.repeat(60)}"`)).toBeNull()
})

test.each([
  ['x'.repeat(100), 100, null],
  ['x'.repeat(101), 100, 'size'],
  ['é'.repeat(50), 100, null],
  ['é'.repeat(51), 100, 'size'],
  ['🚀'.repeat(25), 100, null],
  ['🚀'.repeat(26), 100, 'size'],
])('guardYaml() counts bytes: %#', (source, limit, code) => {
  expect(codeOf(source, limit)).toBe(code)
})

test('what passes the guard is parsed or refused in words, and never throws', () => {
  const marks = fc.constantFrom(
    ...[
      '[',
      ']',
      '{',
      '}',
      '- ',
      '? ',
      ': ',
      '\n',
      '\n  ',
      '&a ',
      '*a',
      'a',
      '"',
      "'",
      '|',
      '>',
      '!!x ',
      ',',
      '#',
      '\t',
    ],
  )
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 60 }), (parts) => {
      const source = parts.join('')
      fc.pre(guardYaml(source, 16_384) === null)
      const read = parseYaml(source)
      if ('data' in read) expect(Array.isArray(read.data)).toBe(false)
      else
        for (const { offset, message, hint } of read.flaws) {
          expect(offset).toBeGreaterThanOrEqual(0)
          expect(offset).toBeLessThanOrEqual(source.length)
          expect([message, hint]).not.toContain('')
        }
    }),
    { numRuns: 1_000 },
  )
})

const MARKS = '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n'

test.each([
  ['all three', MARKS, 0, 0],
  ['below text', `text\n${MARKS}`, 0, 5],
  ['with CRLF', MARKS.replaceAll('\n', '\r\n'), 0, 0],
  ['with a base', '<<<<<<< a\n||||||| b\n=======\n>>>>>>> c\n', 0, 0],
  ['without names', '<<<<<<<\n=======\n>>>>>>>\n', 0, 0],
  ['after one that is torn', `<<<<<<< a\n${MARKS}`, 0, 10],
  ['one in a header', 'a: 1\n=======\nb: 2\n', 13, 5],
  ['an end in a header', 'a: 1\n>>>>>>> x\n', 13, 5],
])('conflictIn() finds marks: %s', (_, text, headerTo, offset) => {
  expect(conflictIn(text, headerTo)).toMatchObject({ code: 'conflict', offset })
})

test.each([
  ['a heading', 'Title\n=======\n', 0],
  ['two of three', '<<<<<<< a\n=======\n', 0],
  ['another order', '=======\n<<<<<<< a\n>>>>>>> b\n', 0],
  ['longer marks', MARKS.replaceAll(/([<=>])\1{6}/g, '$&$1'), 0],
  ['indented marks', MARKS.replaceAll(/^/gm, ' '), 0],
  ['quoted marks', MARKS.replaceAll(/^/gm, '> '), 0],
  ['marks within a line', 'a <<<<<<< b ======= c >>>>>>> d', 0],
  ['a heading below a header', 'a: 1\n---\nTitle\n=======\n', 5],
])('conflictIn() finds none in %s', (_, text, headerTo) => {
  expect(conflictIn(text, headerTo)).toBeNull()
})

test('decode() gives back any text, and refuses exactly what is none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(!text.includes('\0') && Buffer.from(text).toString('utf8') === text)
      expect(decode(Buffer.from(text))).toEqual({ text })
      expect(decode(text)).toEqual({ text })
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const buffer = Buffer.from(bytes)
      const isText = !buffer.includes(0) && Buffer.from(buffer.toString('utf8')).equals(buffer)
      expect('text' in decode(buffer)).toBe(isText)
    }),
    { numRuns: 500 },
  )
})

test('placeOf() gives the line and column that an editor shows for every offset', () => {
  const lines = fc.array(fc.constantFrom('', 'a', 'é🚀', 'ab\tc', 'x\r'), { maxLength: 6 })
  fc.assert(
    fc.property(lines, (all) => {
      const text = all.join('\n')
      let offset = 0
      for (const [at, line] of all.entries()) {
        for (let column = 0; column <= [...line].length; column++) {
          const here = offset + [...line].slice(0, column).join('').length
          expect(placeOf(text, here)).toEqual({ line: at + 1, column: column + 1 })
          expect(lineStart(text, here)).toBe(offset)
        }
        expect(lineAt(text, offset)).toBe(at < all.length - 1 ? line.replace(/\r$/, '') : line)
        offset += line.length + 1
        expect(lineEnd(text, offset - line.length - 1)).toBe(Math.min(offset, text.length))
      }
    }),
  )
  expect(placeOf('\ufeffab', 2)).toEqual({ line: 1, column: 2 })
})

test.each([
  ['', '\n'],
  ['a', '\n'],
  ['a\nb\r\n', '\n'],
  ['a\r\nb\n', '\r\n'],
  ['\n', '\n'],
  ['\r\n', '\r\n'],
  ['a\rb', '\n'],
])('eolOf(%j) is %j', (text, eol) => {
  expect(eolOf(text)).toBe(eol)
})

test('readResult() is bad with any error, errors first, each in the order of the file', () => {
  const problem = (severity: 'error' | 'warning', line: number) => ({
    ...{ file: 'a.md', line, column: 1, severity, code: 'x', message: 'm', hint: 'h' },
  })
  const warnings = [problem('warning', 1), problem('warning', 3)]
  const errors = [problem('error', 2), problem('error', 4)]
  expect(readResult(1, [])).toEqual({ kind: 'ok', value: 1, warnings: [] })
  expect(readResult(1, warnings)).toEqual({ kind: 'ok', value: 1, warnings })
  const mixed = [warnings[0], errors[0], warnings[1], errors[1]].flatMap((one) => one ?? [])
  expect(readResult(1, mixed)).toEqual({ kind: 'bad', problems: [...errors, ...warnings] })
})
