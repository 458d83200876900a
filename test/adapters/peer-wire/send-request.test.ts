/** Requests to peers over real sockets: whom they reach, and how they end. */
import { createServer as createTcp, type Server, type Socket } from 'node:net'
import { createServer as createTls, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { openPeerWire } from '../../../src/adapters/peer-wire/peer-wire.ts'
import { HOUR_MS, machine, post, serving, wire } from './peer-sockets.ts'

const alice = machine()
const expired = machine(HOUR_MS / 2)
const strangers = machine()
const REFUSED = { kind: 'untrusted' }

async function open(server: Server, onSocket: (socket: Socket) => void = () => {}): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}))
    onSocket(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('send() reaches the machine whose certificate holds the key, and says what it saw', async () => {
  const { url } = await serving(undefined, { of: alice })
  const reply = await wire.send(post(url, { trust: { publicKey: alice.publicKey } }))
  expect(reply).toMatchObject({ kind: 'reply', status: 200, seen: { publicKey: alice.publicKey } })
})

test('send() reaches the machine with the pinned certificate, as a first look saw it', async () => {
  const { url } = await serving(undefined, { of: alice })
  const look = await wire.send(post(url, { trust: null }))
  if (look.kind !== 'reply' || look.seen === null) throw new Error('no reply')
  expect(look.seen.certificate).toMatch(/^sha256:[0-9a-f]{64}$/)
  const { certificate } = look.seen
  expect(await wire.send(post(url, { trust: { certificate } }))).toMatchObject({ kind: 'reply' })
  const upper = certificate.toUpperCase().replace('SHA', 'sha')
  expect(await wire.send(post(url, { trust: { certificate: upper } }))).toMatchObject({ kind: 'reply' })
})

const NOT_ALICE = [
  ['another key', { publicKey: strangers.publicKey }],
  ['another certificate', { certificate: `sha256:${'0'.repeat(64)}` }],
  ['neither', { publicKey: strangers.publicKey, certificate: `sha256:${'0'.repeat(64)}` }],
  ['a malformed pin', { publicKey: '' }],
  ['no known authority', {}],
] as const

test.each(NOT_ALICE)('send() writes not a byte of the request to a machine with %s', async (__, trust) => {
  let got = 0
  const server = createTls({ key: alice.privateKey, cert: alice.cert })
  server.on('secureConnection', (socket: TLSSocket) =>
    socket
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        got += bytes.length
      }),
  )
  let isClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  const port = await open(server, (socket) => socket.once('close', isClosed))
  const reply = await wire.send(post(`https://localhost:${port}/`, { trust }))
  await closed
  expect([reply.kind, got]).toEqual(['untrusted', 0])
})

test('send() trusts an authority if the file has no pin, but no expired certificate', async () => {
  const { url } = await serving(undefined, { of: alice })
  const late = await serving(undefined, { of: expired })
  const { send } = openPeerWire({ ca: alice.cert + expired.cert })
  expect(await send(post(url))).toMatchObject({ kind: 'reply' })
  expect(await send(post(late.url))).toMatchObject({
    kind: 'untrusted',
    why: expect.stringContaining('expired'),
  })
  expect(await send(post(url.replace('localhost', '127.0.0.1')))).toMatchObject({ kind: 'untrusted' })
})

test('send() accepts an expired certificate over the pinned key', async () => {
  const { url } = await serving(undefined, { of: expired })
  const reply = await wire.send(post(url, { trust: { publicKey: expired.publicKey } }))
  expect(reply.kind).toBe('reply')
})

test('send() keeps a connection for the same trust alone', async () => {
  const { url } = await serving(async () => ({ status: 200, body: 'ok' }), { of: alice })
  const { send } = openPeerWire()
  const trust = { publicKey: alice.publicKey }
  for (let count = 0; count < 3; count++)
    expect(await send(post(url, { trust }))).toMatchObject({ body: 'ok' })
  expect(await send(post(url, { trust: { publicKey: strangers.publicKey } }))).toMatchObject(REFUSED)
  expect(await send(post(url, { trust: {} }))).toMatchObject(REFUSED)
  expect(await send(post(url, { trust: null }))).toMatchObject({ seen: { publicKey: alice.publicKey } })
})

test('send() uses a kept connection again', async () => {
  let connections = 0
  const server = createTls({ key: alice.privateKey, cert: alice.cert }, (socket) => {
    connections += 1
    socket
      .on('error', () => {})
      .on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  })
  const url = `https://localhost:${await open(server)}/`
  const { send } = openPeerWire()
  const trust = { publicKey: alice.publicKey }
  for (let count = 0; count < 5; count++)
    expect(await send(post(url, { trust }))).toMatchObject({ body: 'ok' })
  expect(connections).toBe(1)
})

