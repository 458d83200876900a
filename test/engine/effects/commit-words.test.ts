import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageOf, sharedSubject, subjectOf, verbPhrase } from '../../../src/engine/effects/commit-words.ts'

test.each([
  ['start build', '', 'neo(shop): start build'],
  ['complete docs', '2 files', 'neo(shop): complete docs (2 files)'],
  ['fail build', 'exit code 3:\nno such file', 'neo(shop): fail build (exit code 3: no such file)'],
])('subjectOf() puts the result of "%s" in parentheses', (what, result, subject) => {
  expect(subjectOf('shop', what, result)).toBe(subject)
})

test('messageOf() cuts a long result in the subject, and has all of it in the body', () => {
  const result = 'a long line '.repeat(8).trim()
  const { subject, body } = messageOf('shop', 'complete docs', result)
  expect([subject.endsWith('…)'), body]).toEqual([true, result])
})

test('messageOf() has no body for a result that the subject has', () => {
  expect(messageOf('shop', 'complete docs', '2 files').body).toBe('')
})

test('sharedSubject() puts names, or their number, where the verb has its object', () => {
  const task = { room: 'shop', noun: 'task' as const, name: 'call' }
  expect([
    sharedSubject('assign * to human', [task, { ...task, name: 'write' }]),
    sharedSubject('assign * to human', Array(40).fill(task)),
  ]).toEqual(['neo(shop): assign call, write to human', 'neo(shop): assign 40 tasks to human'])
})

test('a subject is one line of at most 72 characters, whatever it names', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 })
  fc.assert(
    fc.property(text, text, text, (room, name, result) => {
      const subjects = [
        subjectOf(room, verbPhrase('assign * to human', name), result),
        sharedSubject('adopt', [{ room, noun: 'task', name }]),
      ]
      for (const subject of subjects)
        expect([[...subject].length <= 72, subject.includes('\n')]).toEqual([true, false])
    }),
    { numRuns: 100, seed: 7 },
  )
})
