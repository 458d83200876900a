/** Who may be believed: each way to be somebody else is refused, and all in the same words. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SeenNonces } from '../../../src/aoi/wire/seen-nonces.ts'
import type { SignedParts } from '../../../src/aoi/wire/signature.ts'
import { Verifier } from '../../../src/aoi/wire/verify-request.ts'
import type { PeerIncoming } from '../../../src/ports/peer-port.ts'
import { agent, incoming, NOW, signed as signedFor, type TestAgent, wire } from './signed.ts'

const alice = agent('eng-alice', { tailscaleNodeId: 'n1' })
const eve = agent('eng-eve', { revoked: true, tailscaleNodeId: 'n2' })
const { publicKey: _, ...keyless } = agent('pm-kim').peer
const twins = [agent('a-one', { tailscaleNodeId: 'n3' }), agent('a-two', { tailscaleNodeId: 'n3' })]
const peers = [alice.peer, eve.peer, keyless, ...twins.map(({ peer }) => peer)]

/** One verifier at a time: requests are signed for the epoch of the newest. */
let newest: Verifier | null = null
const epoch = () => newest?.epoch ?? ''

function verifier(more: Partial<ConstructorParameters<typeof Verifier>[0]> = {}) {
  const made = new Verifier({ peers: () => peers, wire, self: () => 'qa-bob', now: () => NOW, ...more })
  newest = made
  const verify: Verifier['verify'] = (...of) => made.verify(...of)
  return { epoch: made.epoch, verify }
}

function signed(from: TestAgent, parts: Partial<SignedParts> = {}, body = '{}'): PeerIncoming {
  return signedFor(from, { epoch: epoch(), ...parts }, body)
}

const DENIED = {
  kind: 'refused',
  status: 401,
  code: -32001,
  message: 'Authentication failed',
  headers: {
    'neo-epoch': expect.stringMatching(/^[\w-]{24}$/),
    'neo-time': String(NOW / 1000),
    'www-authenticate': 'Signature realm="neo"',
  },
}
const OK = { kind: 'ok', peer: { id: 'eng-alice' } }

test('verify() knows the peer that signed', () => {
  expect(verifier().verify(signed(alice))).toMatchObject(OK)
  expect(verifier().verify(signed(alice, { method: 'GET', path: '/x' }, ''))).toMatchObject(OK)
})

const stranger = { ...agent('eng-alice'), peer: alice.peer }
const REFUSED: readonly (readonly [string, () => PeerIncoming])[] = [
  ['an unknown agent', () => signed(agent('no-body'))],
  ['another key', () => signed(stranger)],
  ['a forged key id', () => signed(alice, { keyid: 'pm-kim' })],
  ['a revoked peer', () => signed(eve)],
  ['a peer without a key', () => signed(agent('pm-kim'))],
  ['another receiver', () => signed(alice, { to: 'qa-eve' })],
  ['another body', () => ({ ...signed(alice), body: '{"a":1}' })],
  ['another path', () => ({ ...signed(alice), path: '/a2a/v1' })],
  ['a query', () => ({ ...signed(alice), path: '/aoi/v1/rpc?a=b' })],
  ['another method', () => ({ ...signed(alice), method: 'GET' })],
  ['no signature', () => incoming()],
  ['a malformed signature', () => incoming({ headers: { signature: 'x' } })],
  ['a token where none counts', () => incoming({ headers: { authorization: 'Bearer 0123456789abcdef' } })],
]

test.each(REFUSED)('verify() refuses %s with the same words', (__, request) => {
  expect(verifier().verify(request())).toEqual(DENIED)
})

test('verify() checks one signature whether the agent exists or not', () => {
  let checks = 0
  const counting = {
    ...wire,
    verify: (...of: Parameters<typeof wire.verify>) => {
      checks += 1
      return wire.verify(...of)
    },
  }
  const { verify } = verifier({ wire: counting })
  for (const from of [alice, eve, agent('pm-kim'), agent('no-body')]) {
    verify(signed(from, { to: 'x' }))
    expect(checks).toBe(1)
    checks = 0
  }
})

