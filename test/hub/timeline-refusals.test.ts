/** audit.timeline: refusals alone, and what a decision was about, in words. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { hubHome, NEO } from './hub-home.ts'

const KIM: Principal = { kind: 'member', id: 'kim' }
const FILES = {
  'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

test('the kind refusal gives what was refused, and nothing else', async () => {
  const { call, refusal } = await hubHome(FILES)
  await call('task.create', { roomId: 'shop', title: 'New', description: '', worker: 'human' }, KIM)
  await refusal('room.pause', { roomId: 'shop' }, KIM)
  await call('task.list', {}, KIM)
  const { events } = await call('audit.timeline', { kinds: ['refusal'] })
  expect(events.map(({ actor, decision }) => [actor, decision])).toEqual([
    ['member:kim', { method: 'room.pause', does: 'Pause a room', effect: 'deny', askId: null }],
  ])
})

test('a decision names its method in words, and the request that it became', async () => {
  const { call, refusal } = await hubHome(FILES)
  const { ask } = await refusal('room.update', { roomId: 'shop', updates: { worker: 'shell' } }, NEO)
  const { events } = await call('audit.timeline', { kinds: ['decision'] })
  expect(events.map(({ decision }) => decision)).toEqual([
    { method: 'room.update', does: 'Update a room', effect: 'ask', askId: ask },
  ])
})
