/** Summaries and commit subjects in the past tense. */
import { expect, test } from 'vitest'
import { past, subjectParts } from '../../page/parts/timeline/past-words.ts'
import { METHODS } from '../../src/hub/method-table.ts'

test.each([
  ['Update a task', 'updated a task'],
  ['Stop a session', 'stopped a session'],
  ['Retry a task', 'retried a task'],
  ['Send a message', 'sent a message'],
  ['Run a schedule now', 'ran a schedule now'],
  ['Delete', 'deleted'],
  ['2 tasks', null],
])('past() of %s is %s', (summary, said) => {
  expect(past(summary)).toBe(said)
})

test.each(METHODS.map(({ name, summary }) => [name, summary]))('past() knows what %s does', (_, summary) => {
  expect(past(summary)).not.toBeNull()
})

test('subjectParts() divides what Neo writes, and leaves what people write', () => {
  expect(subjectParts('neo(shop): complete a (1 step passed)')).toEqual({
    verb: 'completed',
    object: 'a',
    result: '1 step passed',
  })
  expect(subjectParts('neo: adopt 4 rooms')).toEqual({ verb: 'adopted', object: '4 rooms', result: null })
  expect(subjectParts('fix the build (again)')).toBeNull()
})