test('verify() refuses a request of which any byte was changed', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 127 }), (at, by) => {
      const { verify } = verifier()
      const request = signed(alice, { nonce: 'abcdefghijklmnop' }, '{"jsonrpc":"2.0"}')
      const fields = ['method', 'path', 'body', ...Object.keys(request.headers)]
      const name = fields[at % fields.length] ?? ''
      const isHeader = name in request.headers
      const before = isHeader ? request.headers[name] : request[name as 'method' | 'path' | 'body']
      const after = changed(before ?? '', { at, by })
      const altered = isHeader
        ? { ...request, headers: { ...request.headers, [name]: after } }
        : { ...request, [name]: after }
      const verified = verify(altered)
      expect(verified).toMatchObject({ kind: 'refused', status: 401 })
      expect(verify(request)).toMatchObject(OK)
    }),
    { numRuns: 300 },
  )
})

function changed(text: string, { at, by }: { readonly at: number; readonly by: number }): string {
  const index = at % text.length
  return (
    text.slice(0, index) + String.fromCharCode((text.charCodeAt(index) + by) % 128) + text.slice(index + 1)
  )
}

test('verify() takes a request once', () => {
  const { verify } = verifier()
  const request = signed(alice)
  expect([verify(request).kind, verify(request)]).toEqual(['ok', DENIED])
})

test('verify() takes the same nonce of two peers', () => {
  const other = agent('qa-zoe')
  const { verify } = verifier({ peers: () => [alice.peer, other.peer] })
  const nonce = 'abcdefghijklmnop'
  expect([verify(signed(alice, { nonce })).kind, verify(signed(other, { nonce })).kind]).toEqual(['ok', 'ok'])
})

test.each([
  ['an old epoch', { epoch: 'epoch-0' }, 'Sign again with this epoch'],
  ['a time that is too early', { created: NOW / 1000 - 301 }, 'Sign again with this time'],
  ['a time that is too late', { created: NOW / 1000 + 301 }, 'Sign again with this time'],
])('verify() challenges %s in the same words for agents that exist and others', (__, parts, message) => {
  const { verify } = verifier()
  for (const from of [alice, eve, agent('no-body')])
    expect(verify(signed(from, parts))).toEqual({ ...DENIED, message })
})

test('verify() accepts a clock that is five minutes off', () => {
  for (const off of [-300, 300])
    expect(verifier().verify(signed(alice, { created: NOW / 1000 + off }))).toMatchObject(OK)
})

test('verify() refuses an address after 30 failures for a minute, but nobody there who signs rightly', () => {
  let now = NOW
  let lookups = 0
  const { verify } = verifier({
    now: () => now,
    peers: () => {
      lookups += 1
      return peers
    },
  })
  for (let count = 0; count < 30; count++) expect(verify(signed(stranger))).toMatchObject({ status: 401 })
  const waits = { status: 429, code: -32006, headers: { 'retry-after': '60' } }
  expect([verify(signed(stranger)), verify(signed(alice))]).toMatchObject([waits, OK])
  lookups = 0
  const headers = { authorization: 'Bearer token-of-alice-1' }
  expect(verify(incoming({ headers }), () => 'eng-alice')).toMatchObject(waits)
  expect(lookups).toBe(0)
  expect(verify({ ...signed(stranger), remoteAddress: '192.0.2.2' })).toMatchObject({ status: 401 })
  now += 60_000
  expect(verify(signed(stranger, { created: now / 1000 }))).toMatchObject({ status: 401 })
})

test('verify() counts challenges as no failure', () => {
  const { verify } = verifier()
  for (let count = 0; count < 100; count++) verify(signed(alice, { epoch: 'old' }))
  expect(verify(signed(alice))).toMatchObject(OK)
})

test.each([
  ['an IPv6 network', '2001:db8:1:2::5', '2001:db8:1:2:9::6', {}, 429],
  ['another IPv6 network', '2001:db8:1:2::5', '2001:db8:1:3::5', {}, 401],
  ['loopback without a proxy', '127.0.0.1', '127.0.0.1', {}, 429],
  [
    'a proxy that tells the address',
    '127.0.0.1',
    '127.0.0.1',
    { 'x-forwarded-for': '10.0.0.1, 192.0.2.9' },
    401,
  ],
  ['a header from outside', '192.0.2.1', '192.0.2.1', { 'x-forwarded-for': '192.0.2.9' }, 429],
])('verify() limits %s', (__, first, then, headers, status) => {
  const { verify } = verifier()
  for (let count = 0; count < 30; count++) verify(incoming({ remoteAddress: first }))
  expect(verify(incoming({ remoteAddress: then, headers }))).toMatchObject({ status })
})

