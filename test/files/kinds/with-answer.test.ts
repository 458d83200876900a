/** An answer that is written under a question reads back as the same text, and takes nothing else away. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerOf, readAsk, withAnswer } from '../../../src/files/kinds/read-ask.ts'

test.each([
  ['a question', 'Which?\n\n## Answer\n\n<!-- write the answer here -->\n', 'Which?\n\n## Answer\n\nBlue\n'],
  ['no heading', 'Which?', 'Which?\n\n## Answer\n\nBlue\n'],
  ['an old answer', 'Which?\n\n## Answer\nRed\n', 'Which?\n\n## Answer\n\nBlue\n'],
  ['two old answers', '## Answer\nRed\n\n## Answer\nGreen\n', '\n\n## Answer\n\nBlue\n'],
  [
    'a section below',
    'Which?\n\n## Answer\nRed\n\n## Notes\nKeep this.\n',
    'Which?\n\n## Notes\nKeep this.\n\n## Answer\n\nBlue\n',
  ],
  ['CRLF', 'Which?\r\n\r\n## Answer\r\n', 'Which?\r\n\r\n## Answer\r\n\r\nBlue\r\n'],
])('withAnswer() answers a body with %s', (_, body, answered) => {
  expect(withAnswer(body, '  Blue\n')).toBe(answered)
})

test.each([
  ['# Plan\nFirst this.\n## Then\nThat.', '\\# Plan\nFirst this.\n\\## Then\nThat.'],
  ['## Answer\nBlue', '\\## Answer\nBlue'],
  ['<!-- a comment -->', '\\<!-- a comment -->'],
  ['<!-- open', '\\<!-- open'],
  ['\\# as it is', '\\\\# as it is'],
  ['```\n# code\n<!-- code -->\n```', '```\n# code\n<!-- code -->\n```'],
  ['```\n# open code', '```\n# open code'],
  ['### Third level', '### Third level'],
  ['text\n    # indented', 'text\n    # indented'],
])('withAnswer() writes %j so that it is read whole', (answer, written) => {
  const body = withAnswer('Which?\n', answer)
  expect(body).toContain(`\n\n${written}\n`)
  expect(answerOf(body)).toBe(answer.trim())
})

test('answerOf() gives any answer back, whatever was asked and answered before', () => {
  const line = fc.constantFrom(
    ...['', 'text', '# a', '## Answer', '  ## b', '\\# c', '\\\\<!-- d', '<!-- e -->', '<!-- f', '-->'],
    ...['```', '~~~sh', '- item', '  - <!-- g', '> quote', '    # h', '\t# i', '#', '##j', '---'],
  )
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))
  const asked = fc.constantFrom(
    'Which?',
    'Which?\n\n## Answer\n\nold\n',
    '> ## Answer\n\n## Notes\nmore\n',
    '',
  )
  fc.assert(
    fc.property(asked, text, text, (body, first, second) => {
      fc.pre(first.trim() !== '' && second.trim() !== '')
      const once = withAnswer(body, first)
      expect(answerOf(once)).toBe(first.trim())
      expect(answerOf(withAnswer(once, second))).toBe(second.trim())
      expect(withAnswer(once, second)).toBe(withAnswer(body, second))
    }),
    { numRuns: 800 },
  )
})

test('a comment line in a block of code is a part of the answer', () => {
  const body = '## Answer\n<!-- write it here -->\n```html\n<!-- logo -->\n```\n'
  expect(answerOf(body)).toBe('```html\n<!-- logo -->\n```')
  const read = readAsk('a.md', `---\nkind: question\n---\n${body}`)
  expect(read).toMatchObject({ kind: 'ok', warnings: [] })
})
