/** Who may do what in a conversation: the table of callers and scopes, and Neo with a speaker's rights. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isScopeName, scopeName, targetOf, topicScope } from '../../../src/domain/policy/known-people.ts'
import { decide } from '../../../src/domain/policy/policy.ts'
import {
  ACTS,
  type Act,
  type Principal,
  type Rules,
  type ScopeResource,
} from '../../../src/domain/policy/policy-acts.ts'
import { SCOPE_TYPES } from '../../../src/domain/policy/scope-types.ts'

const RULES: Rules = {
  members: new Map([
    ['ana', { role: 'parent', rooms: [] }],
    ['lee', { role: 'guest', rooms: ['shop'] }],
    ['kim', { role: 'child', rooms: ['shop'] }],
  ]),
  approvers: ['kim', 'lee'],
  workspaces: [],
}
const member = (id: string): Principal => ({ kind: 'member', id })
const within = (speaker: 'human' | `member:${string}`, room = 'shop'): Principal => ({
  kind: 'neo',
  room,
  onBehalfOf: { scope: 'x', speaker, keeps: 'private' },
})
const CALLERS: readonly Principal[] = [
  { kind: 'human' },
  member('ana'),
  member('lee'),
  member('kim'),
  member('nobody'),
  { kind: 'neo', room: 'lobby' },
  { kind: 'session', id: 's-1', room: 'shop' },
  { kind: 'peer', id: 'qa' },
]

function scope(over: Partial<ScopeResource>): ScopeResource {
  const none = { roles: [], members: [], problem: null, owner: null, silenced: null }
  return { name: 'x', type: 'group', ...none, ...over }
}

function effect(caller: Principal, act: Act, of: ScopeResource, room = 'shop'): string {
  return decide(caller, act, { resource: { room, scope: of }, rules: RULES }).effect
}

const KIM = scope({ type: 'dm', owner: { kind: 'member', id: 'kim' } })
const ANA = scope({ type: 'dm', owner: { kind: 'member', id: 'ana' } })

test.each([
  //                                             human ana lee kim nobody neo session peer
  ['the private chat of kim', KIM, '- - - a - - - -'],
  ['a private chat of nobody', scope({ type: 'dm' }), 'a - - - - - - -'],
  ['a group', scope({}), 'a a a a - - - -'],
  ['a group for parents', scope({ type: 'parents_group' }), 'a a - - - - - -'],
  [
    'the same, with a child by mistake',
    scope({ type: 'parents_group', members: ['kim'], roles: ['child'] }),
    'a - - - - - - -',
  ],
  ['a group of members', scope({ members: ['kim'] }), 'a - - a - - - -'],
  ['a group of a role', scope({ roles: ['guest'] }), 'a - a - - - - -'],
  ['a group that is silent', scope({ silenced: 'kim is in it' }), '- - - - - - - -'],
  ['a group without a readable file', scope({ problem: 'broken' }), '- - - - - - - -'],
] as const)('%s hears exactly those who belong to it', (_, of, row) => {
  expect(CALLERS.map((caller) => (effect(caller, 'speak', of) === 'allow' ? 'a' : '-')).join(' ')).toBe(row)
})

test('whoever owns the home tidies and purges every conversation, and has no part in the private chat of a member', () => {
  const acts = ['see-scope', 'tend-scope', 'purge-scope', 'speak', 'keep-scope', 'share'] as const
  const own = scope({ type: 'dm', owner: { kind: 'human' } })
  const of = (one: ScopeResource) => acts.map((act) => effect({ kind: 'human' }, act, one)[0]).join('')
  expect([KIM, ANA, own, scope({ type: 'dm' }), scope({ members: ['kim'] })].map(of)).toEqual([
    'aaaddd',
    'aaaddd',
    'aaaaaa',
    'aaaaaa',
    'aaaaaa',
  ])
  expect(effect(within('member:kim'), 'tend-scope', KIM)).toBe('deny')
  expect(effect(member('kim'), 'tend-scope', KIM)).toBe('allow')
  expect(effect(member('ana'), 'tend-scope', KIM)).toBe('deny')
})

test('a scope is purged by the owner of the home and by grown members whose own it is', () => {
  expect(CALLERS.slice(0, 4).map((caller) => effect(caller, 'purge-scope', ANA))).toEqual([
    'allow',
    'allow',
    'deny',
    'deny',
  ])
  expect(effect(member('kim'), 'purge-scope', KIM)).toBe('deny')
})

test('facts are shared by those who may remember in the room, never by a child or by Neo', () => {
  expect(effect(member('ana'), 'share', ANA)).toBe('allow')
  expect(effect(member('kim'), 'share', KIM)).toBe('deny')
  expect(effect(member('lee'), 'share', scope({}))).toBe('allow')
  expect(effect(member('lee'), 'share', scope({}), 'other')).toBe('deny')
  expect(effect(within('human'), 'share', scope({}))).toBe('deny')
})

test('Neo keeps facts in the scope that he answers in, and in no other', () => {
  expect(effect(within('member:kim'), 'keep-scope', KIM)).toBe('allow')
  expect(effect(within('member:kim'), 'keep-scope', { ...ANA, name: 'y' })).toBe('deny')
  expect(effect({ kind: 'neo', room: 'lobby' }, 'keep-scope', KIM)).toBe('deny')
})

test('what is said in private is kept in no room, whoever speaks', () => {
  for (const speaker of ['human', 'member:ana'] as const)
    expect(decide(within(speaker), 'remember', { resource: { room: 'shop' }, rules: RULES })).toMatchObject({
      effect: 'deny',
      rule: 'private-stays',
    })
})

const anyResource = fc.record(
  {
    room: fc.constantFrom('shop', 'other', 'lobby'),
    sets: fc.subarray(['title', 'verify', 'worker', 'description', 'review']),
    author: fc.constantFrom('human', 'neo', 'session:s-1'),
    worker: fc.constantFrom('shell', 'agent', 'exec:x', 'peer:y'),
    session: fc.constantFrom('s-1'),
    scope: fc.record({
      name: fc.constantFrom('x', 'y'),
      type: fc.constantFrom(...SCOPE_TYPES),
      roles: fc.subarray(['parent', 'child']),
      members: fc.subarray(['ana', 'kim']),
      problem: fc.constant(null),
      owner: fc.constantFrom(null, { kind: 'member', id: 'kim' } as const, { kind: 'human' } as const),
      silenced: fc.constant(null),
    }),
  },
  { requiredKeys: ['room'] },
)
const STRICT: Readonly<Record<string, number>> = { allow: 0, ask: 1, deny: 2 }

test('Neo never has more rights for a speaker than the speaker has', () => {
  const speakers = fc.constantFrom('ana', 'lee', 'kim', 'nobody')
  fc.assert(
    fc.property(speakers, fc.constantFrom(...ACTS), anyResource, (id, act, resource) => {
      const on = { resource, rules: RULES }
      const [neo, own] = [within(`member:${id}`, resource.room), member(id)].map(
        (caller) => decide(caller, act, on).effect,
      )
      return (STRICT[neo ?? ''] ?? 0) >= (STRICT[own ?? ''] ?? 0)
    }),
  )
})

test('for several speakers Neo may do no more than for each of them alone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ACTS),
      anyResource,
      fc.subarray(['kim', 'lee', 'ana', 'nobody']),
      (act, resource, ids) => {
        const [speaker, ...others] = ['human', ...ids.map((id) => `member:${id}`)] as (
          | 'human'
          | `member:${string}`
        )[]
        const of = { scope: null, speaker: speaker ?? 'human', others, keeps: 'shared' } as const
        const on = { resource, rules: RULES }
        const all = decide({ kind: 'neo', room: resource.room, onBehalfOf: of }, act, on).effect
        return ids.every((id) => {
          const alone = { ...of, speaker: `member:${id}`, others: [] } as const
          const one = decide({ kind: 'neo', room: resource.room, onBehalfOf: alone }, act, on).effect
          return (STRICT[all] ?? 0) >= (STRICT[one] ?? 0)
        })
      },
    ),
  )
})

test('a child never decides, runs, sends or looks into what is not its own', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ACTS), anyResource, (act, resource) => {
      const { effect: found } = decide(member('kim'), act, { resource, rules: RULES })
      if (found === 'deny') return true
      if (resource.scope !== undefined && ['speak', 'see-scope', 'keep-scope', 'tend-scope'].includes(act))
        return resource.scope.type !== 'parents_group'
      return (
        ['see', 'talk', 'make-task', 'change-task', 'move-task', 'see-scope'].includes(act) &&
        found === 'allow'
      )
    }),
  )
})

test('names of scopes are names of folders, and differ where keys do', () => {
  const key = fc.oneof(
    fc.string(),
    fc.tuple(fc.constantFrom('telegram', 'cli'), fc.string()).map((parts) => parts.join(':')),
  )
  fc.assert(
    fc.property(key, (one) => isScopeName(scopeName(one)) && isScopeName(topicScope(scopeName(one), '7'))),
  )
  fc.assert(
    fc.property(
      key,
      key,
      (a, b) => a === b || a.replaceAll(':', '-') === b.replaceAll(':', '-') || scopeName(a) !== scopeName(b),
    ),
  )
})

test.each([
  ['telegram:123456', 'telegram-123456'],
  ['family', 'family'],
  ['telegram:-100', /^telegram-100-[a-z0-9]{11}$/],
  ['家族', /^scope-[a-z0-9]{11}$/],
])('scopeName() of %s is %s', (key, name) => {
  expect(scopeName(key)).toMatch(name)
})

test.each([
  ['What does @kim want', 'member:kim'],
  ['@Kim, @ana', 'member:kim'],
  ['write to kim@localhost', null],
  ['@nobody', null],
  ['kim is here', null],
])('targetOf() of "%s" is %s', (text, target) => {
  expect(targetOf(text, [{ id: 'kim' }, { id: 'ana' }])).toBe(target)
})
