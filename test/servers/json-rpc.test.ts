/** The text of JSON-RPC 2.0: the specification's own table of examples, limits, and anything else that may come. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HUB_CODES, HubError } from '../../src/hub/hub.ts'
import { answerTo, type Carry, readMessage } from '../../src/servers/shared/json-rpc.ts'

const carry: Carry = async (method, params) => {
  const numbers = params as readonly number[] & { readonly minuend: number; readonly subtrahend: number }
  switch (method) {
    case 'subtract':
      return Array.isArray(params)
        ? (numbers[0] ?? 0) - (numbers[1] ?? 0)
        : numbers.minuend - numbers.subtrahend
    case 'sum':
      return numbers.reduce((sum, number) => sum + number, 0)
    case 'get_data':
      return ['hello', 5]
    case 'fail':
      throw new Error('a secret of ours')
    case 'notify_hello':
    case 'notify_sum':
    case 'update':
      return null
    default:
      throw new HubError(HUB_CODES.method, 'Method not found')
  }
}

const invalid = { jsonrpc: '2.0', error: { code: -32600 }, id: null }
const parseError = { jsonrpc: '2.0', error: { code: -32700 }, id: null }
const unknown = (id: unknown) => ({ jsonrpc: '2.0', error: { code: -32601 }, id })
const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', result: value, id })

/** What is sent, and what comes back; null: nothing. */
const EXAMPLES: readonly (readonly [string, string, unknown])[] = [
  ['positions', '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', result(1, 19)],
  [
    'positions the other way',
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    result(2, -19),
  ],
  [
    'names',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    result(3, 19),
  ],
  [
    'names in another order',
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    result(4, 19),
  ],
  ['a notice', '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', null],
  ['a notice of what is unknown', '{"jsonrpc": "2.0", "method": "foobar"}', null],
  ['an unknown method', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', unknown('1')],
  ['no JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', parseError],
  ['an invalid request', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', invalid],
  [
    'a batch that is no JSON',
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    parseError,
  ],
  ['an empty batch', '[]', invalid],
  ['a batch of one that is invalid', '[1]', [invalid]],
  ['a batch of three that are invalid', '[1,2,3]', [invalid, invalid, invalid]],
  [
    'a batch of everything',
    `[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]`,
    [result('1', 7), result('2', 19), invalid, unknown('5'), result('9', ['hello', 5])],
  ],
  [
    'a batch of notices',
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    null,
  ],
  [
    'id: null is a request',
    '{"jsonrpc": "2.0", "method": "get_data", "id": null}',
    result(null, ['hello', 5]),
  ],
  [
    'params: null',
    '{"jsonrpc": "2.0", "method": "get_data", "params": null, "id": 1}',
    { ...invalid, id: 1 },
  ],
  ['an id that is an object', '{"jsonrpc": "2.0", "method": "get_data", "id": {}}', invalid],
  ['another version', '{"jsonrpc": "1.0", "method": "get_data", "id": 7}', { ...invalid, id: 7 }],
  ['a method of every object', '{"jsonrpc": "2.0", "method": "toString", "id": 1}', unknown(1)],
  ['a member of the prototype', '{"__proto__": {"jsonrpc": "2.0", "method": "get_data", "id": 1}}', invalid],
]

test.each(EXAMPLES)('%s: the answer is the one of the specification', async (_, sent, wanted) => {
  const { text } = await answerTo(sent, carry)
  if (wanted === null) expect(text).toBeNull()
  else expect(JSON.parse(text ?? 'null')).toMatchObject(wanted as object)
})

test('an answer holds a result or an error, never both', async () => {
  for (const [, sent] of EXAMPLES) {
    const { text } = await answerTo(sent, carry)
    for (const one of [JSON.parse(text ?? '[]')].flat() as object[])
      expect(['result' in one, 'error' in one].filter(Boolean)).toHaveLength(1)
  }
})

test('what was thrown inside is not told', async () => {
  const { text } = await answerTo('{"jsonrpc": "2.0", "method": "fail", "id": 1}', carry)
  expect(JSON.parse(text ?? '')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error' },
  })
})

test('a message that is too long, too deep or a batch too long is an invalid request', async () => {
  const call = '{"jsonrpc":"2.0","method":"get_data","id":1}'
  const sent = [
    `{"jsonrpc":"2.0","method":"${'x'.repeat(1024 * 1024)}","id":1}`,
    `{"jsonrpc":"2.0","method":"get_data","params":${'['.repeat(70)}${']'.repeat(70)},"id":1}`,
    `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
    `[${Array(101).fill(call).join(',')}]`,
  ]
  for (const text of sent) {
    const answer = await answerTo(text, carry)
    expect(JSON.parse(answer.text ?? '')).toMatchObject(invalid)
  }
  const most = await answerTo(`[${Array(100).fill(call).join(',')}]`, carry)
  expect(JSON.parse(most.text ?? '')).toHaveLength(100)
})

test('whatever text comes is read without a throw', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.json().map((text) => `[${text},1]`),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const message = readMessage(text)
      const asked = message.kind === 'one' ? [message.asked] : message.asked
      expect(asked.length).toBeGreaterThan(0)
    }),
    { numRuns: 2_000 },
  )
})
