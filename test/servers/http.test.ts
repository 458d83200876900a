/** The hub over HTTP: calls, statuses, and signing in. */
import { expect, test } from 'vitest'
import { makeDoor } from './door.ts'

const JSON_BODY = { 'content-type': 'application/json' }

test('POST /rpc carries a call out as the person of the home', async () => {
  const door = await makeDoor()
  const answer = await door.rpc({ jsonrpc: '2.0', id: 1, method: 'room.list', params: { a: 1 } })
  expect(answer).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { principal: { kind: 'human' }, method: 'room.list', params: { a: 1 } },
  })
})

test('POST /rpc gives 204 for notices, 400 for what is no JSON, 200 for errors of JSON-RPC', async () => {
  const door = await makeDoor()
  const post = (body: string) => door.ask('/rpc', { verb: 'POST', headers: JSON_BODY, body })
  expect(await post('{"jsonrpc":"2.0","method":"room.list"}')).toMatchObject({ status: 204, text: '' })
  expect((await post('{')).status).toBe(400)
  expect((await post('[]')).status).toBe(200)
  expect(
    (await post('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"asks"}}')).text,
  ).toContain('-32601')
})

test.each([
  ['/status', 'GET', '', 401, -32001],
  ['/nowhere', 'GET', null, 404, -32002],
  ['/status', 'DELETE', null, 405, -32600],
] as const)(
  'what is refused at %s (%s) has a code and a message',
  async (path, verb, authorization, status, code) => {
    const door = await makeDoor()
    const answer = await door.ask(path, { verb, headers: authorization === null ? {} : { authorization } })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toEqual({ error: { code, message: expect.any(String) } })
  },
)

test('a browser that follows a wrong address gets the page with status 404, if it is signed in', async () => {
  const door = await makeDoor()
  const accept = 'text/html,application/xhtml+xml'
  expect(await door.ask('/nowhere', { headers: { accept } })).toMatchObject({
    status: 404,
    text: expect.stringContaining('<!doctype html>'),
  })
  expect(await door.ask('/nowhere', { headers: { accept, authorization: '' } })).toMatchObject({
    status: 401,
    text: expect.not.stringContaining('<'),
  })
})

test('GET /healthz needs nothing and tells nothing', async () => {
  const door = await makeDoor()
  const answer = await door.ask('/healthz', { headers: { authorization: '' } })
  expect(answer).toMatchObject({ status: 200, text: '{"ok":true}' })
})

test('a code signs in once, and its cookie opens the page from the own origin', async () => {
  const door = await makeDoor()
  const none = { authorization: '' }
  const code = new URL(door.link()).hash.replace('#code=', '')
  const own = { ...none, ...JSON_BODY, origin: door.url }
  const trade = () => door.ask('/sign-in', { verb: 'POST', headers: own, body: JSON.stringify({ code }) })
  const signed = await trade()
  const [cookie = ''] = signed.headers['set-cookie'] ?? []
  expect(signed.status).toBe(204)
  expect(cookie).toMatch(
    new RegExp(`^neo_${door.port}=[\\w-]{43}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`),
  )
  expect((await trade()).status).toBe(401)
  const [pair = ''] = cookie.split(';')
  const page = await door.ask('/', { headers: { ...none, cookie: pair } })
  expect(page.status).toBe(200)
  const call = (headers: Record<string, string>) =>
    door.ask('/rpc', {
      verb: 'POST',
      headers: { ...JSON_BODY, ...none, cookie: pair, ...headers },
      body: '[]',
    })
  expect((await call({ origin: door.url })).status).toBe(200)
  expect((await call({})).status).toBe(403)
  expect((await call({ origin: 'http://127.0.0.1:1' })).status).toBe(403)
  const out = await door.ask('/sign-out', {
    verb: 'POST',
    headers: { ...none, cookie: pair, origin: door.url },
  })
  expect(out.status).toBe(204)
  expect((await call({ origin: door.url })).status).toBe(401)
})

test('a code is over after ten minutes', async () => {
  let now = 0
  const door = await makeDoor(undefined, { now: () => now })
  const code = new URL(door.link()).hash.replace('#code=', '')
  now = 10 * 60_000
  const body = JSON.stringify({ code })
  expect((await door.ask('/sign-in', { verb: 'POST', headers: JSON_BODY, body })).status).toBe(401)
})

test('another token in neo.yaml ends the old one and every cookie', async () => {
  let token = 'a'.repeat(32)
  const door = await makeDoor(undefined, { token: () => token })
  const headers = { authorization: `Bearer ${token}` }
  const code = new URL(door.link()).hash.replace('#code=', '')
  const signed = await door.ask('/sign-in', {
    verb: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ code }),
  })
  const cookie = signed.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  expect((await door.ask('/', { headers: { authorization: '', cookie } })).status).toBe(200)
  expect((await door.ask('/status', { headers })).status).toBe(200)
  token = 'b'.repeat(32)
  expect((await door.ask('/status', { headers })).status).toBe(401)
  expect((await door.ask('/', { headers: { authorization: '', cookie } })).status).toBe(401)
  expect((await door.ask('/status')).status).toBe(200)
})

test('a connection is kept longer than the answer says, so that no request finds it just closed', async () => {
  const door = await makeDoor()
  const { headers } = await door.ask('/healthz')
  expect(headers['keep-alive']).toBe('timeout=10')
})
