import { expect, test } from 'vitest'
import { nearest } from '../../src/formats/suggest.ts'

const STATUSES = ['draft', 'pending', 'in_progress', 'completed', 'cancelled']

test.each([
  ['todo', 'pending'],
  ['To-Do', 'pending'],
  ['to do', 'pending'],
  ['in-progress', 'in_progress'],
  ['InProgress', 'in_progress'],
  ['done', 'completed'],
  ['complet', 'completed'],
  ['constructor', null],
  ['elsewhere', null],
])('nearest() takes %j for %j', (word, right) => {
  expect(nearest(word, STATUSES)).toBe(right)
})

test('nearest() knows words of two parts, joined and apart', () => {
  for (const word of ['blocked_by', 'blockedBy', 'blocked-by', 'blockedby'])
    expect(nearest(word, ['depends_on', 'due'])).toBe('depends_on')
})
