/** What a host decides where another one is named: what is typed at it and its own sessions, nothing else. */
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { GitStatus } from '../../../src/domain/plan/snapshot.ts'
import { mayDecide } from '../../../src/domain/room/host.ts'
import { facts, roomFile, session, snapshot, taskFile } from '../../builders.ts'

const own = session('a')
const ownId = own.record.id

function may(decision: Decision, of: { elsewhere: string | null; gitStatus?: GitStatus }): boolean {
  const file = { ...taskFile('a'), gitStatus: of.gitStatus ?? 'same' }
  const room = { ...roomFile('shop'), gitStatus: of.gitStatus ?? 'same' }
  const picture = {
    ...snapshot(),
    tasks: new Map([[file.path, file]]),
    rooms: new Map([[room.name, room]]),
  }
  return mayDecide(decision, picture, facts({ sessions: [own], elsewhere: of.elsewhere }))
}

const on = { path: taskFile('a').path, hash: 'h' }
const adopt: Decision = { ...on, kind: 'adopt', id: 'new' }
const adoptRoom: Decision = { ...on, kind: 'adopt-room', room: 'shop' }
const NAMED_ONLY: readonly Decision[] = [
  { ...on, kind: 'start', attempt: 1 },
  { ...on, kind: 'hand-over', attempt: 1 },
  { ...on, kind: 'requeue', why: 'w' },
  { ...on, kind: 'block', by: 'ask', error: 'e' },
  { ...on, kind: 'unblock' },
  { ...on, kind: 'open-ask', about: 'start' },
  { ...on, kind: 'close-ask', ask: 'a', verdict: 'approved' },
  { ...on, kind: 'withdraw' },
  { ...on, kind: 'merge' },
  { ...on, kind: 'merged', commit: 'c' },
  { ...on, kind: 'lost', error: 'e' },
]
const TYPED: readonly Decision[] = [
  { ...on, kind: 'reconcile' },
  { ...on, kind: 'record', status: 'pending' },
  { kind: 'forget', path: on.path, room: 'shop' },
]

function ofSession(id: string): readonly Decision[] {
  return [
    { kind: 'resume', session: id },
    { kind: 'stop', session: id, why: 'w' },
    { kind: 'discard', session: id, why: 'w' },
    { kind: 'want', session: id, key: 'k' },
    { kind: 'answer', session: id, key: 'k', ...on },
    { kind: 'report', session: id, key: 'k', path: on.path },
  ]
}

describe('mayDecide', () => {
  test.each([adopt, adoptRoom, ...NAMED_ONLY, ...TYPED, ...ofSession('s-none')])(
    'mayDecide() lets the named host decide everything: $kind',
    (decision) => {
      expect(may(decision, { elsewhere: null })).toBe(true)
    },
  )

  test.each(NAMED_ONLY)('mayDecide() leaves $kind to the named host', (decision) => {
    expect(may(decision, { elsewhere: 'one' })).toBe(false)
  })

  test.each(TYPED)('mayDecide() lets each host put on record what is typed at it: $kind', (decision) => {
    expect(may(decision, { elsewhere: 'one' })).toBe(true)
  })

  test.each([adopt, adoptRoom])('mayDecide() leaves $kind to where the file was written', (decision) => {
    expect(may(decision, { elsewhere: 'one', gitStatus: 'new' })).toBe(true)
    expect(may(decision, { elsewhere: 'one', gitStatus: 'edited' })).toBe(true)
    expect(may(decision, { elsewhere: 'one', gitStatus: 'same' })).toBe(false)
  })

  test.each(ofSession(ownId))(
    'mayDecide() lets a host go on with a session of its own: $kind',
    (decision) => {
      expect(may(decision, { elsewhere: 'one' })).toBe(true)
    },
  )

  test.each(ofSession('s-other'))('mayDecide() leaves sessions of other hosts alone: $kind', (decision) => {
    expect(may(decision, { elsewhere: 'one' })).toBe(false)
  })
})
