/** The listening server over real sockets: what it hands over, and what slow, silent and broken clients can do to it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openPeerWire } from '../../../src/adapters/peer-wire/peer-wire.ts'
import { echo, machine, post, raw, serving, wire } from './peer-sockets.ts'

const small = openPeerWire({ limits: { connections: 3, headersMs: 200, requestMs: 400 } })
/** Nobody is ended for being slow. */
const patient = openPeerWire({ limits: { connections: 3, headersMs: 600_000, requestMs: 600_000 } })
const REQUEST = 'POST /a?b HTTP/1.1\r\nHost: x\r\n'

async function client(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

test('listen() hands over method, path, headers and body, with doubled headers joined', async () => {
  const { port } = await serving()
  const headers =
    'X-A: 1\r\nx-a: 2\r\nAuthorization: b\r\nAuthorization: c\r\n__proto__: d\r\nConnection: close\r\n'
  const got = await raw(port, `${REQUEST}${headers}Content-Length: 2\r\n\r\nhi`)
  const request = JSON.parse(got.slice(got.indexOf('\r\n\r\n') + 4))
  expect(request).toMatchObject({ method: 'POST', path: '/a?b', body: 'hi', remoteAddress: '127.0.0.1' })
  expect(request.headers).toMatchObject({ 'x-a': '1, 2', authorization: 'b, c' })
  expect(Object.getOwnPropertyDescriptor(request.headers, '__proto__')?.value).toBe('d')
})

test.each([
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
  ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a header line without a colon', 'abc\r\n\r\n'],
  ['a bare line feed in a header', 'A: b\nC: d\r\n\r\n'],
])('listen() answers 400 to a request with %s', async (_, rest) => {
  const { port } = await serving()
  expect(await raw(port, REQUEST + rest)).toMatch(/^HTTP\/1\.1 400 /)
})

test('listen() answers 431 to headers that are too large', async () => {
  const { port } = await serving()
  expect(await raw(port, `${REQUEST}A: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
})

test('listen() answers 413 to a body over the limit, announced or not, and never calls the handler', async () => {
  let calls = 0
  const { url, port } = await serving(
    (request) => {
      calls += 1
      return echo(request)
    },
    { mostBytes: 1000 },
  )
  expect(await wire.send(post(url, { body: 'x'.repeat(1001) }))).toMatchObject({ status: 413 })
  expect(await raw(port, `${REQUEST}Content-Length: 99999999\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /)
  const chunk = `3e9\r\n${'x'.repeat(1001)}\r\n`
  expect(await raw(port, `${REQUEST}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1\.1 413 /)
  expect(calls).toBe(0)
  expect(await wire.send(post(url, { body: 'x'.repeat(1000) }))).toMatchObject({ status: 200 })
})

test.each([
  ['says nothing', ''],
  ['never ends its headers', 'GET / HTTP/1.1\r\nA: b\r\n'],
  ['never ends its body', `${REQUEST}Content-Length: 10\r\n\r\nabc`],
])('listen() ends the connection of a client that %s', async (_, text) => {
  const { port } = await serving(echo, { with: small })
  const socket = await client(port, text)
  socket.resume()
  await once(socket, 'close')
})

test('listen() ends a TLS connection whose handshake never comes', async () => {
  const { port } = await serving(echo, { with: small, of: machine() })
  const socket = await client(port)
  socket.resume()
  await once(socket, 'close')
})

test.each([
  ['silent ones', ''],
  ['unfinished headers', 'GET / HTTP/1.1\r\nA: b\r\n'],
  ['unfinished bodies', `${REQUEST}Content-Length: 10\r\n\r\nabc`],
])('listen() lets a new client in when %s fill all places', async (_, text) => {
  const { port, url } = await serving(echo, { with: patient })
  const slow = await Promise.all([client(port, text), client(port, text), client(port, text)])
  const isPushedOut = Promise.race(slow.map((socket) => once(socket.resume(), 'close')))
  expect(await wire.send(post(url))).toMatchObject({ status: 200 })
  await isPushedOut
})

test('listen() answers 503 to a body for which it has no memory left, and others go on', async () => {
  const { port, url } = await serving(echo, { mostBytes: 40_000_000 })
  const half = `${REQUEST}Content-Length: 40000000\r\n\r\n${'x'.repeat(39_000_000)}`
  expect(await Promise.race([raw(port, half), raw(port, half)])).toMatch(/^HTTP\/1\.1 503 /)
  expect(await wire.send(post(url))).toMatchObject({ status: 200 })
})

test('listen() pushes nobody out whose request is in progress', async () => {
  let finish = () => {}
  const isFinished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let entered = 0
  const { url } = await serving(
    async () => {
      entered += 1
      await isFinished
      return { status: 200, body: 'ok' }
    },
    { with: patient },
  )
  const { send } = openPeerWire()
  const running = [1, 2, 3].map(() => send(post(url)))
  await expect.poll(() => entered).toBe(3)
  expect(await send(post(url))).toMatchObject({ kind: 'unreachable' })
  finish()
  expect((await Promise.all(running)).map(({ kind }) => kind)).toEqual(['reply', 'reply', 'reply'])
})

test('listen() streams pieces as they come, and ends the source when the client is gone', async () => {
  const ended: string[] = []
  async function* pieces(signal: AbortSignal) {
    try {
      yield 'data: 1\n\n'
      await once(signal, 'abort')
    } finally {
      ended.push('ended')
    }
  }
  const { port } = await serving(async ({ signal }) => ({ status: 200, body: pieces(signal) }))
  const socket = await client(port, `${REQUEST}Content-Length: 0\r\n\r\n`)
  let got = ''
  for await (const bytes of socket) {
    got += String(bytes)
    if (got.includes('data: 1')) break
  }
  expect(got).toMatch(/content-type: text\/event-stream/i)
  socket.destroy()
  await expect.poll(() => ended).toEqual(['ended'])
})

test('listen() takes no more of a stream than the client reads', async () => {
  let taken = 0
  async function* endless() {
    for (;;) {
      taken += 1
      yield `data: ${'x'.repeat(100_000)}\n\n`
    }
  }
  const { port } = await serving(async () => ({ status: 200, body: endless() }))
  const socket = await client(port, `${REQUEST}Content-Length: 0\r\n\r\n`)
  await once(socket, 'readable')
  let before = -1
  await expect
    .poll(() => {
      const isSteady = taken === before
      before = taken
      return isSteady
    })
    .toBe(true)
  expect(taken).toBeLessThan(500)
})

test('listen() answers 500 without a word if the handler throws', async () => {
  const { url } = await serving(async () => {
    throw new Error('secret')
  })
  expect(await wire.send(post(url))).toMatchObject({ status: 500, body: '' })
})

test('listen() tells the handler that the client is gone', async () => {
  let isGone = false
  const { port } = await serving(async ({ signal }) => {
    await once(signal, 'abort')
    isGone = true
    return { status: 200, body: '' }
  })
  const socket = await client(port, `${REQUEST}Content-Length: 0\r\n\r\n`)
  socket.destroy()
  await expect.poll(() => isGone).toBe(true)
})

test('close() ends silent, streaming and waiting connections', async () => {
  const never = new Promise<never>(() => {})
  async function* silence() {
    yield 'data: 1\n\n'
    await never
  }
  const answers = { '/stream': async () => ({ status: 200, body: silence() }), '/wait': () => never }
  const server = await serving(({ path }) => answers[path as keyof typeof answers]())
  await client(server.port)
  const stream = await client(server.port, 'GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
  await client(server.port, 'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(stream, 'readable')
  await server.close()
})

test('listen() rejects with the error of node if the port is taken', async () => {
  const { port } = await serving()
  const again = wire.listen({ host: '127.0.0.1', port, tls: null, mostBytes: 1, answer: echo })
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
