/** Who is online: whom this home asks, how often, and what counts as being there. */
import { expect, test } from 'vitest'
import { Presence } from '../../src/aoi/presence.ts'
import type { Peer } from '../../src/domain/peer/peer.ts'
import { MovedClock, settled } from '../moved-clock.ts'

const MINUTE = 60_000
const ben = { id: 'ben', endpoint: 'https://ben:8443', publicKey: 'p256:b', revoked: false } as Peer

function home(peers: readonly Peer[]) {
  const clock = new MovedClock()
  const asked: string[] = []
  const of = { peers, reachable: true, answers: 'online' as 'online' | 'busy', told: 0 }
  const presence = new Presence({
    clock,
    intervalMs: () => MINUTE,
    peers: () => of.peers,
    async beat({ id }) {
      asked.push(id)
      if (!of.reachable) throw new Error('no route to host')
      return of.answers
    },
    changed: () => void of.told++,
  })
  return { clock, asked, of, presence }
}

test('a new agent is asked at once, and not again before its turn', async () => {
  const { clock, asked, of, presence } = home([])
  presence.begin()
  await settled()
  of.peers = [ben]
  presence.saw()
  await settled()
  expect([presence.state('ben').status, asked, of.told > 0]).toEqual(['online', ['ben'], true])
  for (let look = 0; look < 5; look++) presence.saw()
  await clock.move(MINUTE - 1)
  expect(asked).toEqual(['ben'])
  await clock.move(1)
  expect(asked).toEqual(['ben', 'ben'])
})

test.each([
  ['address', { endpoint: 'https://ben:9443' }, 2],
  ['key', { publicKey: 'p256:c' }, 2],
  ['certificate', { certificate: 'sha256:c' }, 2],
  ['role', { role: 'pm' }, 1],
  ['status', { revoked: true }, 1],
] as const)('an agent whose %s changes', async (_, change, times) => {
  const { asked, of, presence } = home([ben])
  presence.begin()
  await settled()
  of.peers = [{ ...ben, ...change } as Peer]
  presence.saw()
  await settled()
  expect(asked).toHaveLength(times)
})

test('an agent without an endpoint is asked by nobody, and is online once it is heard of', async () => {
  const { endpoint: _, ...quiet } = ben
  const { clock, asked, presence } = home([quiet as Peer])
  presence.begin()
  presence.saw()
  await clock.move(3 * MINUTE)
  expect([asked, presence.state('ben')]).toEqual([[], { status: 'offline', lastSeenAt: null }])
  presence.seen('ben')
  expect(presence.state('ben').status).toBe('online')
})

test('an agent is offline after three heartbeats without a word', async () => {
  const { clock, of, presence } = home([ben])
  presence.begin()
  await settled()
  of.reachable = false
  await clock.move(3 * MINUTE)
  expect(presence.state('ben').status).toBe('online')
  await clock.move(MINUTE)
  expect(presence.state('ben')).toEqual({ status: 'offline', lastSeenAt: '2026-01-05T12:00:00.000Z' })
})

test('an agent that does not answer is asked less often, and each minute again once it does', async () => {
  const { clock, asked, of, presence } = home([ben])
  of.reachable = false
  presence.begin()
  await clock.move(60 * MINUTE)
  expect(asked.length).toBeLessThan(16)
  expect(asked.length).toBeGreaterThan(8)
  of.reachable = true
  await clock.move(10 * MINUTE)
  const before = asked.length
  await clock.move(5 * MINUTE)
  expect([presence.state('ben').status, asked.length - before]).toEqual(['online', 5])
})

test('an agent that says that it is busy is shown so, and one that cannot be reached delays no other', async () => {
  const eve = { ...ben, id: 'eve', endpoint: 'https://eve:8443' } as Peer
  const { of, presence, asked } = home([eve, ben])
  of.answers = 'busy'
  presence.begin()
  await settled()
  expect([presence.state('ben').status, asked]).toEqual(['busy', ['eve', 'ben']])
})

test('nobody is asked after the end', async () => {
  const { clock, asked, of, presence } = home([ben])
  presence.begin()
  await settled()
  presence.close()
  of.peers = [{ ...ben, endpoint: 'https://ben:9443' } as Peer]
  presence.saw()
  await clock.move(10 * MINUTE)
  expect(asked).toEqual(['ben'])
})
