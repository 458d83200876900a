/** A WebSocket to a daemon: answers, events, and what becomes of calls when it closes. */
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openDaemonSocket } from '../../src/client/daemon-socket.ts'
import { HUB_CODES, type HubEvent } from '../../src/hub/hub.ts'

interface Message {
  readonly id: number
  readonly method: string
  readonly params: { readonly channel: string }
}

const PERSON = { kind: 'human' } as const
const servers: WebSocketServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate()
    server.close()
  }
})

/** A daemon that answers each message so; `headers` of the handshake are kept. */
async function scene(on: (message: Message, ws: WebSocket) => unknown) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const heard: Message[] = []
  const headers: Record<string, unknown>[] = []
  server.on('connection', (ws, request) => {
    headers.push({ ...request.headers, url: request.url })
    ws.on('message', (data) => {
      const message = JSON.parse(data.toString()) as Message
      heard.push(message)
      const answer = on(message, ws)
      if (answer !== undefined) ws.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...Object(answer) }))
    })
  })
  const { port } = server.address() as AddressInfo
  const socket = await openDaemonSocket({ url: `http://127.0.0.1:${port}`, token: 'token-of-tests' })
  return { socket, heard, headers }
}

test('the handshake says who calls, and to what', async () => {
  const { headers } = await scene(() => ({ result: 1 }))
  expect(headers).toMatchObject([{ url: '/hub', authorization: 'Bearer token-of-tests' }])
  expect(Object.values(headers[0] ?? {})).toContain('editor')
})

test('answers in another order reach the calls that they are for', async () => {
  const waiting: { readonly id: number; readonly ws: WebSocket }[] = []
  const { socket } = await scene(({ id }, ws) => {
    waiting.push({ id, ws })
    if (waiting.length < 3) return
    for (const one of waiting.reverse()) one.ws.send(JSON.stringify({ id: one.id, result: `for ${one.id}` }))
  })
  const calls = [1, 2, 3].map(() => socket.call(PERSON, 'task.list', {}))
  expect(await Promise.all(calls)).toEqual(['for 1', 'for 2', 'for 3'])
})

test.each([
  [{ result: null }, null],
  [{}, null],
  [{ result: 0 }, 0],
])('an answer %j is the result %j', async (answer, wanted) => {
  const { socket } = await scene(() => answer)
  expect(await socket.call(PERSON, 'task.list', {})).toBe(wanted)
})

test('an error of the hub is thrown as it was there', async () => {
  const { socket } = await scene(() => ({
    error: { code: HUB_CODES.denied, message: 'No', data: { why: 'w' } },
  }))
  await expect(socket.call(PERSON, 'task.list', {})).rejects.toMatchObject({
    name: 'HubError',
    code: HUB_CODES.denied,
    data: { why: 'w' },
  })
})

test('when the connection closes, every waiting call fails, and so does each later one', async () => {
  const { socket } = await scene((_, ws) => ws.terminate())
  await expect(socket.call(PERSON, 'task.list', {})).rejects.toMatchObject({
    code: HUB_CODES.busy,
    message: expect.stringContaining('Cannot tell whether it was done'),
  })
  await socket.closed
  expect(socket.isClosed()).toBe(true)
  await expect(socket.call(PERSON, 'task.list', {})).rejects.toMatchObject({ code: HUB_CODES.busy })
})

test('close() closes the connection', async () => {
  const { socket } = await scene(() => ({ result: 1 }))
  expect(socket.isClosed()).toBe(false)
  socket.close()
  await socket.closed
  expect(socket.isClosed()).toBe(true)
})

test('events reach the subscriber of their channel until it ends its subscription', async () => {
  const event = (channel: string, seq: number) =>
    JSON.stringify({ method: 'event', params: { channel, seq } })
  const { socket, heard } = await scene(({ method, params: { channel } }, ws) => {
    if (method === 'subscribe') ws.send(event(channel, 1))
    ws.send(event('others', 2))
    if (method === 'task.list') ws.send(event('tasks', 3))
    return { result: null }
  })
  const seen: number[] = []
  const on = ({ seq }: HubEvent) => void seen.push(seq)
  const end = await socket.subscribe(PERSON, { channel: 'tasks', since: 7 }, on)
  await socket.call(PERSON, 'task.list', {})
  expect(seen).toEqual([1, 3])
  end()
  end()
  await socket.call(PERSON, 'task.list', {})
  expect(seen).toEqual([1, 3])
  expect(heard.map(({ method }) => method)).toEqual(['subscribe', 'task.list', 'unsubscribe', 'task.list'])
  expect(heard[0]?.params).toEqual({ channel: 'tasks', since: 7 })
})

test('nobody who listens is an error, not a wait', async () => {
  await expect(openDaemonSocket({ url: 'http://127.0.0.1:1', token: 'a' })).rejects.toMatchObject({
    code: HUB_CODES.busy,
    message: expect.stringContaining('Cannot reach the daemon at http://127.0.0.1:1'),
  })
})
