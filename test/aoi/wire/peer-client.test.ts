/** Calls between two agents over real sockets: challenges, clocks, restarts, and servers that lie. */
import { expect, test } from 'vitest'
import { openPeerClient } from '../../../src/aoi/wire/peer-client.ts'
import type { PeerAnswer, PeerRequest } from '../../../src/ports/peer-port.ts'
import { freePort } from '../../free-port.ts'
import { alice, bob, clientOf, LIMITS, serveBob } from './agents.ts'
import { agent, wire } from './signed.ts'

const HOUR_MS = 3_600_000
const ALICE = { kind: 'result', result: 'eng-alice' }
const FAILED = { kind: 'error', code: -32001, message: 'Authentication failed' }

test('call() gets the result of a signed request, after one challenge', async () => {
  const { receiver, reached } = await serveBob()
  const { call } = clientOf(alice)
  expect(await call(receiver, 'aoi.query', {}, LIMITS)).toEqual(ALICE)
  expect(await call(receiver, 'aoi.query', {}, LIMITS)).toEqual(ALICE)
  expect(reached).toEqual(['eng-alice', 'eng-alice'])
})

test('call() sends one request once it knows the epoch', async () => {
  const { receiver } = await serveBob()
  const sent: PeerRequest[] = []
  const counting = {
    ...wire,
    send: (...of: Parameters<typeof wire.send>) => wire.send(...(sent.push(of[0]) ? of : of)),
  }
  const client = openPeerClient({
    wire: counting,
    key: () => alice.privateKey,
    self: () => 'eng-alice',
    now: Date.now,
  })
  await client.call(receiver, 'a', {}, LIMITS)
  await client.call(receiver, 'b', {}, LIMITS)
  expect(sent).toHaveLength(3)
  expect(sent.every(({ url }) => url.endsWith('/aoi/v1/rpc'))).toBe(true)
})

test.each([-1, 1])('call() corrects a clock that is %i hour off', async (hours) => {
  const { receiver } = await serveBob({ now: () => Date.now() + hours * HOUR_MS })
  const { call } = clientOf(alice)
  for (let count = 0; count < 3; count++) expect(await call(receiver, 'a', {}, LIMITS)).toEqual(ALICE)
})

test('call() does not follow a clock that is days off', async () => {
  const { receiver, reached } = await serveBob({ now: () => Date.now() + 48 * HOUR_MS })
  expect(await clientOf(alice).call(receiver, 'a', {}, LIMITS)).toMatchObject({ kind: 'error', code: -32001 })
  expect(reached).toEqual([])
})

test('call() signs again after a restart of the server with a new epoch', async () => {
  const before = await serveBob({ port: await freePort() })
  const { call } = clientOf(alice)
  expect(await call(before.receiver, 'a', {}, LIMITS)).toEqual(ALICE)
  await before.close()
  const after = await serveBob({ port: before.port })
  expect(await call(before.receiver, 'a', {}, LIMITS)).toEqual(ALICE)
  expect(after.reached).toEqual(['eng-alice'])
})

test('call() is trouble while the server is down, and a result when it is back', async () => {
  const before = await serveBob({ port: await freePort() })
  await before.close()
  const { call } = clientOf(alice)
  expect(await call(before.receiver, 'a', {}, LIMITS)).toEqual({ kind: 'trouble', why: 'connection refused' })
  await serveBob({ port: before.port })
  expect(await call(before.receiver, 'a', {}, LIMITS)).toEqual(ALICE)
})

test('call() sends nothing to a machine with another key', async () => {
  const mallory = await serveBob({ as: agent('qa-bob') })
  const reply = await clientOf(alice).call(mallory.receiver, 'a', {}, LIMITS)
  expect(reply).toMatchObject({ kind: 'trouble', why: expect.stringContaining('another key') })
  expect(mallory.reached).toEqual([])
})

test('call() is refused for an unknown, a forged and a revoked agent, in the same words', async () => {
  const { receiver, reached } = await serveBob({
    peers: () => [alice.peer, { ...agent('qa-eve').peer, revoked: true }],
  })
  const forged = { ...agent('eng-alice'), peer: alice.peer }
  for (const from of [agent('no-body'), forged, agent('qa-eve')])
    expect(await clientOf(from).call(receiver, 'a', {}, LIMITS)).toMatchObject(FAILED)
  expect(reached).toEqual([])
})

test('call() is refused from the moment in which the peer is revoked', async () => {
  let revoked = false
  const { receiver } = await serveBob({ peers: () => [{ ...alice.peer, revoked }] })
  const { call } = clientOf(alice)
  expect(await call(receiver, 'a', {}, LIMITS)).toEqual(ALICE)
  revoked = true
  expect(await call(receiver, 'a', {}, LIMITS)).toMatchObject(FAILED)
})

