/** Requests on the wire that are refused, each with its code: what the official client doesn't send. */
import { expect, test } from 'vitest'
import { AgentRefusal } from '../../../src/aoi/agent-core.ts'
import { order, question, SCOPE, serveA2a } from './served-a2a.ts'

const BROKEN = [
  ['invalid JSON', '{', -32700, 'PARSE_ERROR'],
  [
    'a batch',
    [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'w-1' } }],
    -32600,
    'INVALID_REQUEST',
  ],
  ['an empty batch', [], -32600, 'INVALID_REQUEST'],
  ['text', '"GetTask"', -32600, 'INVALID_REQUEST'],
  ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'GetTask' }, -32600, 'INVALID_REQUEST'],
  ['a notification', { jsonrpc: '2.0', method: 'GetTask', params: {} }, -32600, 'INVALID_REQUEST'],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'GetTask' }, -32600, 'INVALID_REQUEST'],
  [
    'deep nesting',
    `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(90)}${']'.repeat(90)}}`,
    -32600,
    'INVALID_REQUEST',
  ],
] as const

test.each(BROKEN)('%s is refused with the id null', async (_, body, code, reason) => {
  const { post } = await serveA2a()
  const reply = await (await post(body)).json()
  expect(reply).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: {
      code,
      data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
    },
  })
})

