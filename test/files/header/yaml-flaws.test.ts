import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../src/files/header/document.ts'

function first(header: string) {
  const read = readDocument('x.md', `---\n${header}\n---\nbody\n`)
  return read.kind === 'bad' ? read.problems[0] : undefined
}

describe('flawsOf', () => {
  test.each([
    ['title: Fix: the login', 2, 8, 'title has a colon', 'Write title: "Fix: the login"'],
    ['title: A\nerror: it broke: why', 3, 8, 'error has a colon', 'Write error: "it broke: why"'],
    ['neo:\n  result: one: two', 3, 11, 'result has a colon', 'Write result: "one: two"'],
    ['title: @ana', 2, 8, 'title starts with "@"', 'Write title: "@ana"'],
    ['title: `x`', 2, 8, 'title starts with "`"', 'Write title: "`x`"'],
    ['title: *bold* text', 2, 8, 'title starts with "*"', 'Write title: "*bold* text"'],
    [
      'labels: [@ana, b]',
      2,
      10,
      '`labels: [@ana, b]` holds a value that starts with a reserved character',
      'Put that value between quotes',
    ],
    ["title: 'it is", 2, 8, "A quote that opens at `title: 'it is` is not closed", 'Close the quote'],
    ['title: "open', 2, 8, 'A quote that opens at `title: "open` is not closed', 'Close the quote'],
    ['labels: [a, b', 2, 9, 'A bracket that opens at `labels: [a, b` is not closed', 'Close the bracket'],
    [
      'retry: { max: 2',
      3,
      null,
      'A bracket that opens at `retry: { max: 2` is not closed',
      'Close the bracket',
    ],
    ['a: b\n\tc: d', 3, 1, 'A tab stands where the line is indented', 'Replace the tab'],
    ['status: a\nstatus: b', 3, 1, 'The key "status" is there twice', 'Remove one'],
    ['- a\n- b', 2, 1, 'The header is a list', 'Write one key'],
    ['just text', 2, 1, 'The header is plain text', 'Write one key'],
    ['title: a\n  - b: c\n x: y', 3, null, '', ''],
    ['a: &x 1\nb: *y', 3, 4, '', ''],
  ])('says of %j where and what is wrong, and how to mend it', (header, line, column, message, hint) => {
    const problem = first(header)
    if (message !== '') expect(problem?.message).toContain(message)
    if (hint !== '') expect(problem?.hint).toContain(hint)
    if (column !== null) expect(problem).toMatchObject({ line, column })
    expect(problem?.message).toMatch(/^[^a-z]?.*, want .*[^.]$/)
    expect(problem?.message).not.toContain('``')
  })
})
