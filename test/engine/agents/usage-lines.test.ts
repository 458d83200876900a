/** Lines of the usage ledger: what is written is read back, and nothing else counts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleaned, lineOf, storedOf } from '../../../src/engine/agents/usage-lines.ts'

const line = {
  ...{ v: 1, key: 's-a:1', at: '2026-03-02T09:00:00Z', room: 'shop', task: 't-a', session: 's-a' },
  ...{
    kind: 'session',
    model: 'x/y',
    input: 1,
    cache_read: 2,
    cache_write: 3,
    output: 4,
    usd: 0.5,
    source: 'told',
  },
}

const name = fc.option(fc.string({ maxLength: 10 }), { nil: null })
const amount = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-1, Number.NaN, Number.POSITIVE_INFINITY))
const call = fc.record({
  at: fc
    .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  room: name,
  task: name,
  session: name,
  kind: fc.constantFrom('session', 'neo', 'exec'),
  model: fc.string({ maxLength: 10 }),
  usage: fc.record({
    input: amount,
    cacheRead: amount,
    cacheWrite: amount,
    output: amount,
    source: fc.constantFrom('told', 'estimated'),
  }),
  usd: fc.option(amount, { nil: null }),
})

test('storedOf(JSON.parse(lineOf(x))) is x for any call that was cleaned', () => {
  fc.assert(
    fc.property(
      call,
      fc.string({ maxLength: 10 }),
      fc.constantFrom('done', 'open', 'void'),
      (made, key, state) => {
        const stored = { key, call: cleaned(made), state }
        const text = lineOf(stored)
        // JSON has no -0.
        expect([text.includes('\n'), storedOf(JSON.parse(text))]).toEqual([
          false,
          JSON.parse(JSON.stringify(stored)),
        ])
      },
    ),
    { numRuns: 200 },
  )
})

test.each([
  ['-1 and fractions', { input: -1, output: 1.6 }, { input: 0, output: 2 }],
  ['no number', { input: Number.NaN, output: Number.POSITIVE_INFINITY }, { input: 0, output: 0 }],
])('cleaned() counts %s of tokens', (_what, over, usage) => {
  const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, source: 'told' } as const
  const { room, task, session, model, at } = line
  const given = {
    at,
    room,
    task,
    session,
    model,
    kind: 'session',
    usage: { ...tokens, ...over },
    usd: -1,
  } as const
  expect(cleaned(given)).toMatchObject({ usage, usd: null })
})

test.each<[string, unknown]>([
  ['another version', { ...line, v: 2 }],
  ['no key', { ...line, key: 5 }],
  ['no model', { ...line, model: null }],
  ['another kind', { ...line, kind: 'human' }],
  ['no time', { ...line, at: 'yesterday' }],
  ['negative tokens', { ...line, input: -1 }],
  ['a missing number of tokens', { ...line, cache_read: undefined }],
  ['a list', []],
  ['nothing', null],
])('storedOf() reads no line with %s', (_what, value) => {
  expect(storedOf(value)).toBeNull()
})

test.each<[string, object, object]>([
  [
    'a time of another form',
    { at: '2026-03-02T10:00:00.500+01:00' },
    { call: { at: '2026-03-02T09:00:00Z' } },
  ],
  ['a price that is none', { usd: -1 }, { call: { usd: null } }],
  ['names that are none', { room: 5, task: undefined }, { call: { room: null, task: null } }],
  ['an unknown state', { state: 'late' }, { state: 'done' }],
  ['an unknown source', { source: 'guessed' }, { call: { usage: { source: 'told' } } }],
])('storedOf() reads %s', (_what, over, stored) => {
  expect(storedOf({ ...line, ...over })).toMatchObject(stored)
})