const FAILING = [
  ['GetTask', { id: 'w-9' }, -32001, 'TASK_NOT_FOUND'],
  ['CancelTask', { id: 'w-9' }, -32001, 'TASK_NOT_FOUND'],
  ['SubscribeToTask', { id: 'w-9' }, -32001, 'TASK_NOT_FOUND'],
  ['SendMessage', question('m-1', { taskId: 'w-9' }), -32001, 'TASK_NOT_FOUND'],
  ['GetTask', {}, -32602, 'INVALID_PARAMS'],
  ['GetTask', { id: 7 }, -32602, 'INVALID_PARAMS'],
  ['GetTask', { id: 'w-1', historyLength: -1 }, -32602, 'INVALID_PARAMS'],
  ['ListTasks', { pageSize: 0 }, -32602, 'INVALID_PARAMS'],
  ['ListTasks', { pageSize: 101 }, -32602, 'INVALID_PARAMS'],
  ['ListTasks', { status: 'WORKING' }, -32602, 'INVALID_PARAMS'],
  ['ListTasks', { pageToken: 'x' }, -32602, 'INVALID_PARAMS'],
  ['ListTasks', { statusTimestampAfter: 'today' }, -32602, 'INVALID_PARAMS'],
  ['SendMessage', {}, -32602, 'INVALID_PARAMS'],
  ['SendMessage', question(''), -32602, 'INVALID_PARAMS'],
  ['SendMessage', question('m-1', { role: 'user' }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', question('m-1', { parts: [] }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', question('m-1', { parts: [{ text: 'a', data: {} }] }), -32602, 'INVALID_PARAMS'],
  [
    'SendMessage',
    question('m-1', { parts: [{ text: 'a' }, { data: { task_type: 'x' } }] }),
    -32602,
    'INVALID_PARAMS',
  ],
  ['SendMessage', order('m-1', { task_type: 'fix-bug', task_params: [] }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', order('m-1', {}), -32602, 'INVALID_PARAMS'],
  ['SendMessage', order('m-1', { task_type: '../x' }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', order('m-1', { task_type: 'x', task_params: { a: {} } }), -32602, 'INVALID_PARAMS'],
  [
    'SendMessage',
    order('m-1', { task_type: 'x', task_params: { a: 'b'.repeat(20_001) } }),
    -32602,
    'INVALID_PARAMS',
  ],
  ['SendMessage', question('m-1', { parts: [{ text: 'a'.repeat(4_001) }] }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', order('m-1', { task_type: 'rm' }), -32602, 'INVALID_PARAMS'],
  ['SendMessage', question('m-1', { metadata: { context_scope: [] } }), -32602, 'INVALID_PARAMS'],
  [
    'SendMessage',
    question('m-1', { metadata: { context_scope: [{ type: 'all', identifier: '*' }] } }),
    -32602,
    'INVALID_PARAMS',
  ],
  [
    'SendMessage',
    question('m-1', { metadata: { context_scope: SCOPE, priority: 'urgent' } }),
    -32602,
    'INVALID_PARAMS',
  ],
  [
    'SendMessage',
    question('m-1', { metadata: { context_scope: [{ type: 'repository', identifier: 'unknown/x' }] } }),
    -32602,
    'CONTEXT_NOT_FOUND',
  ],
  ['SendMessage', question('m-1', { parts: [{ raw: 'AAAA' }] }), -32005, 'CONTENT_TYPE_NOT_SUPPORTED'],
  [
    'SendMessage',
    question('m-1', { parts: [{ url: 'https://example.com/x' }] }),
    -32005,
    'CONTENT_TYPE_NOT_SUPPORTED',
  ],
  [
    'SendMessage',
    { ...question('m-1'), configuration: { acceptedOutputModes: ['image/png'] } },
    -32005,
    'CONTENT_TYPE_NOT_SUPPORTED',
  ],
  [
    'SendMessage',
    { ...question('m-1'), configuration: { taskPushNotificationConfig: { url: 'https://x' } } },
    -32003,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ],
  ['CreateTaskPushNotificationConfig', { taskId: 'w-1' }, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['GetTaskPushNotificationConfig', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['ListTaskPushNotificationConfigs', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['DeleteTaskPushNotificationConfig', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['message/send', question('m-1'), -32601, 'METHOD_NOT_FOUND'],
  ['tasks/get', { id: 'w-1' }, -32601, 'METHOD_NOT_FOUND'],
  ['toString', {}, -32601, 'METHOD_NOT_FOUND'],
  ['GetTask', [], -32602, 'INVALID_PARAMS'],
] as const

test.each(FAILING)('%s %# is refused with its code', async (method, params, code, reason) => {
  const { rpc, core } = await serveA2a()
  const { id, error } = await rpc(method, params)
  expect([id, error.code, error.data[0].reason]).toEqual([1, code, reason])
  expect(error.data[0].domain).toBe(code > -32100 && code < -32000 ? 'a2a-protocol.org' : 'neo-rooms')
  expect(core.started).toEqual([])
})

test('a missing context_scope says which field it is and what to do', async () => {
  const { rpc } = await serveA2a()
  const { error } = await rpc('SendMessage', question('m-1', { metadata: undefined }))
  expect(error.message).toContain('{"type": "repository", "identifier": "acme/webapp"}')
  expect(error.data[1]).toMatchObject({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'message.metadata.context_scope' }],
  })
})

test.each(['', '0.3', '1.1', '2.0', '1.0x'])('version "%s" is refused', async (version) => {
  const { post } = await serveA2a()
  const reply = await (
    await post({ jsonrpc: '2.0', id: 'v', method: 'ListTasks' }, { 'A2A-Version': version })
  ).json()
  expect(reply).toMatchObject({
    id: 'v',
    error: { code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
  })
})

test('the version may be a parameter of the address', async () => {
  const { url } = await serveA2a()
  const reply = await fetch(`${url}/a2a/v1?A2A-Version=1.0`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Peer': 'pm-tanaka' },
    body: '{"jsonrpc":"2.0","id":null,"method":"ListTasks"}',
  })
  expect(await reply.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    result: { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 },
  })
})

test('more requests than the rate allows are refused before they are read, and say when to come back', async () => {
  const { post } = await serveA2a({}, () => 2_400)
  const reply = await post('{')
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '3'])
  expect(await reply.json()).toMatchObject({
    id: null,
    error: { code: -32000, data: [{ reason: 'RATE_LIMIT_EXCEEDED', domain: 'neo-rooms' }] },
  })
})

const REFUSALS = [
  [-32004, 503, -32000, 'AGENT_BUSY', '5'],
  [-32006, 429, -32000, 'RATE_LIMIT_EXCEEDED', '30'],
  [-32005, 504, -32000, 'TIMEOUT', null],
  [-32003, 200, -32602, 'AGENT_NOT_FOUND', null],
  [-32099, 200, -32603, 'INTERNAL', null],
] as const

test.each(REFUSALS)(
  'refusal %i of the core is HTTP %i and error %i',
  async (aoi, status, code, reason, retry) => {
    const { core, post } = await serveA2a()
    const data = aoi === -32006 ? { retry_after: 30 } : undefined
    core.refuse(new AgentRefusal(aoi, 'Not now', data))
    const reply = await post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: question('m-1') })
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([status, retry])
    expect(await reply.json()).toMatchObject({ id: 1, error: { code, data: [{ reason }] } })
  },
)

test('the public card has no contexts and no task types', async () => {
  const { url } = await serveA2a()
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json()
  expect(JSON.stringify(card)).not.toMatch(/acme|fix-bug/)
  expect(card).toMatchObject({
    name: 'eng-suzuki',
    supportedInterfaces: [{ url: `${url}/a2a/v1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  })
})
