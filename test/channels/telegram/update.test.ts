/** What updates of Telegram mean. */
import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { heardIn } from '../../../src/channels/telegram/update.ts'

const BOT = { id: 9, username: 'neo_bot' }
const FROM = { id: 5, is_bot: false, first_name: 'Kim' }
const GROUP = { id: -100, type: 'supergroup', title: 'Shop' }
const MESSAGE = {
  message_id: 7,
  date: 1_767_614_400,
  from: FROM,
  chat: { id: 5, type: 'private' },
  text: 'Hello',
}
const said = (more: object) =>
  heardIn({ update_id: 1, message: { ...MESSAGE, ...more } } as unknown as Update, BOT)
const pressed = (more: object) => {
  const message = { message_id: 7, date: 1, chat: GROUP, text: 'Push?' }
  const query = { id: 'c-1', from: FROM, data: 'y:a-1:s', message, ...more }
  return heardIn({ update_id: 1, callback_query: query } as unknown as Update, BOT)
}

test('a message says who spoke, where, when and what', () => {
  expect(said({})).toEqual({
    ...{ kind: 'said', updateId: 1, chatId: '5', isPrivate: true, thread: null, from: '5', messageId: '7' },
    ...{
      text: 'Hello',
      at: '2026-01-05T12:00:00Z',
      files: [],
      repliesTo: null,
      toBot: false,
      forwarded: false,
    },
  })
})

test.each([
  ['of another bot', { from: { ...FROM, is_bot: true } }],
  ['of nobody', { from: undefined }],
  ['of an anonymous admin', { sender_chat: GROUP }],
  ['without words or files', { text: undefined }],
  ['about the chat itself', { text: undefined, pinned_message: MESSAGE }],
  ['of blanks alone', { text: ' \n ' }],
  ['whose sender has no whole number', { from: { ...FROM, id: 1.5 } }],
  ['whose chat has no number', { chat: { id: '5', type: 'private' } }],
  ['that says where its group went, without a number', { migrate_to_chat_id: 'x' }],
])('a message %s means nothing', (_, more) => {
  expect(said(more)).toEqual({ kind: 'nothing' })
})

test.each([
  ['an edit', { update_id: 1, edited_message: MESSAGE }],
  ['a post of a channel', { update_id: 1, channel_post: MESSAGE }],
  ['a change of members', { update_id: 1, chat_member: {} }],
  ['an update without anything', { update_id: 1 }],
])('%s means nothing', (_, update) => {
  expect(heardIn(update as unknown as Update, BOT)).toEqual({ kind: 'nothing' })
})

test.each([
  ['words for others', 'Hello Kim', false, 'Hello Kim'],
  ['its name', 'Hello @Neo_Bot, how far?', true, 'Hello , how far?'],
  ['a longer name', 'Hello @neo_bot_2', false, 'Hello @neo_bot_2'],
  ['an address with its name', 'Mail kim@neo_bot.example', false, 'Mail kim@neo_bot.example'],
  ['a command', '/status', true, '/status'],
  ['a command to it', '/status@neo_bot', true, '/status'],
  ['a command to another', '/status@other_bot', false, '/status@other_bot'],
  ['a path', '/etc/hosts is wrong', false, '/etc/hosts is wrong'],
  ['a slash in the words', 'either/or', false, 'either/or'],
])('in a group, %s', (_, text, toBot, shown) => {
  expect(said({ chat: GROUP, text })).toMatchObject({ toBot, text: shown, isPrivate: false })
})

test.each([
  ['the bot', 9, { repliesTo: '3', toBot: true }],
  ['a person', 6, { repliesTo: null, toBot: false }],
])('a reply to %s', (_, id, wanted) => {
  const replied = { message_id: 3, from: { id, is_bot: id === 9 } }
  expect(said({ chat: GROUP, reply_to_message: replied })).toMatchObject(wanted)
})

test.each([
  ['a topic of a forum', { is_topic_message: true, message_thread_id: 4 }, '4'],
  ['a thread of replies', { message_thread_id: 4 }, null],
])('%s', (_, more, thread) => {
  expect(said({ chat: GROUP, ...more })).toMatchObject({ thread })
})

