/**
 * Each error code of the agent protocol, as an agent gets it that signs requests to a real home over HTTPS. A code that has
 * no case here fails the last test.
 */
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AOI_CODES } from '../../src/aoi/agent-core.ts'
import { CONTEXT, type Node, type NodeOptions, startNode } from './node.ts'
import { type SigningAgent, signingAgent } from './signing-agent.ts'

const rule = (pattern: string, more: string) => `{ agent_id: ana, pattern: ${pattern}, ${more} }`
const READS = rule('acme/shop', 'permission: read, auto: true')
const WRITES = rule('acme/shop', 'permission: write, tasks: [echo, build]')
const SCOPE = [CONTEXT]
const QUERY = { from: 'ana', to: 'ben', query: 'how far?', context_scope: SCOPE }
const TASK = { from: 'ana', to: 'ben', task_type: 'deploy', context_scope: SCOPE }
const OTHER = [{ type: 'repository', identifier: 'acme/other' }]

type Ask = (ana: SigningAgent, ben: Node) => Promise<unknown>

interface Case {
  readonly ben?: () => Promise<Partial<NodeOptions>>
  readonly ask: Ask
  /** Of the reply, besides `jsonrpc`. */
  readonly error: object
  /** Of the reply; 1 for those that have one. */
  readonly id?: number | null
}

const call =
  (method: string, params: object): Ask =>
  (ana) =>
    ana.call(method, params)
const text =
  (body: string): Ask =>
  async (ana) =>
    (await ana.send(await ana.sign(body))).reply
const rules =
  (...of: readonly string[]) =>
  async () => ({ rules: of })

/** A model that never answers. */
async function slow(): Promise<Partial<NodeOptions>> {
  const server = createServer(() => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = `  fake: { api: anthropic, api_key: test, base_url: "${url}" }`
  const config = ['model: fake/claude-sonnet-5-5', 'providers:', provider, ''].join('\n')
  return { rules: [READS], agent: 'max_queries: 1', config }
}

/** Answers a query only after its caller has stopped waiting. */
const tooLate = (ana: SigningAgent) => ana.call('aoi.query', { ...QUERY, timeout: 1 })

const CASES: Readonly<Record<string, Case>> = {
  'parse: no JSON': { ask: text('{'), id: null, error: { code: -32700, message: 'Parse error' } },
  'request: not JSON-RPC 2.0': {
    ask: text('{"jsonrpc":"1.0","id":1,"method":"aoi.query"}'),
    error: { code: -32600, message: 'Invalid Request', data: { why: 'jsonrpc must be "2.0"' } },
  },
  'request: an empty batch': {
    ask: text('[]'),
    id: null,
    error: { code: -32600, message: 'Invalid Request', data: { why: 'the batch is empty' } },
  },
  'method: of nobody': {
    ask: call('aoi.nothing', {}),
    error: { code: -32601, message: 'Unknown method "aoi.nothing"' },
  },
  'method: of the hub': {
    ask: call('task.list', {}),
    error: { code: -32601, message: 'Unknown method "task.list"' },
  },
  'params: no context, which is never all of them': {
    ask: call('aoi.query', { ...QUERY, context_scope: [] }),
    error: {
      code: -32602,
      message: 'Invalid context_scope: name at least one context',
      data: { issues: [{ path: ['context_scope'], message: 'name at least one context' }] },
    },
  },
  'params: a task type that no rule names, with those that are': {
    ben: rules(WRITES),
    ask: call('aoi.task.execute', TASK),
    error: {
      code: -32602,
      message: expect.stringContaining('allowed: echo, build'),
      data: expect.anything(),
    },
  },
  'internal: the disk of the home takes nothing': {
    ben: rules(READS),
    async ask(ana, ben) {
      mkdirSync(join(ben.home.dir, '.git/neo/agent/requests.jsonl'), { recursive: true })
      return await ana.call('aoi.query', QUERY)
    },
    error: { code: -32603, message: 'Internal error' },
  },
  'denied: reading without a rule': {
    ask: call('aoi.query', QUERY),
    error: denied('no rule gives this agent access', 'read', SCOPE),
  },
  'denied: a task, with a rule for reading': {
    ben: rules(READS),
    ask: call('aoi.task.execute', TASK),
    error: denied('no rule gives this agent access', 'write', SCOPE),
  },
  'denied: in the name of another agent': {
    ben: rules(READS),
    ask: call('aoi.query', { ...QUERY, from: 'eve' }),
    error: denied('the request names another agent than the one that has signed it', 'read', []),
  },
  'context: a rule covers it, and the home does not have it': {
    ben: rules(rule('acme/**', 'permission: read')),
    ask: call('aoi.query', { ...QUERY, context_scope: OTHER }),
    error: { code: -32002, message: 'Context not found', data: { requested_scope: OTHER } },
  },
  'agent: another one is meant': {
    ask: call('aoi.query', { ...QUERY, to: 'dan' }),
    error: {
      code: -32003,
      message: 'Agent not found',
      data: { requested_agent: 'dan', suggestion: 'ben' },
    },
  },
  'busy: max_queries of this agent are being answered': {
    ben: slow,
    async ask(ana) {
      await tooLate(ana)
      return await ana.call('aoi.query', { ...QUERY, query: 'and now?' }, 2)
    },
    id: 2,
    error: { code: -32004, message: 'The agent is busy; try again', data: { retry_after: 1 } },
  },
  'timeout: the model is slower than the caller waits': {
    ben: slow,
    ask: tooLate,
    error: {
      code: -32005,
      message: 'Timeout',
      data: { query_id: expect.stringMatching(/^q-[0-9a-z]{13}$/) },
    },
  },
  'rate: more requests than agent.rate': {
    ben: async () => ({ agent: 'rate: 1/m' }),
    async ask(ana) {
      await ana.call('aoi.discover', { agent_id: 'ana' })
      return await ana.call('aoi.discover', { agent_id: 'ana' })
    },
    error: { code: -32006, message: 'Rate limit exceeded', data: { retry_after: expect.any(Number) } },
  },
}

function denied(reason: string, permission: string, scope: readonly unknown[]): object {
  const data = { reason, required_permission: permission, requested_scope: scope }
  return { code: -32001, message: 'Permission denied', data }
}

test.each(Object.entries(CASES))('%s', async (_, { ben: options, ask, error, id = 1 }) => {
  const ben = await startNode('ben', { host: '127.0.0.1', ...(await options?.()) })
  const ana = await signingAgent('ana', ben)
  expect(await ask(ana, ben)).toEqual({ jsonrpc: '2.0', id, error })
})

test('every code of the protocol has a case', () => {
  const codes = ['parse', 'request', 'method', ...Object.keys(AOI_CODES)]
  expect([...new Set(Object.keys(CASES).map((name) => name.split(':')[0]))].toSorted()).toEqual(
    codes.toSorted(),
  )
})
