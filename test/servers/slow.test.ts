/** Clients that read slowly, come in crowds, or send anything: the daemon's work never waits for them. */
import http from 'node:http'
import net from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Hub, openGate } from '../../src/hub/hub.ts'
import { openChannels } from '../../src/hub/subscriptions/channels.ts'
import { LISTEN_LIMITS } from '../../src/servers/http/listen.ts'
import { HIGH_BYTES } from '../../src/servers/shared/client-stream.ts'
import { RATES } from '../../src/servers/shared/entry.ts'
import { STREAM_LIMITS } from '../../src/servers/sse/events.ts'
import { SOCKET_LIMITS } from '../../src/servers/ws/hub-socket.ts'
import { until } from '../path/home.ts'
import { MOMENT_MS } from '../wait.ts'
import { echoHub, makeDoor, type OpenedDoor } from './door.ts'
import { connect, streamOf } from './transports.ts'

interface Told {
  readonly hub: Hub
  tell(change: unknown): void
}

/** A hub with one channel of real queues; what it holds is how often it was told. */
function telling(): Told {
  let told = 0
  const channels = openChannels(() => 100)
  return {
    hub: {
      call: async (_, method) => method,
      subscribe: async (_, { channel, since }, on) =>
        channels.subscribe({
          channel,
          state: () => ({ told }),
          on,
          ...(since === undefined ? {} : { since }),
        }),
    },
    tell(change) {
      told++
      channels.publish('asks', change)
    },
  }
}

