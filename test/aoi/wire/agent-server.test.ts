/** The server of an agent over real sockets: who gets where, and what others can do to it. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAgentServer } from '../../../src/aoi/wire/agent-server.ts'
import type { SignedParts } from '../../../src/aoi/wire/signature.ts'
import type { Verifier } from '../../../src/aoi/wire/verify-request.ts'
import type { PeerReply, PeerRequest } from '../../../src/ports/peer-port.ts'
import { freePort } from '../../free-port.ts'
import { alice, bob, type Bob, clientOf, LIMITS, serveBob, type Serving } from './agents.ts'
import { agent, signed, wire } from './signed.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function send({ url }: Pick<Bob, 'url'>, path: string, more: Partial<PeerRequest> = {}): Promise<PeerReply> {
  const trust = { publicKey: bob.peer.publicKey }
  return wire.send({
    url: url + path,
    method: 'POST',
    headers: JSON_TYPE,
    body: '{}',
    trust,
    timeoutMs: 60_000,
    ...more,
  })
}

/** Headers of a request that alice has signed, for the epoch of this server. */
async function signedByAlice(server: Bob, parts: Partial<SignedParts> = {}, body = '{}') {
  const { epoch } = server.verifier
  const request = signed(alice, { epoch, created: Math.floor(Date.now() / 1000), ...parts }, body)
  return { ...JSON_TYPE, ...request.headers }
}

const RPC = '{"jsonrpc":"2.0","id":1,"method":"a"}'

test('the identity is public, and says the id and the key alone', async () => {
  const server = await serveBob()
  const reply = await send(server, '/aoi/v1/identity', { method: 'GET', body: '' })
  if (reply.kind !== 'reply') throw new Error(reply.why)
  expect([reply.status, JSON.parse(reply.body)]).toEqual([
    200,
    { id: 'qa-bob', publicKey: bob.peer.publicKey },
  ])
})

