/** What is kept of chats: bounded, the oldest first, and nothing that a broken file says. */
import { expect, test } from 'vitest'
import { conversationKey, joined } from '../../src/channels/channel-message.ts'
import { openChats } from '../../src/channels/inbox/chats.ts'
import { said } from './bus-home.ts'

function kept(first: unknown = null) {
  const of = { value: first, writes: 0 }
  const files = {
    readJson: () => structuredClone(of.value),
    writeJson(_: string, value: unknown) {
      of.value = value
      of.writes++
    },
  }
  return { of, open: () => openChats(files, 'queues/telegram.json') }
}

test('what was said of a chat is there after a restart', () => {
  const { open } = kept()
  const chats = open()
  chats.talkIn('telegram:5', 'shop')
  chats.talkIn('telegram:-1', 'shop')
  chats.moved('-1', '-100')
  chats.asked('-100', '7', 'a-1')
  const later = open()
  expect([later.room('telegram:5'), later.now('-1'), later.askOf('-100', '7')]).toEqual([
    'shop',
    '-100',
    'a-1',
  ])
  expect(later.room('telegram:-100')).toBe('shop')
  expect([later.room('telegram:6'), later.now('-2'), later.askOf('-100', '8')]).toEqual([null, '-2', null])
})

test.each([[null], ['text'], [{ rooms: 'x', moved: null, asks: { a: 1, 'b:1': 'a-2' } }], [[1]]])(
  'a file that holds %j is read as far as it can be',
  (value) => {
    const chats = kept(value).open()
    expect([chats.room('telegram:5'), chats.now('5'), chats.askOf('a', '1')]).toEqual([null, '5', null])
  },
)

test('nothing is written that is known already', () => {
  const { of, open } = kept()
  const chats = open()
  for (let again = 0; again < 3; again++) {
    chats.talkIn('telegram:5', 'shop')
    chats.setName('neo_bot')
  }
  expect([of.writes, of.value]).toMatchObject([2, { username: 'neo_bot' }])
})

test('of more than 2,000 messages, those that were told of last stay', () => {
  const chats = kept().open()
  for (let at = 0; at < 2_000; at++) chats.asked('5', `${at}`, `a-${at}`)
  chats.asked('5', '0', 'a-again')
  chats.asked('5', '2000', 'a-2000')
  expect(['0', '1', '2', '2000'].map((at) => chats.askOf('5', at))).toEqual([
    'a-again',
    null,
    'a-2',
    'a-2000',
  ])
})

test('messages that are answered together name all that was masked in them', () => {
  const masked = (n: number, names: string) => said(n, { metadata: { masked: names } })
  const { content, metadata } = joined([said(1), masked(2, 'PIN'), masked(3, 'PIN, password')])
  expect([content, metadata]).toEqual(['message 1\n\nmessage 2\n\nmessage 3', { masked: 'PIN, password' }])
})

test('all threads of a private chat are one conversation, and each topic of a group is its own', () => {
  const at = { chatId: '-5', senderId: '7', thread: '9' }
  expect(conversationKey(said(1, { chatId: '7', thread: '9' }))).toBe('test:7')
  expect(conversationKey(said(1, at))).toBe('test:-5:9')
})
