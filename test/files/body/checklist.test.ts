/** Boxes of a checklist are ticked, and nothing else changes. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuMs } from '../../wait.ts'
import { tickBoxes } from '../../../src/files/body/markdown.ts'

const BODY =
  'Do it.\r\n\r\n- [ ] Write the `test`\r\n- [x] Think\n* [ ] Mend\n  1. [ ] Mend\n\n```sh\n- [ ] Think of sh\n```\n'

test('tickBoxes() ticks the item that is named, whatever its case and emphasis', () => {
  expect(tickBoxes(BODY, ['write the TEST'])).toBe(BODY.replace('[ ] Write', '[x] Write'))
})

test('tickBoxes() leaves a box in the text of an item that is ticked already', () => {
  const body = '- [x] choose [ ] or [x]\n'
  expect(tickBoxes(body, ['choose [ ] or [x]'])).toBe(body)
  expect(tickBoxes('- [ ] choose [ ]\r\n', ['choose [ ]'])).toBe('- [x] choose [ ]\r\n')
})

test('tickBoxes() takes a line with a lone carriage return as one line', () => {
  const body = `${'a'.repeat(100_000)}\rb\n- [ ] c\n`
  expect(cpuMs(() => expect(tickBoxes(body, ['c'])).toBe(body.replace('[ ]', '[x]')))).toBeLessThan(8_000)
})

test.each([[['Mend']], [['Think of sh']], [['Nothing such']], [[]]])(
  'tickBoxes() leaves all as it is for %j',
  (done) => {
    expect(tickBoxes(BODY, done)).toBe(BODY)
  },
)

test('tickBoxes() changes single characters in boxes alone, whatever the body', () => {
  const line = fc.constantFrom(
    '- [ ] a',
    '- [x] b',
    '* [ ] c\r',
    '- [ ]',
    '```',
    'text [ ] a',
    '> - [ ] a',
    '<!-- - [ ] a -->',
  )
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.constantFrom('a', 'b', 'c', '')), (lines, done) => {
      const body = lines.join('\n')
      const ticked = tickBoxes(body, done)
      expect(ticked.replaceAll('[x]', '[ ]')).toBe(body.replaceAll('[x]', '[ ]'))
      expect(tickBoxes(ticked, done)).toBe(ticked)
    }),
  )
})