const WRONG: readonly (readonly [string, number, string, Partial<PeerRequest>])[] = [
  ['an unknown path', 404, '/', {}],
  ['a path of another protocol', 404, '/mcp', {}],
  ['a path that continues', 404, '/aoi/v1/rpc/x', {}],
  ['a path with dots', 404, '/aoi/v1/%2e%2e/v1/rpcx', {}],
  ['GET of a POST route', 405, '/aoi/v1/rpc', { method: 'GET', body: '' }],
  ['POST of a GET route', 405, '/aoi/v1/identity', {}],
  ['no content type', 415, '/aoi/v1/rpc', { headers: {} }],
  ['a form', 415, '/a2a/v1', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['a text that is JSON', 415, '/aoi/v1/rpc', { headers: { 'content-type': 'text/plain;application/json' } }],
  ['a body over 1 MiB', 413, '/aoi/v1/rpc', { body: 'x'.repeat(1024 * 1024 + 1) }],
  ['no signature', 401, '/aoi/v1/rpc', {}],
  ['no signature on A2A', 401, '/a2a/v1', { headers: { 'content-type': 'application/a2a+json' } }],
  ['an Origin', 403, '/aoi/v1/rpc', { headers: { ...JSON_TYPE, origin: 'https://evil.example' } }],
  [
    'an Origin for the card',
    403,
    '/.well-known/agent-card.json',
    { method: 'GET', headers: { origin: 'null' } },
  ],
  ['an Origin for the identity', 403, '/aoi/v1/identity', { method: 'GET', headers: { origin: '' } }],
]

test.each(WRONG)('a request with %s gets %i', async (_, status, path, more) => {
  const server = await serveBob()
  expect(await send(server, path, more)).toMatchObject({ kind: 'reply', status })
  expect(server.reached).toEqual([])
})

test('405 names the method that is allowed', async () => {
  const reply = await send(await serveBob(), '/aoi/v1/rpc', { method: 'GET', body: '' })
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' } })
})

test('a signed request reaches its route once: the same bytes again get 401', async () => {
  const server = await serveBob()
  const headers = await signedByAlice(server, {}, RPC)
  expect(await send(server, '/aoi/v1/rpc', { headers, body: RPC })).toMatchObject({ status: 200 })
  expect(await send(server, '/aoi/v1/rpc', { headers, body: RPC })).toMatchObject({ status: 401 })
  expect(server.reached).toEqual(['eng-alice'])
})

test('a request that was recorded before a restart is refused after it', async () => {
  const before = await serveBob({ port: await freePort() })
  const headers = await signedByAlice(before, {}, RPC)
  await before.close()
  const after = await serveBob({ port: before.port })
  expect(await send(after, '/aoi/v1/rpc', { headers, body: RPC })).toMatchObject({ status: 401 })
  expect(after.reached).toEqual([])
})

test('a request for one route or receiver is refused at another', async () => {
  const server = await serveBob()
  const other = await signedByAlice(server, { path: '/a2a/v1' })
  expect(await send(server, '/aoi/v1/rpc', { headers: other })).toMatchObject({ status: 401 })
  const eve = await signedByAlice(server, { to: 'qa-eve' })
  expect(await send(server, '/aoi/v1/rpc', { headers: eve })).toMatchObject({ status: 401 })
})

test('a forged key id gets the words of an unknown one', async () => {
  const server = await serveBob({ peers: () => [alice.peer, agent('pm-kim').peer] })
  const texts = []
  for (const keyid of ['pm-kim', 'no-body']) {
    const reply = await send(server, '/aoi/v1/rpc', { headers: await signedByAlice(server, { keyid }) })
    texts.push(reply.kind === 'reply' ? [reply.status, reply.body] : reply)
  }
  expect(texts[0]).toEqual(texts[1])
  expect(texts[0]).toEqual([
    401,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Authentication failed"}}',
  ])
})

test('too many failures get 429 with a time to wait', async () => {
  const server = await serveBob()
  const statuses = new Set<number>()
  let last: PeerReply | null = null
  for (let count = 0; count < 31; count++) {
    last = await send(server, '/aoi/v1/rpc', { headers: { ...JSON_TYPE, signature: 'x' } })
    if (last.kind === 'reply') statuses.add(last.status)
  }
  expect([...statuses]).toEqual([401, 429])
  expect(last).toMatchObject({ headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
})

test('A2A takes a signature or a token, the card is for everybody, and a bad token is refused', async () => {
  const bearer = (token: string) => (token === 'token-of-alice-1' ? 'eng-alice' : null)
  const server = await serveBob({ options: { bearer } })
  const token = { ...JSON_TYPE, authorization: 'Bearer token-of-alice-1' }
  const bad = { ...JSON_TYPE, authorization: 'Bearer token-of-alice-2' }
  const alices = { status: 200, body: '{"a2a":"eng-alice"}' }
  const own = await signedByAlice(server, { path: '/a2a/v1' })
  expect(await send(server, '/a2a/v1', { headers: own })).toMatchObject(alices)
  expect(await send(server, '/a2a/v1', { headers: token })).toMatchObject(alices)
  expect(await send(server, '/a2a/v1', { headers: bad })).toMatchObject({ status: 401 })
  expect(await send(server, '/aoi/v1/rpc', { headers: token })).toMatchObject({ status: 401 })
  const card = (headers: Record<string, string>) =>
    send(server, '/.well-known/agent-card.json', { method: 'GET', headers, body: '' })
  expect(await card({})).toMatchObject({ status: 200, body: '{"card":null}' })
  expect(await card(token)).toMatchObject({ status: 200, body: '{"card":"eng-alice"}' })
  expect(await card(bad)).toMatchObject({ status: 401 })
})

test('A2A streams through the server', async () => {
  async function* pieces() {
    yield 'data: 1\n\n'
    yield 'data: 2\n\n'
  }
  const server = await serveBob({ routes: { a2a: async () => ({ status: 200, body: pieces() }) } })
  const headers = await signedByAlice(server, { path: '/a2a/v1' })
  expect(await send(server, '/a2a/v1', { headers })).toMatchObject({ body: 'data: 1\n\ndata: 2\n\n' })
})

test('a peer is answered while 1,000 silent connections are open', async () => {
  const server = await serveBob()
  const open = async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
  }
  for (let hundred = 0; hundred < 10; hundred++) await Promise.all(Array.from({ length: 100 }, open))
  expect(await clientOf(alice).call(server.receiver, 'a', {}, LIMITS)).toEqual({
    kind: 'result',
    result: 'eng-alice',
  })
})

test('200 requests at the same time are all answered', async () => {
  const server = await serveBob()
  const { call } = clientOf(alice)
  await call(server.receiver, 'a', {}, LIMITS)
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, id) => call(server.receiver, 'a', {}, { ...LIMITS, id })),
  )
  expect(replies.filter(({ kind }) => kind === 'result')).toHaveLength(200)
})