const TAILSCALE: readonly (readonly [string, { node?: string; from?: string; on?: boolean }, string])[] = [
  ['a peer with this node, from loopback', {}, 'ok'],
  ['IPv6 loopback', { from: '::1' }, 'ok'],
  ['another address', { from: '100.64.0.5' }, 'refused'],
  ['an address that begins like loopback', { from: '127.evil' }, 'refused'],
  ['no proxy', { on: false }, 'refused'],
  ['an unknown node', { node: 'n9' }, 'refused'],
  ['a revoked peer', { node: 'n2' }, 'refused'],
  ['a node that two peers have', { node: 'n3' }, 'refused'],
  ['a doubled header', { node: 'n1, n1' }, 'refused'],
  ['an empty header', { node: '' }, 'refused'],
]

test.each(TAILSCALE)(
  'verify() decides by the Tailscale node: %s',
  (__, { node = 'n1', from = '127.0.0.1', on = true }, kind) => {
    const { verify } = verifier({ tailscale: () => on })
    expect(verify(incoming({ remoteAddress: from, headers: { 'tailscale-node-id': node } })).kind).toBe(kind)
  },
)

test('verify() takes a bad signature for no proxy', () => {
  const { verify } = verifier({ tailscale: () => true })
  const request = signed(stranger)
  const headers = { ...request.headers, 'tailscale-node-id': 'n1' }
  expect(verify({ ...request, headers, remoteAddress: '127.0.0.1' })).toEqual(DENIED)
})

test('verify() takes tokens on paths where they count, of peers that are not revoked', () => {
  const tokens: Record<string, string> = { 'alice-alice-alice': 'eng-alice', 'eve-eve-eve-eve-e': 'eng-eve' }
  const verify = (token: string) =>
    verifier().verify(
      incoming({ headers: { authorization: `Bearer ${token}` } }),
      (one) => tokens[one] ?? null,
    )
  expect(verify('alice-alice-alice')).toMatchObject(OK)
  expect(verify('eve-eve-eve-eve-e')).toEqual(DENIED)
  expect(verify('no-no-no-no-no-no-no')).toEqual(DENIED)
  expect(verify('')).toEqual(DENIED)
})

test('SeenNonces remembers a bounded number, and refuses what it forgot', () => {
  const nonces = new SeenNonces(100)
  for (let count = 0; count < 1_000; count++)
    expect(nonces.take('a', { nonce: `n${count}`, created: 5_000 + Math.floor(count / 10) }, 5_050)).toBe(
      'new',
    )
  expect(nonces.size).toBeLessThanOrEqual(100)
  for (let count = 0; count < 1_000; count++)
    expect(nonces.take('a', { nonce: `n${count}`, created: 5_000 + Math.floor(count / 10) }, 5_050)).not.toBe(
      'new',
    )
})

test('SeenNonces forgets what is refused by its age', () => {
  const nonces = new SeenNonces()
  for (let peer = 0; peer < 100; peer++) nonces.take(`p${peer}`, { nonce: 'n', created: 1_000 }, 1_000)
  expect(nonces.take('x', { nonce: 'n', created: 1_301 }, 1_301)).toBe('new')
  expect(nonces.size).toBe(1)
  expect(nonces.take('p1', { nonce: 'n', created: 1_000 }, 1_301)).toBe('late')
})

test('SeenNonces takes no nonce twice, in any order of times', () => {
  const requests = fc.array(
    fc.record({ nonce: fc.constantFrom('a', 'b', 'c'), created: fc.integer({ min: 990, max: 1_010 }) }),
  )
  fc.assert(
    fc.property(requests, (all) => {
      const nonces = new SeenNonces(5)
      const taken = all
        .filter((one) => nonces.take('p', one, 1_000) === 'new')
        .map((one) => JSON.stringify(one))
      expect(new Set(taken).size).toBe(taken.length)
      expect(nonces.size).toBeLessThanOrEqual(5)
    }),
  )
})
