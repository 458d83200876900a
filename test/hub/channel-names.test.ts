/** What the name of a channel means, and which channel holds what its listener gets. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { HubError } from '../../src/hub/hub.ts'
import { FOR, keptAs, ownChannel, parse } from '../../src/hub/subscriptions/member-listeners.ts'

const KIM: Principal = { kind: 'member', id: 'kim' }
const HUMAN: Principal = { kind: 'human' }

test.each([
  ['lobby:rooms', { kind: 'lobby:rooms', id: '' }],
  ['asks', { kind: 'asks', id: '' }],
  [`inbox${FOR}kim`, { kind: 'inbox', id: '', viewer: 'kim' }],
  ['room:shop:state', { kind: 'room:state', id: 'shop' }],
  ['room:shop:tasks', { kind: 'room:tasks', id: 'shop' }],
  ['room:a:b:neo', { kind: 'room:neo', id: 'a:b' }],
  ['task:shop/a:state', { kind: 'task:state', id: 'shop/a' }],
  ['session:s-aaaaaa:transcript', { kind: 'session:transcript', id: 's-aaaaaa' }],
  ['session:s-aaaaaa:output', { kind: 'session:output', id: 's-aaaaaa' }],
])('parse("%s")', (channel, wanted) => {
  expect(parse(channel)).toEqual(wanted)
})

test.each([
  '',
  'lobby',
  'asks ',
  'ASKS',
  'constructor',
  '__proto__',
  'room:shop',
  'room::state',
  'room:shop:output',
  'task:a:tasks',
  'task:a:neo',
  'session:s-aaaaaa:neo',
  'session:s-aaaaaa:state:',
  'rooms:shop:state',
  ' room:shop:state',
])('the channel "%s" does not exist', (channel) => {
  expect(() => parse(channel)).toThrow(HubError)
})

test.each<[string, Principal, string, string | null, string]>([
  ['a room goes by its folder', HUMAN, 'room:r-aaaaaa:state', 'shop', 'room:shop:state'],
  ['its cards too', KIM, 'room:r-aaaaaa:tasks', 'shop', 'room:shop:tasks'],
  ['a task goes by the name that was said', KIM, 'task:t-aaaaaa:state', 'shop', 'task:t-aaaaaa:state'],
  ['the owner shares the lists of the home', HUMAN, 'inbox', null, 'inbox'],
  ['a member has lists of their own', KIM, 'inbox', null, `inbox${FOR}kim`],
  ['a member shares what is not limited to rooms', KIM, 'audit', null, 'audit'],
])('keptAs(): %s', (_, principal, channel, room, wanted) => {
  expect(keptAs(principal, channel, { room })).toBe(wanted)
})

test('no name that a member can say is the list of another member', () => {
  expect(ownChannel(KIM, `inbox${FOR}ana`)).toBe(`inbox${FOR}ana`)
  expect(ownChannel(KIM, 'inbox')).toBe(`inbox${FOR}kim`)
})
