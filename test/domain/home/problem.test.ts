/** How problems and errors say what they are about. */
import { expect, test } from 'vitest'
import { NeoError } from '../../../src/domain/home/error.ts'
import { firstReason, type Problem, problemText, whereOf } from '../../../src/domain/home/problem.ts'

const PROBLEM: Problem = {
  file: 'rooms/a/tasks/b.md',
  line: 4,
  column: 9,
  severity: 'error',
  code: 'type',
  message: 'status: invalid value "done"',
  hint: 'Did you mean "completed"?',
}

test.each([
  [{}, 'rooms/a/tasks/b.md:4:9'],
  [{ column: null }, 'rooms/a/tasks/b.md:4'],
  [{ line: null }, 'rooms/a/tasks/b.md'],
  [{ line: null, column: null }, 'rooms/a/tasks/b.md'],
])('whereOf() leaves out what is not known: %j', (over, where) => {
  expect(whereOf({ ...PROBLEM, ...over })).toBe(where)
})

test.each([
  [{}, 'status: invalid value "done" (line 4); did you mean "completed"?'],
  [{ line: null }, 'status: invalid value "done"; did you mean "completed"?'],
  [{ hint: '' }, 'status: invalid value "done" (line 4)'],
])('problemText() says what, where and what to do: %j', (over, text) => {
  expect(problemText({ ...PROBLEM, ...over })).toBe(text)
})

test('firstReason() leaves the line out, and is null without a problem', () => {
  expect(firstReason([PROBLEM])).toBe('status: invalid value "done"; did you mean "completed"?')
  expect(firstReason([])).toBeNull()
})

test('NeoError carries code, message and what is known beside them', () => {
  const cause = new Error('EACCES')
  expect(new NeoError('disk', 'Cannot save: no rights', { why: 'w', next: 'n', cause })).toMatchObject({
    name: 'NeoError',
    code: 'disk',
    message: 'Cannot save: no rights',
    more: { why: 'w', next: 'n' },
    cause,
  })
})

test('NeoError has no cause when none is given', () => {
  expect('cause' in new NeoError('usage', 'Cannot run: no task is named')).toBe(false)
})
