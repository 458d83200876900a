/** A member's own token: page and API under the member's name and with the member's rights, until it is taken back. */
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openChannels } from '../../src/hub/subscriptions/channels.ts'
import type { Hub } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { echoHub, makeDoor } from './door.ts'
import { type ServedHome, servedHome } from './served-home.ts'
import { streamOf } from './transports.ts'

const MEMBERS = {
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
  'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n',
  'rooms/other/tasks/b.md': '---\nstatus: draft\n---\n# B\n',
}

interface At {
  readonly served: ServedHome
  readonly url: string
  readonly owner: string
  readonly token: string
}

async function rpc(url: string, token: string, call: { method: string; params?: object }): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, params: {}, ...call })
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
  if (!answer.ok) return answer.status
  const { result, error } = (await answer.json()) as { result: unknown; error?: { code: number } }
  return error === undefined ? result : error.code
}

async function memberAt(): Promise<At> {
  const served = servedHome(MEMBERS)
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  const owner = served.said().token ?? ''
  const made = await rpc(url, owner, { method: 'member.token', params: { memberId: 'kim' } })
  return { served, url, owner, token: (made as { token: string }).token }
}

const status = async ({ url }: At, path: string, headers: Record<string, string>) =>
  (await fetch(`${url}${path}`, { headers })).status

test('a member acts under the own name, in the rooms that they are let into, and nowhere else', async () => {
  const at = await memberAt()
  const as = (method: string, params?: object) =>
    rpc(at.url, at.token, { method, ...(params ? { params } : {}) })
  expect(((await as('room.list')) as { id: string }[]).map(({ id }) => id)).toEqual(['shop'])
  const made = await as('task.create', { roomId: 'shop', title: 'Mine', description: 'x', worker: 'human' })
  expect(made).toMatchObject({ createdBy: 'member:kim' })
  expect(at.served.home.git('log', '--format=%an', '--grep', 'Mine', '--grep', 'mine', '-i', '-1')).toContain(
    'kim',
  )
  for (const [method, params] of [
    ['task.get', { taskId: 'b' }],
    ['config.get', {}],
    ['config.set', { updates: { logLevel: 'info' } }],
    ['member.token', { memberId: 'kim' }],
    ['audit.timeline', { roomId: 'other' }],
  ] as const)
    expect([method, await as(method, params)]).toEqual([method, -32001])
  expect(await status(at, '/events/tail', { Authorization: `Bearer ${at.token}` })).toBe(403)
  expect(await status(at, '/status', { Authorization: `Bearer ${at.token}` })).toBe(403)
})

test('a member gets the lists of the page without what they do not see', async () => {
  const at = await memberAt()
  const ws = new WebSocket(`${at.url.replace('http', 'ws')}/hub`, {
    headers: { Authorization: `Bearer ${at.token}` },
  })
  const told: {
    method?: string
    params?: { channel: string; data: { snapshot: unknown } }
    error?: { code: number }
  }[] = []
  ws.on('message', (data) => told.push(JSON.parse(String(data))))
  await new Promise((resolve) => ws.on('open', resolve))
  for (const [id, channel] of [
    'lobby:rooms',
    'asks',
    'audit',
    'room:other:state',
    'lobby:rooms\nana',
  ].entries())
    ws.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { channel } }))
  await until(() => told.length === 7)
  ws.terminate()
  const rooms = told.find(({ params }) => params?.channel === 'lobby:rooms')?.params?.data.snapshot as {
    rooms: object
  }
  expect(Object.keys(rooms.rooms)).toEqual(['shop'])
  expect(told.flatMap(({ error }) => error?.code ?? [])).toEqual([-32001, -32001, -32002])
})

test('a member signs in to the page by the token, and all of it is over when the token is taken back', async () => {
  const at = await memberAt()
  const json = { 'Content-Type': 'application/json' }
  const coded = await fetch(`${at.url}/codes`, {
    method: 'POST',
    headers: { ...json, Authorization: `Bearer ${at.token}` },
    body: '{}',
  })
  const body = JSON.stringify(await coded.json())
  const signed = await fetch(`${at.url}/sign-in`, { method: 'POST', headers: json, body })
  const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const me = await fetch(`${at.url}/me`, { headers: { Cookie: cookie } })
  expect(await me.json()).toEqual({ kind: 'member', id: 'kim' })
  expect(await rpc(at.url, at.owner, { method: 'member.revoke', params: { memberId: 'kim' } })).toMatchObject(
    {
      revoked: true,
    },
  )
  expect(await status(at, '/me', { Cookie: cookie })).toBe(401)
  expect(await rpc(at.url, at.token, { method: 'room.list' })).toBe(401)
})

