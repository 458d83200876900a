/** Messages of AOI that are refused before the core sees them. */
import { expect, test } from 'vitest'
import { answerAoi, type RpcDeps } from '../../src/aoi/aoi-rpc.ts'

const never = async () => Promise.reject(new Error('the core was asked'))
const core = { query: never, execute: never, cancel: never } as unknown as RpcDeps['core']
const deps: RpcDeps = { core, self: () => 'ben', rate: () => null, discover: never, notified: () => {} }
const QUERY = {
  from: 'ana',
  to: 'ben',
  query: 'x',
  context_scope: [{ type: 'repository', identifier: 'a/b' }],
}

const codeOf = async (method: string, params: object, id: unknown = 1, more: Partial<RpcDeps> = {}) => {
  const text = await answerAoi(
    { ...deps, ...more },
    'ana',
    JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  )
  return (JSON.parse(text ?? '{}') as { readonly error?: { readonly code: number } }).error?.code
}

test.each([
  ['an id of a megabyte', 'aoi.query', QUERY, 'x'.repeat(1_000), -32602],
  ['an empty scope', 'aoi.query', { ...QUERY, context_scope: [] }, 1, -32602],
  [
    'an unknown type of context',
    'aoi.query',
    { ...QUERY, context_scope: [{ type: 'x', identifier: 'a' }] },
    1,
    -32602,
  ],
  ['another sender', 'aoi.query', { ...QUERY, from: 'eve' }, 1, -32001],
  ['another receiver', 'aoi.query', { ...QUERY, to: 'eve' }, 1, -32003],
  ['a method of another protocol', 'SendMessage', {}, 1, -32601],
  ['a task type that is a path', 'aoi.task.execute', { ...QUERY, task_type: '../x' }, 1, -32602],
] as const)('%s is refused', async (_, method, params, id, code) => {
  expect(await codeOf(method, params, id)).toBe(code)
})

test('more requests than the rate allows are refused, and say when to come back', async () => {
  expect(await codeOf('aoi.query', QUERY, 1, { rate: () => 2_000 })).toBe(-32006)
})

test('an error that is not the protocol’s says nothing of what was thrown', async () => {
  const text = await answerAoi(
    deps,
    'ana',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aoi.query', params: QUERY }),
  )
  expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}')
})