/** Asks and then reads nothing. */
async function deaf(door: OpenedDoor, path: string): Promise<net.Socket> {
  const socket = net.connect(door.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.pause()
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nAuthorization: Bearer ${door.token()}\r\n\r\n`,
  )
  return socket
}

test('a stream that nobody reads holds up nobody, keeps little, and is told to resync when it reads again', async () => {
  const { hub, tell } = telling()
  const door = await makeDoor(hub)
  const slow = await deaf(door, '/events?channel=asks')
  const quick = await streamOf(door, '/events?channel=asks')
  await until(() => quick.events.length === 1)
  const big = 'x'.repeat(8 * 1024)
  const begun = performance.now()
  for (let round = 0; round < 4_000; round++) {
    tell({ round, big })
    if (round % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(performance.now() - begun).toBeLessThan(MOMENT_MS)
  await until(
    () =>
      quick.events.some(({ data }) => JSON.stringify(data).includes('"told":4000')) ||
      quick.events.length === 4_001,
  )
  let text = ''
  slow.setEncoding('utf8')
  slow.on('data', (chunk: string) => (text += chunk))
  slow.resume()
  await until(() => text.includes('"resync":true'))
  expect(text.length).toBeLessThan(4_000 * big.length * 0.9)
})

test('a client that reads nothing for too long is closed with a reason', async () => {
  const { hub, tell } = telling()
  const door = await makeDoor(hub, {
    limits: {
      tickMs: 50,
      streams: { ...STREAM_LIMITS, stalledMs: 200 },
      sockets: { ...SOCKET_LIMITS, stalledMs: 200 },
    },
  })
  const slow = await deaf(door, '/events?channel=asks')
  const ws = await connect(door)
  ws.send('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"asks"}}')
  await new Promise((resolve) => ws.once('message', resolve))
  ws.pause()
  const gone: string[] = []
  slow.once('close', () => gone.push('stream'))
  ws.once('close', (code) => gone.push(`socket ${code}`))
  const big = 'x'.repeat(HIGH_BYTES)
  for (let round = 0; round < 40; round++) tell({ round, big })
  ws.on('error', () => {})
  // A client that reads nothing hears that its line is closed when it writes.
  await until(() => {
    slow.write('\r\n')
    ws.ping()
    return gone.length === 2
  })
  expect(gone).toContain('stream')
})

test('1,000 subscribers hear of a change', async () => {
  const { hub, tell } = telling()
  const unlimited = { burst: 1e6, perSecond: 1e6 }
  const door = await makeDoor(hub, { limits: { rates: { known: unlimited, unknown: unlimited } } })
  let heard = 0
  let snapshots = 0
  const agent = new http.Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const headers = { authorization: `Bearer ${door.token()}` }
  for (let client = 0; client < 1_000; client++) {
    const asked = http.get({
      host: '127.0.0.1',
      port: door.port,
      path: '/events?channel=asks',
      headers,
      agent,
    })
    asked.on('error', () => {})
    asked.on('response', (answer) => {
      answer.setEncoding('utf8')
      answer.on('error', () => {})
      answer.on('data', (text: string) => {
        if (text.includes('snapshot')) snapshots++
        if (text.includes('"change"')) heard++
      })
    })
  }
  await until(() => snapshots === 1_000)
  tell({ told: 'all' })
  await until(() => heard === 1_000)
  await door.close()
})

test.each([
  ['connections beyond the limit are closed', { headersMs: 600_000, requestMs: 600_000 }, 50],
  ['idle connections are closed after a while', { headersMs: 500, requestMs: 800, checkMs: 100 }, 0],
])('%s', async (_, limits, left) => {
  const listen = { ...LISTEN_LIMITS, connections: 50, ...limits }
  const door = await makeDoor(echoHub(), { limits: { listen } })
  let closed = 0
  for (let client = 0; client < 500; client++) {
    const socket = net.connect(door.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.resume()
    socket.on('error', () => {})
    socket.on('close', () => closed++)
    // Half of them say something and never end it.
    if (client % 2 === 0) socket.write('POST /rpc HTTP/1.1\r\nHost: x\r\n')
  }
  await until(() => closed === 500 - left)
  if (left === 0) expect((await door.ask('/healthz')).status).toBe(200)
})

test('an event stream of several channels goes on where it was', async () => {
  const channels = openChannels(() => 0)
  const hub: Hub = {
    call: async () => null,
    subscribe: async (_, { channel, since }, on) =>
      channels.subscribe({ channel, state: () => channel, on, ...(since === undefined ? {} : { since }) }),
  }
  const door = await makeDoor(hub)
  const path = '/events?channel=a&channel=b'
  const first = await streamOf(door, path)
  await until(() => first.events.length === 2)
  channels.publish('a', 1)
  channels.publish('b', 2)
  await until(() => first.events.length === 4)
  const last = first.ids.at(-1) ?? ''
  await first.end()
  channels.publish('b', 3)
  const again = await streamOf(door, path, { 'last-event-id': last })
  await until(() => again.events.length === 1)
  expect(again.events[0]).toMatchObject({ channel: 'b', data: { change: 3 } })
  const wrong = ['/events', '/events?channel=a&channel=a', `/events?${'channel=a&'.repeat(150)}`]
  for (const one of wrong) expect((await door.ask(one)).status).toBe(400)
})

test('whatever bytes come, the door answers the next one', async () => {
  const unlimited = { burst: 1e6, perSecond: 1e6 }
  const door = await makeDoor(echoHub(), { limits: { rates: { ...RATES, unknown: unlimited } } })
  const lines = fc.constantFrom(
    'GET /hub HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    'POST /rpc HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'GET //// HTTP/1.1\r\nHost: [\r\n\r\n',
    'CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `GET /${'%ff'.repeat(200)} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n\r\n`,
  )
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 400 }), lines)
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      await new Promise<void>((resolve) => {
        const socket = net.connect(door.port, '127.0.0.1', () => socket.end(sent as Uint8Array | string))
        socket.on('error', () => resolve())
        socket.on('close', () => resolve())
        socket.resume()
        setTimeout(() => socket.destroy(), 300).unref()
      })
      return true
    }),
    { numRuns: 150 },
  )
  expect((await door.ask('/healthz')).status).toBe(200)
})

test('whatever frames come on a WebSocket, others go on', async () => {
  const door = await makeDoor(echoHub())
  const good = await connect(door)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (sent, isFrame) => {
      const ws = await connect(door)
      const ended = new Promise((resolve) => ws.once('close', resolve).once('message', resolve))
      ws.on('error', () => {})
      if (isFrame) ws.send(sent, { binary: sent.length % 2 === 0 })
      else
        (ws as unknown as { readonly _socket: net.Socket })._socket.write(
          Buffer.concat([sent, Buffer.alloc(8, 0xff)]),
        )
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))])
      ws.terminate()
    }),
    { numRuns: 60 },
  )
  good.send('{"jsonrpc":"2.0","id":1,"method":"room.list"}')
  const answer = await new Promise((resolve) => good.once('message', (data) => resolve(data.toString())))
  expect(answer).toContain('"id":1')
})

test('calls of clients wait for each other, and too many are refused', async () => {
  let going = 0
  let most = 0
  const gate = openGate(3)
  const work = async (): Promise<null> => {
    most = Math.max(most, ++going)
    await new Promise((resolve) => setTimeout(resolve, 5))
    going--
    return null
  }
  const calls = [1, 2, 3, 4].map(() => gate.pass('x', work).then(String, ({ code }) => code))
  expect(await Promise.all(calls)).toEqual(['null', 'null', 'null', -32004])
  expect(most).toBe(1)
})

test('who leaves the gate lets the next one pass, still counts, and stops wait for nobody else', async () => {
  const gate = openGate(2)
  let end = (): void => {}
  const hangs = gate.pass('context.clear', async (leave) => {
    leave()
    await new Promise<void>((resolve) => {
      end = resolve
    })
    return 'cleared'
  })
  expect(await gate.pass('room.list', async () => 'listed')).toBe('listed')
  let free = (): void => {}
  const holds = gate.pass('task.list', () => new Promise<void>((resolve) => (free = resolve)))
  await expect(gate.pass('room.list', async () => null)).rejects.toMatchObject({ code: -32004 })
  for (const method of ['context.stop', 'scope.stop', 'session.stop'])
    expect(await gate.pass(method, async () => method)).toBe(method)
  end()
  free()
  expect(await Promise.all([hangs, holds])).toEqual(['cleared', undefined])
  const failed = gate.pass('x', async () => Promise.reject(new Error('no')))
  await expect(failed).rejects.toThrow('no')
  expect(await gate.pass('x', async () => 'on')).toBe('on')
})
