import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../src/files/header/document.ts'

function first(header: string) {
  const read = readDocument('x.md', `---\n${header}\n---\nbody\n`)
  return read.kind === 'bad' ? read.problems[0] : undefined
}

describe('flawsOf', () => {
  test.each([
    [
      'title: Fix: the login',
      2,
      8,
      'title: the value contains a colon',
      'Use quotes: title: "Fix: the login"',
    ],
    [
      'title: A\nerror: it broke: why',
      3,
      8,
      'error: the value contains a colon',
      'Use quotes: error: "it broke: why"',
    ],
    [
      'neo:\n  result: one: two',
      3,
      11,
      'result: the value contains a colon',
      'Use quotes: result: "one: two"',
    ],
    ['title: @ana', 2, 8, 'title: the value starts with "@"', 'Use quotes: title: "@ana"'],
    ['title: `x`', 2, 8, 'title: the value starts with "`"', 'Use quotes: title: "`x`"'],
    ['title: *bold* text', 2, 8, 'title: the value starts with "*"', 'Use quotes: title: "*bold* text"'],
    [
      'labels: [@ana, b]',
      2,
      10,
      '`labels: [@ana, b]`: a value starts with a reserved character',
      'Put the value in quotes',
    ],
    ["title: 'it is", 2, 8, "the quote in `title: 'it is` is not closed", 'Close the quote'],
    ['title: "open', 2, 8, 'the quote in `title: "open` is not closed', 'Close the quote'],
    ['labels: [a, b', 2, 9, 'the bracket in `labels: [a, b` is not closed', 'Close the bracket'],
    ['retry: { max: 2', 3, null, 'the bracket in `retry: { max: 2` is not closed', 'Close the bracket'],
    ['a: b\n\tc: d', 3, 1, 'the line is indented with a tab', 'Replace the tab'],
    ['status: a\nstatus: b', 3, 1, 'duplicate key "status"', 'Remove one'],
    ['- a\n- b', 2, 1, 'the header is a list', 'Write one key'],
    ['just text', 2, 1, 'the header is plain text', 'Write one key'],
    ['a: b\nreview branch', 3, 1, '`review branch` has no colon and space', 'Write review: branch'],
    ['a: b\nreview:branch', 3, 1, '`review:branch` has no colon and space', 'Write review: branch'],
    ['a: b\nreview=branch', 3, 1, '`review=branch` has no colon and space', 'Write review: branch'],
    ['a: b\nreview\uff1abranch', 3, 1, 'has no colon and space', 'Write review: branch'],
    ['a: b\nSome prose', 3, 1, '`Some prose` has no colon and space', 'Write key: value'],
    ['verify:\n- a\n-npm test', 4, 1, '`-npm test` has no space after the dash', 'Write - npm test'],
    ['verify: - npm test', 2, 9, 'verify: a list begins beside its key', 'Use brackets: verify: [npm test]'],
    ['a: b\n  review: pr', 3, 3, '`review: pr` is indented too far', 'Remove spaces at the start'],
    ['title: a\n  - b: c\n x: y', 3, null, '', ''],
    ['a: &x 1\nb: *y', 3, 4, '', ''],
  ])('says of %j where and what is wrong, and how to mend it', (header, line, column, message, hint) => {
    const problem = first(header)
    if (message !== '') expect(problem?.message).toContain(message)
    if (hint !== '') expect(problem?.hint).toContain(hint)
    if (column !== null) expect(problem).toMatchObject({ line, column })
    expect(problem?.message).toMatch(/^[^A-Z].*[^.]$/)
    expect(problem?.hint).toMatch(/^[A-Z].*[^.]$/)
    expect(problem?.message).not.toContain('``')
  })
})