test('a token is kept as its hash for this user alone; a new one ends the old, and a member who is taken out has none', async () => {
  const at = await memberAt()
  const path = join(at.served.home.dir, '.git/neo/member-tokens.json')
  expect(readFileSync(path, 'utf8')).not.toContain(at.token.slice(20))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const next = await rpc(at.url, at.owner, { method: 'member.token', params: { memberId: 'kim' } })
  const { token } = next as { token: string }
  expect(await rpc(at.url, at.token, { method: 'room.list' })).toBe(401)
  expect(await rpc(at.url, token, { method: 'room.list' })).toMatchObject([{ id: 'shop' }])
  await rpc(at.url, at.owner, { method: 'member.remove', params: { memberId: 'kim' } })
  expect(await rpc(at.url, token, { method: 'room.list' })).toBe(401)
  expect(readFileSync(path, 'utf8').trim()).toBe('[]')
})

test('an open WebSocket of a member is closed when the token is taken back', async () => {
  let holder: string | null = 'kim'
  const door = await makeDoor(echoHub(), { memberOf: () => holder, limits: { tickMs: 30 } })
  const ws = new WebSocket(`ws://127.0.0.1:${door.port}/hub`, { headers: { Authorization: 'Bearer any' } })
  await new Promise((resolve) => ws.on('open', resolve))
  const closed = new Promise<string>((resolve) =>
    ws.on('close', (code, reason) => resolve(`${code} ${reason}`)),
  )
  holder = null
  expect(await closed).toBe('1008 signed out')
})

test('a member does not come in as an editor: that would be more than a member may', async () => {
  const door = await makeDoor(echoHub(), { memberOf: () => 'kim' })
  const json = { 'content-type': 'application/json', authorization: 'Bearer any' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  for (const [path, headers] of [
    ['/mcp', json],
    ['/rpc', { ...json, 'neo-as': 'editor' }],
  ] as const)
    expect([path, (await door.ask(path, { verb: 'POST', headers, body })).status]).toEqual([path, 403])
})

test('while tokens cannot be read nobody has one, and the daemon goes on', async () => {
  const at = await memberAt()
  const ws = new WebSocket(`${at.url.replace('http', 'ws')}/hub`, {
    headers: { Authorization: `Bearer ${at.token}` },
  })
  await new Promise((resolve) => ws.on('open', resolve))
  const path = join(at.served.home.dir, '.git/neo/member-tokens.json')
  rmSync(path)
  mkdirSync(path)
  expect(await rpc(at.url, at.token, { method: 'room.list' })).toBe(401)
  const refused = new WebSocket(`${at.url.replace('http', 'ws')}/hub`, {
    headers: { Authorization: `Bearer ${at.token}` },
  })
  expect(String(await new Promise((resolve) => refused.on('error', resolve)))).toContain('401')
  ws.terminate()
  expect(await rpc(at.url, at.owner, { method: 'room.list' })).toMatchObject([{ id: 'lobby' }, {}, {}])
})

test('after a token was taken back an open line gives nothing, takes nothing, and is closed, before the next ping', async () => {
  let holder: string | null = 'kim'
  const channels = openChannels(() => 100)
  const called: string[] = []
  const hub: Hub = {
    call: async (_principal, method) => {
      called.push(method)
      if (method === 'revoke') holder = null
      return method
    },
    subscribe: async (_principal, { channel }, on) => channels.subscribe({ channel, state: () => 'all', on }),
  }
  const door = await makeDoor(hub, { memberOf: () => holder })
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  const open = async () => {
    const ws = new WebSocket(`ws://127.0.0.1:${door.port}/hub`, { headers })
    const said: string[] = []
    ws.on('message', (data) => said.push(String(data)))
    const closed = new Promise<string>((resolve) => ws.on('close', (code, why) => resolve(`${code} ${why}`)))
    await new Promise((resolve) => ws.on('open', resolve))
    return { ws, said, closed }
  }
  const [hears, calls] = [await open(), await open()]
  hears.ws.send('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"asks"}}')
  await until(() => hears.said.length === 2)
  const stream = await streamOf(door, '/events?channel=asks', headers)
  await until(() => stream.events.length === 1)
  const call = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: {} })
  const batch = await door.ask('/rpc', {
    verb: 'POST',
    headers,
    body: JSON.stringify([call('first'), call('revoke'), call('late')]),
  })
  expect(batch.text).toContain('-32001')
  calls.ws.send(JSON.stringify(call('later')))
  channels.publish('asks', 'secret')
  expect(await calls.closed).toBe('1008 signed out')
  expect(await hears.closed).toBe('1008 signed out')
  await stream.ended
  expect(JSON.stringify([hears.said, stream.events])).not.toContain('secret')
  expect(called).toEqual(['first', 'revoke'])
})