test('files come with their kinds, the largest picture alone, and a caption is the text', () => {
  const file = (id: string) => ({ file_id: id, file_size: 10 })
  const files = {
    photo: [file('small'), file('large')],
    document: { ...file('d'), mime_type: 'text/csv' },
    ...{ voice: file('v'), audio: file('a'), video: { file_id: 'f' } },
  }
  expect(said({ ...files, text: undefined, caption: 'Look' })).toMatchObject({
    text: 'Look',
    files: [
      { fileId: 'large', kind: 'image', type: 'image/jpeg', bytes: 10 },
      { fileId: 'd', kind: 'file', type: 'text/csv', bytes: 10 },
      { fileId: 'v', kind: 'voice', type: 'audio/ogg', bytes: 10 },
      { fileId: 'a', kind: 'voice', type: 'audio/mpeg', bytes: 10 },
      { fileId: 'f', kind: 'video', type: 'video/mp4', bytes: 0 },
    ],
  })
})

test.each([
  ['a round video', { video_note: { file_id: 'r' } }, 'r'],
  ['an animation, which is a document too', { animation: { file_id: 'g' }, document: { file_id: 'g' } }, 'g'],
])('%s is a video', (_, more, fileId) => {
  const files = [{ fileId, kind: 'video', type: 'video/mp4', bytes: 0 }]
  expect(said({ ...more, text: undefined })).toMatchObject({ text: '', files })
})

const PLACE = { latitude: 52.5, longitude: 13.25 }
test.each([
  [{ location: PLACE }, '[location: 52.5, 13.25]'],
  [
    { location: PLACE, venue: { location: PLACE, title: 'Shop', address: 'Main St 1' } },
    '[location: Shop, Main St 1, 52.5, 13.25]',
  ],
  [{ contact: { first_name: 'Kim', phone_number: '+49301' } }, '[contact: Kim, +49301]'],
  [
    { contact: { first_name: 'Kim', last_name: 'Doe', phone_number: '+49301' } },
    '[contact: Kim, Doe, +49301]',
  ],
])('%j is %s', (more, text) => {
  expect(said({ ...more, text: undefined })).toMatchObject({ kind: 'said', text, files: [] })
})

test.each([
  ['sticker', 'stickers'],
  ['poll', 'polls'],
  ['dice', 'dice'],
  ['game', 'games'],
  ['story', 'stories'],
  ['checklist', 'checklists'],
])('a %s says that it is not read', (kind, unread) => {
  expect(said({ [kind]: {}, text: undefined })).toMatchObject({ kind: 'said', text: '', unread })
})

test('a part of an album says of which', () => {
  const photo = [{ file_id: 'f' }]
  expect(said({ photo, media_group_id: '77', text: undefined })).toMatchObject({ album: '77' })
})

test('a forwarded message says that it is', () => {
  expect(said({ forward_origin: { type: 'user' } })).toMatchObject({ forwarded: true })
})

test.each([
  [{ migrate_to_chat_id: -100 }, { from: '5', to: '-100' }],
  [{ migrate_from_chat_id: -1 }, { from: '-1', to: '5' }],
])('a group that moves: %j', (more, places) => {
  expect(said(more)).toEqual({ kind: 'moved', ...places })
})

test('a press says who pressed what under which message', () => {
  expect(pressed({})).toEqual({
    ...{ kind: 'pressed', updateId: 1, callbackId: 'c-1', from: '5', data: 'y:a-1:s', chatId: '-100' },
    ...{ isPrivate: false, thread: null, messageId: '7', text: 'Push?' },
  })
})

test.each([
  ['of a bot', { from: { ...FROM, is_bot: true } }],
  ['under a message that is gone', { message: undefined }],
  ['of a game', { data: undefined }],
  ['in a chat without a number', { message: { message_id: 7, chat: { id: null } } }],
])('a press %s means nothing', (_, more) => {
  expect(pressed(more)).toEqual({ kind: 'nothing' })
})
