/** Where a problem of a header is, in text that YAML writes in several ways, and what many of them cost. */
import { expect, test } from 'vitest'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readTask } from '../../../src/files/kinds/read-task.ts'
import { cpuMs } from '../../wait.ts'

const taskWith = (header: string) => readTask('rooms/a/tasks/b.md', `---\n${header}\n---\nText.\n`, 'UTC')

function placesIn(header: string): readonly string[] {
  const read = taskWith(header)
  const problems = read.kind === 'ok' ? read.warnings : read.kind === 'bad' ? read.problems : []
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

test.each([
  ['priority: hihg', ['2:11 priority: invalid value "hihg"']],
  ['priority:   "hihg" # why', ['2:13 priority: invalid value "hihg"']],
  ['priority:\n  hihg', ['3:3 priority: invalid value "hihg"']],
  ['"priority": hihg', ['2:13 priority: invalid value "hihg"']],
  ['? priority\n: hihg', ['3:3 priority: invalid value "hihg"']],
  ['{ priority: hihg }', ['2:13 priority: invalid value "hihg"']],
  ['labels:\n  - a\n  - [b]', ['4:5 labels[1]: unexpected list']],
  ['labels: [a, { b: c }]', ['2:13 labels[1]: unexpected keys and values']],
  ['retry: { max: 1, backoff: soon }', ['2:27 retry.backoff: invalid value "soon"']],
  ['neo:\n  verified:\n    at: never', ['4:9 neo.verified.at: invalid value "never"']],
  ['neo: { verified: { at: never } }', ['2:24 neo.verified.at: invalid value "never"']],
  ['neo:\n  odd: 1', ['3:3 unknown key "neo.odd"']],
  ['neo: { odd: 1 }', ['2:8 unknown key "neo.odd"']],
  ['stauts: a', ['2:1 unknown key "stauts"']],
  ['x: &p hihg\npriority: *p', ['3:11 priority: invalid value "hihg"', '2:1 unknown key "x"']],
  ['x: &r { max: -1 }\nretry: *r', ['2:14 retry.max: invalid value -1', '2:1 unknown key "x"']],
  ['title: "é 🚀"\npriority: { "🚀": 1, b: 2 }', ['3:11 priority: unexpected keys and values']],
  ['params: { "🚀🚀": a, Z: b }', ['2:17 invalid parameter name "🚀🚀"', '2:23 invalid parameter name "Z"']],
])('the problem of %j is at its line and column', (header, places) => {
  expect(placesIn(header)).toEqual(places)
})

test.each([
  ['labels: [0012, 0x1F, 1e3, -0, 1.10, True, .5]', ['0012', '0x1F', '1e3', '-0', '1.10', 'True', '.5']],
  ['labels: 0012', ['0012']],
  ['x: &a 0012\nlabels: [*a, *a]', ['0012', '0012']],
  ['x: &a [0012, true]\nlabels: *a', ['0012', 'true']],
  ['labels:\n- 1_0 # one\n- +5', ['1_0', '+5']],
])('text that looks like a number is the source text in %j', (header, labels) => {
  expect(taskWith(header)).toMatchObject({ kind: 'ok', value: { labels } })
})

test('a key and a value through a CRLF and a byte order mark have the columns that an editor shows', () => {
  const read = readTask('a.md', Buffer.from('\ufeff---\r\nlabls: a\r\ndue: never\r\n---\r\nText\r\n'), 'UTC')
  expect(read).toMatchObject({
    kind: 'bad',
    problems: [
      { line: 3, column: 6 },
      { line: 2, column: 1 },
    ],
  })
})

test('two files that are read in turn have the places of their own', () => {
  const one = '---\nrole: parent\nchannels: { telegram: 0012 }\n---\n'
  const other = '---\nchannels: { telegram: 34, x: [1] }\n---\n'
  for (const _ of [1, 2]) {
    expect(readMember('m.md', one)).toMatchObject({ value: { channels: { telegram: '0012' } } })
    expect(readMember('m.md', other)).toMatchObject({ problems: [{ line: 2, column: 30 }] })
  }
})

test.each([
  ['numbers where text is expected', `labels: [${'1, '.repeat(2_000)}1]`],
  ['unknown keys', Array.from({ length: 1_000 }, (_, at) => `k${at}: 1`).join('\n')],
  ['invalid values', `labels: [${'[], '.repeat(2_000)}[]]`],
])('a header full of %s costs little time', (_, header) => {
  expect(cpuMs(() => expect(taskWith(header).kind).not.toBe('unfinished'))).toBeLessThan(8_000)
})