const tlsOff: Serving = { options: { config: { id: 'qa-bob', host: '127.0.0.1', port: 0, tls: 'off' } } }

test('without TLS it listens on loopback, where a signature is still needed', async () => {
  const { port, receiver } = await serveBob(tlsOff)
  const plain = { ...receiver, endpoint: `http://127.0.0.1:${port}` }
  expect(await clientOf(alice).call(plain, 'a', {}, LIMITS)).toEqual({ kind: 'result', result: 'eng-alice' })
  expect(await clientOf(agent('no-body')).call(plain, 'a', {}, LIMITS)).toMatchObject({ kind: 'error' })
})

const options = {
  ...{
    wire,
    key: bob.privateKey,
    certificate: '',
    home: '/',
    verify: () => ({}) as never,
    routes: {} as never,
  },
  files: { read: () => ({ kind: 'missing' }) as const },
}

test.each(['0.0.0.0', '::', '192.0.2.1', 'example.org', '127.0.0.1.example.org', 'localhost.example.org'])(
  'without TLS it does not listen on %s',
  async (host) => {
    const opened = openAgentServer({ ...options, config: { id: 'qa-bob', host, port: 0, tls: 'off' } })
    await expect(opened).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('without TLS'),
    })
  },
)

test('a given certificate is used, and its peers pin it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'neo-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const given = wire.newKey()
  writeFileSync(join(folder, 'key.pem'), given.privateKey)
  writeFileSync(join(folder, 'cert.pem'), await wire.certificateOf(given.privateKey, 'bob.example'))
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  const config = { id: 'qa-bob', host: '127.0.0.1', port: 0, tls }
  const { url, receiver } = await serveBob({ options: { config, home: folder } })
  const look = await wire.send({ url, method: 'GET', headers: {}, body: '', trust: null, timeoutMs: 60_000 })
  const certificate = look.kind === 'reply' ? look.seen?.certificate : undefined
  if (certificate === undefined) throw new Error('no certificate')
  const pinned = { ...receiver, certificate }
  expect(await clientOf(alice).call(pinned, 'a', {}, LIMITS)).toEqual({ kind: 'result', result: 'eng-alice' })
  expect(await clientOf(alice).call(receiver, 'a', {}, LIMITS)).toMatchObject({ kind: 'trouble' })
})

test('a certificate that is missing is an error that names the file', async () => {
  const tls = { cert: 'no.pem', key: 'key.pem' }
  const opened = openAgentServer({ ...options, config: { id: 'qa-bob', host: '127.0.0.1', port: 0, tls } })
  await expect(opened).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('key.pem') })
})

test('Tailscale headers count on a loopback host, and are dropped on another', async () => {
  const told: boolean[] = []
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const config = { id: 'qa-bob', host, port: 0, tls: 'self' as const }
    const verify: Verifier['verify'] = ({ headers }) => {
      told.push(headers['tailscale-node-id'] === 'n1')
      return { kind: 'ok', peer: alice.peer }
    }
    const server = await serveBob({ options: { config, verify } })
    const headers = { ...JSON_TYPE, 'Tailscale-Node-Id': 'n1' }
    expect(await send(server, '/aoi/v1/rpc', { headers, body: RPC })).toMatchObject({ status: 200 })
  }
  expect(told).toEqual([true, false])
})
