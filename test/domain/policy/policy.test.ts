/** Who may do what: the table of callers and acts, and what becomes an ask. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide } from '../../../src/domain/policy/policy.ts'
import {
  ACTS,
  type Act,
  type Principal,
  type Resource,
  type Rules,
} from '../../../src/domain/policy/policy-acts.ts'
import { FIXED_KEYS } from '../../../src/domain/policy/policy-member.ts'

const RULES: Rules = {
  members: new Map([
    ['m-ana', { role: 'parent', rooms: [] }],
    ['m-bo', { role: 'child', rooms: ['shop'] }],
  ]),
  approvers: ['m-ana'],
  workspaces: ['workspace/files', '../listed'],
}
const HUMAN: Principal = { kind: 'human' }
const NEO: Principal = { kind: 'neo', room: 'shop' }
const LOBBY: Principal = { kind: 'neo', room: 'lobby' }
const SESSION: Principal = { kind: 'session', id: 's-1', room: 'shop' }
const PARENT: Principal = { kind: 'member', id: 'm-ana' }
const CHILD: Principal = { kind: 'member', id: 'm-bo' }
const PEER: Principal = { kind: 'peer', id: 'qa' }
const EDITOR: Principal = { kind: 'editor' }

function effect(caller: Principal, act: Act, resource: Partial<Resource> = {}): string {
  return decide(caller, act, { resource: { room: 'shop', ...resource }, rules: RULES }).effect
}

/** In their own room, on a task of nobody's, setting nothing: a (allow), ? (ask), - (deny). */
const GRID: readonly (readonly [Act, string])[] = [
  //                 human neo lobby session parent child peer editor
  ['see', 'a a a a a a - a'],
  ['see-home', 'a - a - - - - a'],
  ['change-home', 'a - - - - - - -'],
  ['make-room', 'a - a - - - - a'],
  ['change-room', 'a a - - - - - a'],
  ['make-task', 'a a - a a a - a'],
  ['change-task', 'a a - a a a - a'],
  ['delete-task', 'a ? - - - - - ?'],
  ['move-task', 'a a - a a a - a'],
  ['finish-task', 'a ? - - - - - ?'],
  ['fail-task', 'a a - - - - - a'],
  ['remember', 'a a - a a - - a'],
  ['forget', 'a ? - - - - - ?'],
  ['run-session', 'a a - - - - - a'],
  ['stop-session', 'a a - - - - - a'],
  ['move-session', 'a ? - - - - - -'],
  ['talk', 'a a a a a a - a'],
  ['send-out', 'a - - - a - - -'],
  ['clear-context', 'a a - - - - - -'],
  ['settle-ask', 'a - - - a - - -'],
  ['settle-review', 'a - - - a - - -'],
  ['peer-hello', 'a - - - - - - -'],
  ['peer-read', 'a - - - - - - -'],
  ['peer-write', 'a - - - - - - -'],
  ['ask-peer', 'a ? - - - - - ?'],
  ['answer-peer', 'a ? - - - - - -'],
  // In no scope that is named; test/domain/policy/policy-scope.test.ts has the rest.
  ['speak', 'a - - - - - - -'],
  ['see-scope', 'a - - - a a - -'],
  ['keep-scope', 'a - - - - - - -'],
  ['tend-scope', 'a - - - - - - -'],
  ['share', 'a - - - - - - -'],
  ['purge-scope', 'a - - - - - - -'],
]
const SIGN: Readonly<Record<string, string>> = { allow: 'a', ask: '?', deny: '-' }

test('the grid names every act', () => {
  expect(GRID.map(([act]) => act)).toEqual([...ACTS])
})

test.each(GRID)('decide() of %s is %s', (act, row) => {
  const callers = [HUMAN, NEO, LOBBY, SESSION, PARENT, CHILD, PEER, EDITOR]
  expect(callers.map((caller) => SIGN[effect(caller, act)]).join(' ')).toBe(row)
})

test.each(FIXED_KEYS)('decide() lets nobody set %s', (key) => {
  for (const caller of [HUMAN, NEO, SESSION, PARENT, EDITOR])
    expect(effect(caller, 'change-task', { sets: [key] })).toBe('deny')
})

test.each(['verify', 'workspace', 'review', 'budget', 'model', 'env', 'status'])(
  'a model that sets %s of a task is asked about',
  (key) => {
    for (const caller of [NEO, SESSION, EDITOR])
      expect(effect(caller, 'make-task', { sets: ['title', key] })).toBe('ask')
  },
)

test('a workspace that is listed needs no ask', () => {
  const sets = ['workspace']
  expect(effect(NEO, 'run-session', { sets, workspace: '../listed' })).toBe('allow')
  expect(effect(NEO, 'run-session', { sets, workspace: '../other' })).toBe('ask')
})

