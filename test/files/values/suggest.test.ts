import { expect, test } from 'vitest'
import { nearest } from '../../../src/files/values/suggest.ts'

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

const REVIEW = ['none', 'branch', 'pr']
const PERMISSION = ['allow', 'ask', 'deny']

test.each([
  ['manual', REVIEW, 'branch'],
  ['required', REVIEW, 'branch'],
  ['yes', REVIEW, 'branch'],
  ['auto', REVIEW, null],
  ['done', REVIEW, null],
  ['no', REVIEW, null],
  ['nonee', REVIEW, 'none'],
  ['never', PERMISSION, 'deny'],
  ['prompt', PERMISSION, 'ask'],
  ['false', PERMISSION, 'deny'],
  ['unallow', PERMISSION, null],
  ['disallow', PERMISSION, null],
  ['alow', PERMISSION, 'allow'],
  ['none', ['on', 'off'], 'off'],
  ['stopped', ['active', 'paused', 'archived'], 'paused'],
  ['inactive', ['active', 'paused', 'archived'], 'paused'],
] as const)('nearest() never leads %j of %j to less safety', (word, right, meant) => {
  expect(nearest(word, right)).toBe(meant)
})
