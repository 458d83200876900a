/** Updates that no client of Telegram's would make, and lines that break while an answer is on its way. */
import { expect, test } from 'vitest'
import { until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { startTelegram } from './server.ts'
import { OWNER, PARENT, STRANGER, talking, telegramFiles } from './telegram-home.ts'

const chat = { id: OWNER, type: 'private' }
const from = { id: OWNER, is_bot: false, first_name: 'O' }
const base = { message_id: 1, date: 1, chat, from }

const CROOKED: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { message: null },
  { message: 'text' },
  { message: {} },
  { message: { ...base, from: undefined, text: 'from nobody' } },
  { message: { ...base, from: null, text: 'from null' } },
  { message: { ...base, chat: undefined, text: 'nowhere' } },
  { message: { ...base, chat: { id: 'x', type: 7 }, text: 'odd place' } },
  { message: { ...base, text: 7 } },
  { message: { ...base, text: null, caption: [] } },
  { message: { ...base, date: 'yesterday', text: '/help' } },
  { message: { ...base, date: 1e300, text: '/help' } },
  { message: { ...base, text: '/help', entities: [{ type: 'mention', offset: -5, length: 1e9 }, null, 7] } },
  { message: { ...base, text: '/help', entities: 'all' } },
  { message: { ...base, reply_to_message: 7, text: '/help' } },
  { message: { ...base, photo: [] } },
  { message: { ...base, photo: 'x', document: 7 } },
  { message: { ...base, document: { file_id: 7, file_size: -1, mime_type: 3 } } },
  { message: { ...base, migrate_to_chat_id: 'x' } },
  { callback_query: {} },
  { callback_query: { id: 'c', from, data: 'y:x:0123456789abcdef' } },
  { callback_query: { id: 'c', from, message: base } },
  { callback_query: { id: 'c', from: null, message: null, data: 3 } },
  { my_chat_member: {} },
  { chat_member: null },
]

test('a crooked update is passed over, and what comes after it is heard', async () => {
  const model = await startModel(
    ({ last }) => `Heard ${/word-\d+/.exec(last.slice(last.lastIndexOf('<message')))?.[0]}`,
  )
  const server = await startTelegram()
  const { troubles } = await talking(telegramFiles(server.url, model.config))
  for (const [n, update] of CROOKED.entries()) {
    server.put(update)
    server.text(PARENT, `Say word-${n}`)
    await until(() => server.sent.some(({ text }) => text === `Heard word-${n}`), 20_000)
  }
  expect(server.sent.filter(({ chat: to }) => ![String(OWNER), String(PARENT)].includes(to))).toEqual([])
  expect(troubles.filter((text) => !text.endsWith('null'))).toEqual([])
})

test('a message of 20,000 characters is heard whole, and a stranger’s is not heard at all', async () => {
  const model = await startModel(({ last }) => `Heard ${last.match(/beam/g)?.length ?? 0}`)
  const server = await startTelegram()
  await talking(telegramFiles(server.url, model.config))
  server.text(OWNER, 'beam '.repeat(4_000))
  server.text(STRANGER, 'beam '.repeat(4_000))
  await until(() => server.sent.length === 2, 20_000)
  expect(server.sent.map(({ text }) => text).toSorted()).toEqual([
    'Heard 4000',
    expect.stringMatching(/^You.re not authorised/),
  ])
})

test('with the network gone in the middle of a long answer each part comes once, in order, when it is back', async () => {
  let isGone = false
  const parts = Array.from({ length: 5 }, (_, n) => `part-${n} ${'word '.repeat(700)}`)
  const model = await startModel(() => parts.join('\n\n'))
  const server = await startTelegram({
    fault(method, nth) {
      if (method === 'sendMessage' && nth === 3) isGone = true
      return isGone ? 'cut' : null
    },
  })
  await talking(telegramFiles(server.url, model.config))
  server.text(OWNER, 'Tell me')
  await until(() => isGone, 20_000)
  await new Promise((resolve) => setTimeout(resolve, 500))
  isGone = false
  const found = () => server.sent.flatMap(({ text }) => text.match(/part-\d/g) ?? [])
  await until(() => new Set(found()).size === parts.length, 40_000)
  expect([...new Set(found())]).toEqual(['part-0', 'part-1', 'part-2', 'part-3', 'part-4'])
  expect(
    server.sent
      .filter(({ text }) => !text.includes('Possible duplicate'))
      .flatMap(({ text }) => text.match(/part-\d/g) ?? []).length,
  ).toBeLessThanOrEqual(parts.length)
})