test.each([
  ['human', 'shell', 'description', 'ask'],
  ['human', 'shell', 'title', 'allow'],
  ['human', 'agent', 'description', 'allow'],
  ['neo', 'shell', 'description', 'allow'],
])('Neo changing a task of %s that %s runs, in its %s: %s', (author, worker, key, wanted) => {
  expect(effect(NEO, 'change-task', { author, worker, sets: [key] })).toBe(wanted)
})

test.each([
  ['human', 'failed', 'pending', undefined, 'ask'],
  ['human', 'draft', 'pending', undefined, 'ask'],
  ['human', 'pending', 'cancelled', undefined, 'ask'],
  ['human', 'blocked', 'pending', 'model', 'allow'],
  ['human', 'blocked', 'pending', 'ask', 'ask'],
  ['neo', 'failed', 'pending', undefined, 'allow'],
  ['neo', 'draft', 'pending', undefined, 'allow'],
  ['neo', 'cancelled', 'pending', undefined, 'ask'],
  ['neo', 'blocked', 'pending', undefined, 'ask'],
  ['session:s-2', 'pending', 'cancelled', undefined, 'allow'],
] as const)('Neo moving a task of %s from %s to %s (%s): %s', (author, from, to, blockedBy, wanted) => {
  const block = blockedBy === undefined ? {} : { blockedBy }
  expect(effect(NEO, 'move-task', { author, from, to, ...block })).toBe(wanted)
})

test('a task at work is finished by its own session and by Neo, in words only', () => {
  const resource = { session: 's-1', from: 'in_progress' } as const
  expect([effect(NEO, 'finish-task', resource), effect(SESSION, 'finish-task', resource)]).toEqual([
    'allow',
    'allow',
  ])
  expect(effect(SESSION, 'finish-task', { ...resource, session: 's-2' })).toBe('deny')
})

test.each(['shell', 'exec:tool', 'peer:qa'])('a child has no task done by %s', (worker) => {
  expect(effect(CHILD, 'make-task', { worker })).toBe('deny')
})

test('a child decides nothing, though a room lists it, and sets no key that people set', () => {
  const rules = { ...RULES, approvers: ['m-bo'] }
  expect(decide(CHILD, 'settle-ask', { resource: { room: 'shop' }, rules }).effect).toBe('deny')
  expect(effect(CHILD, 'make-task', { sets: ['review'] })).toBe('deny')
  expect(effect(CHILD, 'talk', { session: 's-1' })).toBe('deny')
})

test('a child runs no commands, in no room but its own', () => {
  expect(effect(CHILD, 'make-task', { worker: 'shell' })).toBe('deny')
  expect(effect(CHILD, 'see', { room: 'other' })).toBe('deny')
})

const anyCaller = fc.constantFrom<Principal>(NEO, LOBBY, SESSION, PARENT, CHILD, PEER)
const anyResource = fc.record(
  {
    room: fc.constantFrom('other', 'third'),
    sets: fc.subarray(['title', 'verify', 'worker', 'description']),
    author: fc.constantFrom('human', 'neo', 'session:s-1'),
    worker: fc.constantFrom('shell', 'agent'),
    session: fc.constantFrom('s-1', 's-2'),
  },
  { requiredKeys: ['room'] },
)

test.each(['king', 'chidl', 'Parent', ''])('the role %j gives what a child has, whatever is done', (role) => {
  const members = new Map(RULES.members).set('m-odd', { role, rooms: ['shop'] })
  const rules = { ...RULES, members, approvers: ['m-bo', 'm-odd'] }
  for (const act of ACTS)
    for (const worker of ['shell', 'agent', 'human'])
      for (const sets of [[], ['title'], ['review'], ['worker']]) {
        const on = { resource: { room: 'shop', worker, sets }, rules }
        expect(decide({ kind: 'member', id: 'm-odd' }, act, on).effect).toBe(decide(CHILD, act, on).effect)
      }
})

test('nobody but people and parents changes anything in a room that is not theirs', () => {
  fc.assert(
    fc.property(anyCaller, fc.constantFrom(...ACTS), anyResource, (caller, act, resource) => {
      const { effect: found } = decide(caller, act, { resource, rules: RULES })
      const may = caller.kind === 'member' && caller.id === 'm-ana'
      const isLobby = caller.kind === 'neo' && caller.room === 'lobby'
      // The list of the own conversations is of no room.
      if (act === 'see-scope' && caller.kind === 'member') return
      if (may || (isLobby && ['see', 'see-home', 'talk', 'make-room'].includes(act))) return
      expect(found).toBe('deny')
    }),
  )
})

test('an editor rewrites no runbook of a person, starts nothing that a person stopped, and deletes its own work alone', () => {
  const rewriting = { author: 'human', worker: 'shell', sets: ['description'] }
  const restarting = { author: 'human', from: 'blocked', to: 'pending' } as const
  expect([effect(EDITOR, 'change-task', rewriting), effect(EDITOR, 'move-task', restarting)]).toEqual([
    'ask',
    'ask',
  ])
  expect(['human', 'neo', 'editor'].map((author) => effect(EDITOR, 'forget', { author }))).toEqual([
    'ask',
    'ask',
    'allow',
  ])
})
