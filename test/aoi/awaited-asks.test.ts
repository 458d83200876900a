/** When a query that waits for a person is over without an answer. */
import { expect, test } from 'vitest'
import { AwaitedAsks } from '../../src/aoi/desk/awaited-asks.ts'
import type { PeerRequest } from '../../src/aoi/desk/requests.ts'
import type { Snapshot } from '../../src/domain/plan/snapshot.ts'

const WAITING = [{ id: 'q-1', askId: 'a-1', status: 'waiting' } as PeerRequest]
const HOME = { kind: 'home', branch: 'main', commit: '' } as const

function picture(ask: object | null, git: Snapshot['git'] = HOME): Pick<Snapshot, 'asks' | 'git'> {
  const asks = ask === null ? [] : [['a.md', { ask: { id: 'a-1', ...ask } }]]
  return { asks: new Map(asks as [string, never][]), git }
}

const PENDING = { decision: 'pending' }
const DONE = { handledAt: 1 }

test.each([
  ['pending', PENDING, 0, false],
  ['pending for long', PENDING, 600_000, false],
  ['denied, not yet handled', { decision: 'denied' }, 600_000, false],
  ['denied', { decision: 'denied', ...DONE }, 0, true],
  ['expired', { ...PENDING, ...DONE }, 0, true],
  ['approved a moment ago', { decision: 'approved', ...DONE }, 1_000, false],
  ['approved and never carried out', { decision: 'approved', ...DONE }, 60_000, true],
  ['missing for a moment', null, 59_000, false],
  ['deleted', null, 60_000, true],
])('a request that is %s', (_, ask, afterMs, isOver) => {
  let now = 1_000_000
  const asks = new AwaitedAsks({ now: () => now })
  const first = asks.over(picture(ask), WAITING)
  now += afterMs
  expect((first.length > 0 ? first : asks.over(picture(ask), WAITING)).map(({ id }) => id)).toEqual(
    isOver ? ['q-1'] : [],
  )
})

test('nothing is missed while the home is on another branch, and a file that comes back is no more', () => {
  let now = 1_000_000
  const asks = new AwaitedAsks({ now: () => now })
  const isOver = (of: ReturnType<typeof picture>) => asks.over(of, WAITING).length > 0
  expect(isOver(picture(null, { kind: 'away', why: 'HEAD is detached' }))).toBe(false)
  now += 120_000
  expect(isOver(picture(null, { kind: 'away', why: 'HEAD is detached' }))).toBe(false)
  expect(isOver(picture(null))).toBe(false)
  now += 50_000
  expect(isOver(picture(PENDING))).toBe(false)
  now += 50_000
  expect(isOver(picture(null))).toBe(false)
})