test('send() checks the certificate of each connection: no TLS session is resumed', async () => {
  const reused: boolean[] = []
  const server = createTls({ key: alice.privateKey, cert: alice.cert }, (socket) => {
    reused.push(socket.isSessionReused())
    socket.on('error', () => {})
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'))
  })
  const url = `https://localhost:${await open(server)}/`
  const { send } = openPeerWire()
  for (let count = 0; count < 3; count++) {
    const reply = await send(post(url, { trust: { publicKey: alice.publicKey } }))
    expect(reply).toMatchObject({ kind: 'reply', seen: { publicKey: alice.publicKey } })
  }
  expect(reused).toEqual([false, false, false])
})

test('send() tries once more if the kept connection was closed meanwhile', async () => {
  let requests = 0
  const server = createTcp((socket) => {
    let isFirst = true
    socket.on('data', () => {
      requests += 1
      if (isFirst) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      else socket.destroy()
      isFirst = false
    })
  })
  const url = `http://127.0.0.1:${await open(server)}/`
  const { send } = openPeerWire()
  expect(await send(post(url))).toMatchObject({ body: 'ok' })
  expect(await send(post(url))).toMatchObject({ body: 'ok' })
  expect(requests).toBe(3)
})

const CUT = [
  ['at once', ''],
  ['in the headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ['in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'],
  ['after an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['after something that is not HTTP', 'SSH-2.0-x\r\n'],
] as const

test.each(CUT)('send() is unreachable if the connection is cut %s', async (__, text) => {
  const port = await open(createTcp((socket) => socket.once('data', () => socket.end(text))))
  expect(await wire.send(post(`http://127.0.0.1:${port}/`))).toMatchObject({ kind: 'unreachable' })
})

test.each(['http', 'https'])('send() ends by its time limit if the %s server is silent', async (scheme) => {
  const port = await open(createTcp())
  const reply = await wire.send(post(`${scheme}://127.0.0.1:${port}/`, { timeoutMs: 50 }))
  expect(reply).toEqual({ kind: 'timeout', why: 'no reply within 0.05 s' })
})

test('send() ends by its time limit while a reply trickles', async () => {
  const server = createTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 5)
    socket.once('close', () => clearInterval(timer))
  })
  const url = `http://127.0.0.1:${await open(server)}/`
  expect(await wire.send(post(url, { timeoutMs: 100 }))).toMatchObject({ kind: 'timeout' })
})

test('send() ends by the signal, also before it begins', async () => {
  const abort = new AbortController()
  const port = await open(createTcp(), () => abort.abort())
  const url = `http://127.0.0.1:${port}/`
  expect(await wire.send(post(url), abort.signal)).toMatchObject({ kind: 'stopped' })
  expect(await wire.send(post(url), AbortSignal.abort())).toMatchObject({ kind: 'stopped' })
})

test('send() stops at a reply that is too large, in its body or headers', async () => {
  const { url } = await serving(async () => ({ status: 200, body: 'x'.repeat(5_000_000) }))
  expect(await wire.send(post(url))).toMatchObject({ kind: 'too-large' })
  const large = `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`
  const port = await open(createTcp((socket) => socket.once('data', () => socket.write(large))))
  expect(await wire.send(post(`http://127.0.0.1:${port}/`))).toMatchObject({ kind: 'too-large' })
})

test('send() does not follow a redirect', async () => {
  const { url } = await serving(async () => ({ status: 307, headers: { location: '/y' }, body: '' }))
  expect(await wire.send(post(url))).toMatchObject({ status: 307, headers: { location: '/y' } })
})

test.each([
  '',
  'x',
  'file:///etc/passwd',
  'ftp://localhost/',
  'https://a:b@localhost/',
  'http://localhost:1/',
])('send() is unreachable for "%s"', async (url) => {
  expect(await wire.send(post(url))).toMatchObject({ kind: 'unreachable' })
})

test('send() is unreachable where TLS meets plain HTTP, and for headers that HTTP refuses', async () => {
  const { port, url } = await serving()
  expect(await wire.send(post(`https://localhost:${port}/`))).toMatchObject({ kind: 'unreachable' })
  const headers = { 'neo-to': 'a\r\nx: y' }
  expect(await wire.send(post(url, { headers }))).toMatchObject({ kind: 'unreachable' })
})
