/** Names of conversations and accounts: what is a topic of what, whose a chat is, and which texts are accounts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CHANNEL_KINDS,
  CHANNEL_NAMES,
  commandIn,
  isAccountId,
  spelled,
} from '../../../src/domain/policy/channel-kinds.ts'
import {
  accountOf,
  accountsIn,
  baseOfTopic,
  hasChildsRights,
  isScopeName,
  ownerOf,
  scopeName,
  topicScope,
} from '../../../src/domain/policy/known-people.ts'
import { speakersOf } from '../../../src/domain/policy/scope-types.ts'

test.each([
  ['123', true],
  ['9'.repeat(16), true],
  ['9'.repeat(17), false],
  ['0', false],
  ['012', false],
  ['-100', false],
  ['@ana', false],
  [' 1', false],
  ['1\n', false],
  ['', false],
])('isAccountId(telegram, %j) is %s, and the same for a channel that nobody knows', (id, is) => {
  for (const channel of ['telegram', 'other', 'constructor', '__proto__'])
    expect(isAccountId(channel, id)).toBe(is)
})

test.each([
  ['/help', { name: 'help', rest: '' }],
  ['/Room@our_bot  shop floor ', { name: 'room', rest: 'shop floor' }],
  ['/own-prompt\nText', { name: 'own-prompt', rest: 'Text' }],
  ['/', { name: '', rest: '' }],
  ['/etc/hosts is wrong', null],
  ['//', null],
  ['/approve:a-1', null],
  ['help', null],
  [' /help', null],
  ['', null],
])('commandIn(telegram, %j) is %j', (text, is) => expect(commandIn('telegram', text)).toEqual(is))

test('a command is read as it is spelled, in every channel', () => {
  for (const channel of CHANNEL_NAMES)
    expect(commandIn(channel, spelled(channel, 'room NAME'))).toEqual({ name: 'room', rest: 'NAME' })
})

test('a link that pairs an account names bot and code', () => {
  expect(CHANNEL_KINDS.telegram.pairLink('our_bot', 'a1')).toBe('https://t.me/our_bot?start=a1')
})

test.each([
  ['123', '123'],
  [' 123 ', '123'],
  ['telegram:123', '123'],
  [' telegram: 123', '123'],
  ['other:123', 'other:123'],
  ['telegram', 'telegram'],
])('accountOf(%j) is %j', (entry, account) => expect(accountOf(entry, 'telegram')).toBe(account))

test.each<[unknown, readonly string[]]>([
  [
    [1, ' 2 ', 'telegram:3'],
    ['1', '2', '3'],
  ],
  [
    [null, true],
    ['null', 'true'],
  ],
  ['123', []],
  [undefined, []],
  [{ 0: '1' }, []],
])('accountsIn(%j) are %j', (listed, accounts) => expect(accountsIn(listed, 'telegram')).toEqual(accounts))

const ANA = { id: 'm-ana', role: 'parent', channels: { telegram: '11' } }

test.each<[string, object]>([
  ['telegram:11', { kind: 'member', id: 'm-ana', role: 'parent' }],
  ['telegram:33', { kind: 'human' }],
  ['telegram:44', { kind: 'unknown' }],
  ['telegram:-100', { kind: 'unknown' }],
  ['telegram:11:7', { kind: 'unknown' }],
  ['Telegram:11', { kind: 'unknown' }],
  ['11', { kind: 'unknown' }],
  ['', { kind: 'unknown' }],
])('ownerOf(%j) is %j', (key, who) => expect(ownerOf(key, [ANA], ['33', '-100'])).toEqual(who))

test.each([
  ['parent', false],
  ['member', false],
  ['guest', false],
  ['child', true],
  ['Parent', true],
  ['', true],
  ['constructor', true],
])('hasChildsRights(%j) is %s', (role, is) => expect(hasChildsRights(role)).toBe(is))

test.each([
  ['a', true],
  ['a-b-1', true],
  ['a'.repeat(120), true],
  ['a'.repeat(121), false],
  ['-a', false],
  ['A', false],
  ['a/b', false],
  ['..', false],
  ['a\n', false],
  ['', false],
])('isScopeName(%j) is %s', (name, is) => expect(isScopeName(name)).toBe(is))

test('a topic is a name of its own, from which its group is found', () => {
  expect(topicScope('telegram-100-x', '7')).toBe('telegram-100-x-topic-7')
  const names = fc.string({
    unit: fc.constantFrom('a', 'b', '-', '1', ':', 'Ä', '漢'),
    minLength: 1,
    maxLength: 70,
  })
  fc.assert(
    fc.property(names, names, names, (key, thread, other) => {
      const group = scopeName(`telegram:${key}`)
      const topic = topicScope(group, thread)
      expect([isScopeName(group), isScopeName(topic), baseOfTopic(topic)]).toEqual([true, true, group])
      expect(topicScope(group, other) === topic).toBe(other === thread)
    }),
  )
})

test.each(['telegram-100', 'a-topic-', 'a-topic-x', '-topic-7', 'a-topic-tshort', 'a-topic-7-x'])(
  'baseOfTopic(%j) is none',
  (name) => expect(baseOfTopic(name)).toBeNull(),
)

test('speakersOf() are all that a turn answers, the one who speaks first', () => {
  const scope = { scope: null, keeps: 'shared' } as const
  expect(speakersOf({ ...scope, speaker: 'human' })).toEqual(['human'])
  expect(speakersOf({ ...scope, speaker: 'member:a', others: ['human', 'member:b'] })).toEqual([
    ...['member:a', 'human', 'member:b'],
  ])
})
