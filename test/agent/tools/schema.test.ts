/** What models send and people type, against what tools take. */
import { expect, test } from 'vitest'
import { readArguments, specOf, type Tool } from '../../../src/agent/tools/tool.ts'
import { TOOLS, toolNamed } from '../../../src/agent/tools/tool-table.ts'
import { parseTyped } from '../../../src/agent/tools/typed.ts'

function tool(name: string): Tool {
  const found = toolNamed(name)
  if ('wrong' in found) throw new Error(found.wrong)
  return found
}

const typed = (line: string) => parseTyped(tool(line.replace(/^!/, '').split(' ')[0] ?? ''), line)

test.each(TOOLS.map((one) => [one.name, one] as const))(
  'specOf(%s) is a closed schema of its parameters',
  (_, one) => {
    const spec = specOf(one)
    expect(spec.name).toMatch(/^[a-z_]{1,64}$/)
    expect(spec.schema['additionalProperties']).toBe(false)
    expect(Object.keys(spec.schema['properties'] ?? {})).toEqual(
      Object.keys('json' in one.input ? {} : one.input.shape),
    )
  },
)

test.each(TOOLS.flatMap((one) => one.examples.map((line) => [line, one] as const)))(
  'parseTyped() reads the example "%s"',
  (line, one) => {
    expect(parseTyped(one, line)).toHaveProperty('args')
  },
)

test('toolNamed() says what is meant by a name that is nearly right', () => {
  expect(toolNamed('readfile')).toEqual({ wrong: expect.stringContaining('did you mean "read_file"?') })
})

const WRONG: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['read_file', {}, '"path" is missing; expected a string'],
  ['read_file', { path: null }, '"path" is missing'],
  ['read_file', { path: 7 }, '"path" is 7; expected a string'],
  ['read_file', { path: 'a', start: 'abc' }, '"start" is "abc"; expected an integer (at least 1)'],
  ['read_file', { path: 'a', start: 1.5 }, '"start" is 1.5'],
  ['read_file', { path: 'a', start: 0 }, 'at least 1'],
  ['read_file', { path: 'a', start: '1e9' }, '"start" is "1e9"'],
  ['read_file', { path: 'a', lins: 3 }, 'unknown parameter "lins"; did you mean "lines"?'],
  ['grep', { pattern: 'x', ignore_case: 'maybe' }, 'expected true or false'],
  ['grep', { pattern: 'x', glob: ['a', 7] }, '"glob.1" is 7; expected a string'],
  ['grep', { pattern: 'x', context: 50 }, '(0 to 20)'],
  ['write_file', { path: 'a', content: { b: 1 } }, '"content" is {"b":1}; expected a string'],
  ['read_file', { path: 'a', __proto__x: 1 }, 'its parameters are path, start, lines'],
  ['grep', { pattern: 'x', glob: 7 }, '"glob" is 7; expected a list of strings'],
]

test.each(WRONG)('readArguments() of %s refuses %j', (name, input, says) => {
  expect(readArguments(tool(name), input as never)).toEqual({ wrong: expect.stringContaining(says) })
})

const RIGHT: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ['read_file', { path: 'a', start: '12' }, { path: 'a', start: 12 }],
  ['read_file', { path: 'a', start: null }, { path: 'a' }],
  ['grep', { pattern: 'x', ignore_case: 'true' }, { pattern: 'x', ignore_case: true }],
  ['grep', { pattern: 'x', glob: '*.ts' }, { pattern: 'x', glob: ['*.ts'] }],
  ['write_file', { path: 'a', content: '' }, { path: 'a', content: '' }],
  ['report_progress', { text: 'x', percent: 12.5 }, { text: 'x', percent: 12.5 }],
]

test.each(RIGHT)('readArguments() of %s takes %j', (name, input, args) => {
  expect(readArguments(tool(name), input as never)).toEqual({ args })
})

test('a wrong value is shown in part only', () => {
  const read = readArguments(tool('read_file'), { path: ['x'.repeat(5000)] })
  expect('wrong' in read && read.wrong.length).toBeLessThan(200)
})

const LINES: readonly (readonly [string, Record<string, unknown>])[] = [
  ['!grep -n TODO src', { line_numbers: true, pattern: 'TODO', path: 'src' }],
  ['grep -in "two words" src', { ignore_case: true, line_numbers: true, pattern: 'two words', path: 'src' }],
  ["grep 'a b' --context=3", { pattern: 'a b', context: 3 }],
  ['grep -C3 x', { pattern: 'x', context: 3 }],
  ['grep -C 3 x', { pattern: 'x', context: 3 }],
  ['grep --ignore-case x', { pattern: 'x', ignore_case: true }],
  ['grep --ignore_case x', { pattern: 'x', ignore_case: true }],
  ['grep --no-line-numbers x', { pattern: 'x', line_numbers: false }],
  ['grep --line-numbers=false x', { pattern: 'x', line_numbers: false }],
  ['grep -g "*.ts" -g "!x.ts" x', { pattern: 'x', glob: ['*.ts', '!x.ts'] }],
  ['grep -- -n src', { pattern: '-n', path: 'src' }],
  ['grep "-n" src', { pattern: '-n', path: 'src' }],
  ['grep a\\ b', { pattern: 'a b' }],
  ['grep "a \\"b\\""', { pattern: 'a "b"' }],
  ["grep ''", { pattern: '' }],
  ['find *.ts *.md', { glob: ['*.ts', '*.md'] }],
  ['!shell npm test -- --grep "a  b" | wc -l', { command: 'npm test -- --grep "a  b" | wc -l' }],
  ['!shell --timeout-s=5 ls -la', { timeout_s: 5, command: 'ls -la' }],
  ['!shell -t 5 ls', { timeout_s: 5, command: 'ls' }],
  ['!ask_human Is it so?', { question: 'Is it so?' }],
  ['!ask_human -- --what is this', { question: '--what is this' }],
  ['update_file --search=a --replace= x.txt', { search: 'a', replace: '', path: 'x.txt' }],
]

test.each(LINES)('parseTyped() reads %s', (line, args) => {
  expect(typed(line)).toEqual({ args })
})

const BAD_LINES: readonly (readonly [string, string])[] = [
  ['grep', '"pattern" is missing'],
  ['grep "open', 'is not closed'],
  ['grep --contxt=3 x', 'did you mean "--context"?'],
  ['grep -z x', 'unknown flag "z"'],
  ['grep a b c', 'unexpected "c"'],
  ['grep -C x y', '"context" is "x"; expected an integer'],
  ['grep x --context', '"--context" needs a value'],
  ['read_file a b', 'unexpected "b"'],
]

test.each(BAD_LINES)('parseTyped() refuses %s', (line, says) => {
  expect(typed(line)).toEqual({ wrong: expect.stringContaining(says) })
})
