/** `/mcp` of a daemon's door: both eras, changes as a stream, and who is kept out. */
import { expect, test } from 'vitest'
import { openMcpHttp } from '../../../src/servers/mcp/http.ts'
import { NeoError } from '../../../src/domain/home/error.ts'
import { until } from '../../path/home.ts'
import { type HubHome, hubHome } from '../../hub/hub-home.ts'
import { type Asking, echoHub, makeDoor, type OpenedDoor } from '../door.ts'
import { ERAS, overHttp, use } from './client.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

async function served(): Promise<HubHome & { readonly door: OpenedDoor }> {
  const home = await hubHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' })
  return { ...home, door: await makeDoor(home.hub, { home: home.home.dir }) }
}

function posted(message: unknown, headers: Record<string, string> = {}): Asking {
  return {
    verb: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  }
}

test.each(ERAS)('the official client lists, calls and reads (%s)', async (era) => {
  const { door, home } = await served()
  const client = await overHttp(door, era)
  const { data } = await use(client, 'neo_task_get', { taskId: 'a' })
  expect(data['path']).toBe('rooms/shop/tasks/a.md')
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toContain('neo://rooms/shop/tasks/a')
  const { contents } = await client.readResource({ uri: 'neo://rooms/shop/tasks/a' })
  expect(contents[0]).toMatchObject({ text: home.read('rooms/shop/tasks/a.md') })
})

test('changes are told on a stream, which ends when the token is another one', async () => {
  let token = 'first-token-of-the-home'
  const home = await hubHome()
  const door = await makeDoor(home.hub, { token: () => token, limits: { tickMs: 20 } })
  const client = await overHttp(door, 'auto')
  const told: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  const uri = 'neo://rooms/shop/tasks'
  const listening = await client.listen({ resourceSubscriptions: [uri] })
  await home.call('task.create', { roomId: 'shop', title: 'A', description: '' })
  home.hub.changed((await home.context.look.look('all')).snapshot)
  await until(() => told.includes(uri))
  token = 'second-token-of-the-home'
  await listening.closed
})

test('the older era has no sessions: an id means nothing, GET and DELETE are refused', async () => {
  const { door } = await served()
  const answer = await door.ask('/mcp', posted(LIST, { 'mcp-session-id': 'made-up' }))
  expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined])
  for (const verb of ['GET', 'DELETE']) {
    const refused = await door.ask('/mcp', { verb, headers: { accept: 'text/event-stream' } })
    expect([verb, refused.status, refused.headers['allow']]).toEqual([verb, 405, 'POST'])
  }
})

test.each<[string, Asking, number]>([
  ['a foreign Origin', posted(LIST, { origin: 'https://example.com' }), 403],
  ['a forged Host', posted(LIST, { host: 'example.com' }), 403],
  ['no token', posted(LIST, { authorization: '' }), 401],
  ['another type', posted(LIST, { 'content-type': 'text/plain' }), 415],
  ['a body of 2 MiB', posted({ ...LIST, pad: 'x'.repeat(2 << 20) }), 413],
  ['no JSON', posted('hello'), 400],
  ['too many levels', posted(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), 400],
  ['a batch that is too long', posted(Array.from({ length: 101 }, () => LIST)), 400],
  [
    'a revision that nobody knows',
    posted({
      ...LIST,
      params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } },
    }),
    400,
  ],
  [
    'headers that say another method',
    posted(
      { ...LIST, params: { _meta: META } },
      { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call' },
    ),
    400,
  ],
  [
    'an unknown method of the newer era',
    posted(
      { ...LIST, method: 'tools/paint', params: { _meta: META } },
      { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/paint' },
    ),
    404,
  ],
])('%s is refused', async (_, asking, status) => {
  const asked: string[] = []
  const spy = { ...echoHub(), call: async (_: unknown, method: string) => void asked.push(method) }
  const door = await makeDoor(spy)
  expect([(await door.ask('/mcp', asking)).status, asked]).toEqual([status, []])
})

test('a notification is taken and not answered', async () => {
  const { door } = await served()
  const said = await door.ask('/mcp', posted({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  expect([said.status, said.text]).toEqual([202, ''])
})

test('without the library the door says what is missing, and what else it serves stays', async () => {
  const { hub } = await hubHome()
  const missing = () => Promise.reject(new NeoError('failed', 'Cannot serve editors: the library is missing'))
  const home = { hub, principal: { kind: 'editor' }, version: 'test', text: () => null } as const
  const mcp = openMcpHttp({ home, holds: () => true, stalledMs: 1_000, load: missing })
  const credential = { by: 'token', key: 'x', who: { kind: 'human' } } as const
  const answer = await mcp.answer({
    text: JSON.stringify(LIST),
    headers: {},
    credential,
    outgoing: undefined as never,
  })
  expect(answer).toMatchObject({ status: 501, text: expect.stringContaining('the library is missing') })
})

test('a client that says for whom it acts has less than its token allows, and never more', async () => {
  const { door } = await served()
  const call = { jsonrpc: '2.0', id: 1, method: 'room.pause', params: { roomId: 'shop' } }
  const asEditor = await door.ask('/rpc', posted(call, { 'neo-as': 'editor' }))
  expect(JSON.parse(asEditor.text)).toMatchObject({ error: { code: -32001, data: { rule: 'room-status' } } })
  expect((await door.ask('/rpc', posted(call, { 'neo-as': 'owner' }))).status).toBe(403)
  expect(JSON.parse((await door.ask('/rpc', posted(call))).text)).toMatchObject({
    result: { status: 'paused' },
  })
})
