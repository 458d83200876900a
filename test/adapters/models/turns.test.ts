import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callIds, turnsOf, wellFormed, wireId, wireName } from '../../../src/adapters/models/model-turns.ts'
import type { Message } from '../../../src/domain/agent/model-message.ts'
import { callsOf } from '../../../src/domain/agent/model-message.ts'

const ids = fc.constantFrom('a', 'b', 'c')
const text = fc.record({ kind: fc.constant('text' as const), text: fc.constantFrom('', ' ', 'x', 'y') })
const call = fc.record({
  kind: fc.constant('call' as const),
  id: ids,
  name: fc.constant('f'),
  input: fc.constant({}),
})
const result = fc.record({
  kind: fc.constant('result' as const),
  call: ids,
  name: fc.constant('f'),
  text: fc.string(),
  isError: fc.constant(false),
})
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    role: fc.constant('user' as const),
    parts: fc.array(fc.oneof(text, result), { maxLength: 3 }),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    parts: fc.uniqueArray(fc.oneof(text, call), {
      maxLength: 3,
      selector: (part) => ('id' in part ? part.id : part),
    }),
  }),
)

test('turnsOf() gives turns that alternate, of which none is empty and each call is answered once, for any messages', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
      const turns = turnsOf(messages)
      turns.forEach((turn, index) => {
        expect(turn.role).not.toBe(turns[index + 1]?.role)
        if (turn.role === 'user') expect(turn.results.length + turn.texts.length).toBeGreaterThan(0)
        const before = turns[index - 1]
        const calls = before?.role === 'assistant' ? before.messages.flatMap(callsOf).map(({ id }) => id) : []
        if (turn.role === 'user') expect(turn.results.map((one) => one.call)).toEqual(calls)
      })
      expect(turns.at(-1)?.role === 'assistant' ? turns.at(-1) : null).not.toMatchObject({
        messages: [{ parts: [{ kind: 'call' }] }],
      })
    }),
  )
})

test('turnsOf() keeps a result whose call is gone as text', () => {
  const stray = { kind: 'result', call: 'gone', name: 'f', text: 'r', isError: false } as const
  expect(turnsOf([{ role: 'user', parts: [stray] }])).toMatchObject([
    { results: [], texts: [{ text: 'Result of f: r' }] },
  ])
})

test('wireId() and wireName() keep what is fit, and make the same of the same', () => {
  expect([wireId('toolu_1-A', 40), wireName('read_file')]).toEqual(['toolu_1-A', 'read_file'])
  expect(wireId('functions.f:0', 40)).toBe(wireId('functions.f:0', 40))
  expect(wireId('a'.repeat(41), 40)).toMatch(/^[\w-]{1,40}$/)
  expect([wireName(''), wireName('a b.c')]).toEqual(['unnamed', 'a_b_c'])
})

test('wellFormed() replaces half of a pair, and leaves whole ones', () => {
  expect(wellFormed('a\ud83d b\ude00 😀')).toBe('a\ufffd b\ufffd 😀')
})

test('callIds() keeps ids that are new, and makes one where an id is missing or taken', () => {
  const parts = [{ kind: 'call', id: 'a', name: 'f', input: {} }] as const
  const idOf = callIds([{ role: 'assistant', parts }])
  const given = ['a', 'b', 'b', ''].map(idOf)
  expect(given[1]).toBe('b')
  expect(new Set(['a', ...given]).size).toBe(5)
})