test('notify() is sent when it was taken', async () => {
  const { receiver, reached } = await serveBob()
  expect(await clientOf(alice).notify(receiver, 'aoi.notify', {}, { timeoutMs: 60_000 })).toEqual({
    kind: 'sent',
  })
  expect(await clientOf(agent('no-body')).notify(receiver, 'a', {}, { timeoutMs: 60_000 })).toMatchObject(
    FAILED,
  )
  expect(reached).toEqual(['eng-alice'])
})

const ODD: readonly (readonly [string, PeerAnswer, object])[] = [
  ['no JSON', { status: 200, body: '<html>' }, { kind: 'trouble', why: 'the server answered HTTP 200' }],
  ['JSON that is not JSON-RPC', { status: 200, body: '[1]' }, { kind: 'trouble' }],
  ['null', { status: 200, body: 'null' }, { kind: 'trouble' }],
  ['a bad status', { status: 502, body: '' }, { kind: 'trouble', why: 'the server answered HTTP 502' }],
  ['a redirect', { status: 302, headers: { location: '/x' }, body: '' }, { kind: 'trouble' }],
  ['another id', rpc({ id: 2, result: 1 }), { kind: 'trouble', why: 'the reply is for another request' }],
  ['an id of another type', rpc({ id: '1', result: 1 }), { kind: 'trouble' }],
  ['a result without an id', rpc({ id: null, result: 1 }), { kind: 'trouble' }],
  ['neither result nor error', rpc({ id: 1 }), { kind: 'trouble' }],
  ['an error without a code', rpc({ id: 1, error: { message: 'x' } }), { kind: 'trouble' }],
  ['an error that is a text', rpc({ id: 1, error: 'x' }), { kind: 'trouble' }],
  [
    'an error',
    rpc({ id: 1, error: { code: -32004, message: 'Busy', data: { a: 1 } } }),
    { kind: 'error', code: -32004, message: 'Busy', data: { a: 1 } },
  ],
  [
    'an error without an id',
    rpc({ id: null, error: { code: -32600, message: 'x' } }),
    { kind: 'error', code: -32600 },
  ],
  ['a falsy result', rpc({ id: 1, result: null }), { kind: 'result', result: null }],
]

function rpc(reply: object): PeerAnswer {
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', ...reply }) }
}

test.each(ODD)('call() reads a reply with %s', async (__, answer, result) => {
  const { receiver } = await serveBob({ routes: { rpc: async () => answer } })
  expect(await clientOf(alice).call(receiver, 'a', {}, LIMITS)).toMatchObject(result)
})

test('call() signs at most twice, whatever the server says', async () => {
  let count = 0
  const challenging = async (): Promise<PeerAnswer> => {
    count += 1
    return {
      status: 401,
      headers: { 'neo-epoch': `e${count}`, 'neo-time': String(1_800_000_000 + count * 100) },
      body: '',
    }
  }
  const tls = { key: bob.privateKey, cert: await wire.certificateOf(bob.privateKey, 'qa-bob') }
  const listening = await wire.listen({
    host: '127.0.0.1',
    port: 0,
    tls,
    mostBytes: 10_000,
    answer: challenging,
  })
  const receiver = {
    id: 'qa-bob',
    endpoint: `https://127.0.0.1:${listening.port}`,
    publicKey: bob.peer.publicKey,
  }
  const client = clientOf(alice, () => 1_800_000_000_000)
  expect(await client.call(receiver, 'a', {}, LIMITS)).toMatchObject({ kind: 'trouble' })
  expect(count).toBe(2)
  await listening.close()
})

test('call() needs an endpoint, and ends by its time limit and signal', async () => {
  const never = new Promise<never>(() => {})
  const { receiver } = await serveBob({ routes: { rpc: () => never } })
  const { call } = clientOf(alice)
  expect(await call({ id: 'x' }, 'a', {}, LIMITS)).toMatchObject({
    kind: 'trouble',
    why: 'x has no endpoint in its file',
  })
  expect(await call({ id: 'x', endpoint: 'x:y:z' }, 'a', {}, LIMITS)).toMatchObject({ kind: 'trouble' })
  expect(await call(receiver, 'a', {}, { id: 1, timeoutMs: 300 })).toMatchObject({
    kind: 'trouble',
    why: expect.stringContaining('no reply within'),
  })
  const stop = new AbortController()
  const stopped = call(receiver, 'a', {}, { ...LIMITS, signal: stop.signal })
  stop.abort()
  expect(await stopped).toMatchObject({ kind: 'trouble', why: 'stopped' })
})
