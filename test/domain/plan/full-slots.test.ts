/** What a task without a free slot waits for: the limit that holds, and who takes the slots. */
import { expect, test } from 'vitest'
import { fullSlots } from '../../../src/domain/plan/slots.ts'
import type { SessionFact } from '../../../src/domain/plan/snapshot.ts'
import { config, facts, roomFile, session, snapshot, taskFile } from '../../builders.ts'

function full(sessions: readonly SessionFact[], { home = 3, room }: { home?: number; room?: number } = {}) {
  const own = roomFile('shop', room === undefined ? {} : { concurrency: room })
  const found = fullSlots(taskFile('a'), {
    snapshot: snapshot({ rooms: [own], config: config({ concurrency: home }) }),
    sessions: facts({ sessions }).sessions,
  })
  return found === null ? null : [found.of, found.limit, found.by.map(({ record }) => record.id)]
}

const ASKS = { wants: [{ key: 'k', kind: 'question', text: 'Which?', id: 'a-1' }] } as const

test('fullSlots() is null while the home and the room have a free slot', () => {
  expect(full([session('b')], { home: 2, room: 2 })).toBeNull()
})

test('fullSlots() names the sessions of all rooms if the home has no free slot', () => {
  const sessions = [session('b'), session('c', { record: { room: 'desk' } })]
  expect(full(sessions, { home: 2 })).toEqual(['home', 2, ['s-b', 's-c']])
})

test('fullSlots() names the sessions of the room if only the room has no free slot', () => {
  const sessions = [session('b'), session('c', { record: { room: 'desk' } })]
  expect(full(sessions, { room: 1 })).toEqual(['room', 1, ['s-b']])
})

test('fullSlots() counts neither sessions that wait for a person nor those that have ended', () => {
  expect(full([session('b', ASKS), session('c', { state: 'ended' })], { home: 1 })).toBeNull()
})
