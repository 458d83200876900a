/** 10,000 attempts to come in, idle and hostile: refused or cut off, in bounded memory; the owner is answered after them. */
import net from 'node:net'
import { expect, test } from 'vitest'
import { LISTEN_LIMITS } from '../../src/servers/http/listen.ts'
import { echoHub, makeDoor } from './door.ts'

const ATTEMPTS = 10_000
const AT_ONCE = 1_000
const LIMIT = 300

const POST = (port: number, more: string, body = '') =>
  `POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${more}\r\n${body}`
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n'

/** What each says first; '' says nothing at all. */
const MANNERS: readonly ((port: number) => string)[] = [
  () => '',
  () => 'POST /rpc HTTP/1.1\r\nHost: x\r\n',
  (port) => POST(port, 'Authorization: Bearer wrong\r\nContent-Length: 2\r\n', '{}'),
  (port) => POST(port, 'Origin: http://evil.example\r\nContent-Length: 2\r\n', '{}'),
  (port) => POST(port, 'Content-Length: 999999999\r\n'),
  (port) => `GET /hub HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${UPGRADE}\r\n`,
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]

/** Gives the status line that it got, '' where it was cut off; resolves when the connection is over. */
function attempt(port: number, says: string, counted: Counted): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    let answer = ''
    socket.on('connect', () => {
      counted.open++
      if (says !== '') socket.write(says)
      socket.once('close', () => counted.open--)
    })
    socket.on('data', (bytes) => {
      answer ||= bytes.toString('latin1').split('\r\n', 1)[0] ?? ''
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}

interface Counted {
  open: number
}

test('10,000 idle or hostile connections are refused or cut off, in bounded memory', async () => {
  const listen = { ...LISTEN_LIMITS, connections: LIMIT, headersMs: 400, requestMs: 600, checkMs: 50 }
  let asked = 0
  const hub = { ...echoHub(), call: async () => void asked++ }
  const door = await makeDoor(hub, { limits: { listen } })
  const counted: Counted = { open: 0 }
  const statuses = new Set<string>()
  const before = process.memoryUsage().rss
  for (let wave = 0; wave < ATTEMPTS / AT_ONCE; wave++) {
    const all = Array.from({ length: AT_ONCE }, (_, n) =>
      attempt(door.port, MANNERS[n % MANNERS.length]?.(door.port) ?? '', counted),
    )
    for (const status of await Promise.all(all)) statuses.add(status.replace(/^HTTP\/1\.1 (\d+).*/, '$1'))
  }
  expect(
    [...statuses].filter((status) => !['', '400', '401', '403', '408', '413', '429'].includes(status)),
  ).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining(['403', '429']))
  expect([asked, counted.open]).toEqual([0, 0])
  // Both ends of all of them live in this process.
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  expect((await door.ask('/healthz')).status).toBe(200)
  await door.rpc({ jsonrpc: '2.0', id: 1, method: 'room.list', params: {} })
  expect(asked).toBe(1)
})
