/** Where the answer of a question is read, and what is said of one that is written elsewhere. */
import { expect, test } from 'vitest'
import { readAsk } from '../../../src/files/kinds/read-ask.ts'

const header = (...lines: string[]): string => `---\n${lines.join('\n')}\n---\n`

test.each([
  ['## Answer\n\nBlue.\nNot red.\n\n## More\nx', 'Blue.\nNot red.'],
  ['## Question\n```\n## Answer\nno\n```\n## answer\nyes\n', 'yes'],
  ['## Answer\n<!-- write here -->\n', undefined],
  ['## Answer\n', undefined],
  ['text', undefined],
  ['## Answer\n<!-- write it here -->\n\n## Answer\nBlue\n', 'Blue'],
  ['## Answer: ##\nBlue\n', 'Blue'],
  ['## Answer\nBlue\n\n## Answer\nRed\n', undefined],
])('reads the answer in %j', (body, answer) => {
  const read = readAsk('a.md', `${header('kind: question')}${body}`)
  expect(read.kind === 'ok' ? read.value.answer : 'bad').toBe(answer)
})

test.each([
  ['Which?\n\n## Answer\nBlue\n\n## Answer\nRed\n', 11, 'two different answers under two headings'],
  ['Which?\n\n## Answer\n<!-- Blue -->\n', 9, 'inside a comment'],
  ['Which?\n\n## Answer\n\n# Answer\nBlue\n', 10, '"# Answer" is not the heading of the answer'],
  ['Which?\n\n**Answer:** Blue\n', 8, '"**Answer:** Blue" is not the heading of the answer'],
  ['Which?\nBlue\n', 6, 'the heading "## Answer" is missing'],
  ['Which?\n\n## Answer\n\n## Note\nBlue\n', 11, 'outside of the section "## Answer"'],
  ['Which?\n\nBlue\n\n## Answer\n', 8, 'above the heading "## Answer"'],
  ['Which?\n\n## Answer\n<!-- write the answer here -->\n', null, ''],
])('warns of an answer that is not read in %j', (body, line, message) => {
  const read = readAsk('a.md', `${header('kind: question', 'session: s-aaaaaa', 'reason: Which?')}${body}`)
  const warned = line === null ? [] : [{ line, message: expect.stringContaining(message), code: 'answer' }]
  expect(read).toMatchObject({ kind: 'ok', warnings: warned })
  expect(read.kind === 'ok' && read.value.answer).toBe(undefined)
})
