/** Who is not heard on Telegram: limited groups of which it is not known who is inside, and whoever is unknown. */
import { expect, test } from 'vitest'
import { openPairing } from '../../../src/engine/people/member-files.ts'
import { until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { startTelegram } from './server.ts'
import { CHILD, member, OWNER, PARENT, STRANGER, talking, telegramFiles } from './telegram-home.ts'

const texts = (
  server: { readonly sent: readonly { readonly chat: string; readonly text: string }[] },
  chat: number,
) => server.sent.filter((message) => message.chat === String(chat)).map(({ text }) => text)

const GROWN_UPS = '---\ntype: parents_group\nchannel: "telegram:-200"\n---\n'

test('a limited group that is described while Neo runs is silent until it is known who is inside', async () => {
  const server = await startTelegram({ members: { '-200': [OWNER, PARENT, CHILD], '-300': [OWNER, PARENT] } })
  const model = await startModel(() => 'Hello.')
  const { home, events } = await talking(telegramFiles(server.url, model.config))
  const from = { from: { id: PARENT, is_bot: false, first_name: 'P' } }
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
  expect(server.count('getChatMember')).toBe(0)
  home.write('workspace/scopes/grown-ups/SCOPE.md', GROWN_UPS)
  home.write('workspace/scopes/two/SCOPE.md', GROWN_UPS.replace('-200', '-300'))
  server.text(-200, '@neo_test_bot hello', from)
  server.text(-300, '@neo_test_bot hello', from)
  await until(() => server.count('getChatMemberCount') > 0, 20_000)
  await until(() => events.filter(({ kind }) => kind === 'refused').length >= 2)
  for (let n = 0; n < 100 && server.sent.length === 1; n++) {
    server.text(-200, '@neo_test_bot hello', from)
    server.text(-300, '@neo_test_bot hello', from)
    server.text(OWNER, '/help')
    await until(() => server.sent.filter(({ chat }) => chat === String(OWNER)).length === n + 2)
    if (server.sent.some(({ chat }) => chat === '-300')) break
  }
  await until(() => server.sent.some(({ chat }) => chat === '-300'), 20_000)
  expect(server.sent.some(({ chat }) => chat === '-200')).toBe(false)
})

test('whoever becomes a child silences the group at the next word, and a group that has moved is known by its scope', async () => {
  const inside = { '-200': [OWNER, PARENT], '-100200': [OWNER, PARENT] }
  const server = await startTelegram({ members: inside })
  const model = await startModel(() => 'Hello.')
  const { home } = await talking({
    ...telegramFiles(server.url, model.config),
    'workspace/scopes/grown-ups/SCOPE.md': GROWN_UPS,
  })
  const from = { from: { id: OWNER, is_bot: false, first_name: 'O' } }
  const group = () => server.sent.filter(({ chat }) => chat.startsWith('-')).map(({ chat }) => chat)
  await until(() => server.count('getChatMemberCount') > 0)
  server.text(-200, '@neo_test_bot hello', from)
  await until(() => group().length === 1, 20_000)
  server.put({
    message: {
      message_id: 90,
      date: 1,
      chat: { id: -200, type: 'group' },
      migrate_to_chat_id: -100200,
      ...from,
    },
  })
  server.text(-100200, '@neo_test_bot hello', from)
  await until(() => group().length === 2, 20_000)
  expect(group()).toEqual(['-200', '-100200'])
  home.write('workspace/members/m-ana.md', member('child', PARENT))
  server.text(-100200, '@neo_test_bot hello', from)
  server.text(OWNER, '/help')
  await until(() => texts(server, OWNER).length === 1)
  expect(group().length).toBe(2)
})

test('whatever an unknown sender tries they get one short line, and a right code counts after wrong ones', async () => {
  const server = await startTelegram()
  const { home, context } = await talking({
    ...telegramFiles(server.url),
    'workspace/members/m-bo.md': '---\nrole: parent\n---\n',
  })
  const { files, clock } = context().world
  const code = openPairing(files, clock, context().dir).begin('m-bo', 'telegram')
  const words = ['/start', '/help', '/approve x', 'Hello', '/start short', '/nothing']
  for (const text of words) server.text(STRANGER, text)
  for (let n = 0; n < 8; n++) server.text(STRANGER, `/start aaaaaaaa${n}`)
  for (let n = 0; n < 3; n++) server.text(22, `/start bbbbbbbb${n}`)
  server.text(22, `/start ${code}`)
  await until(() => texts(server, 22).length === 2, 20_000)
  server.text(STRANGER, `/start ${code}`)
  server.text(OWNER, '/help')
  await until(() => texts(server, OWNER).length === 1, 20_000)
  expect(texts(server, STRANGER)).toEqual([expect.stringMatching(/^You're not authorised \(id 14\)/)])
  expect(texts(server, 22)).toEqual([
    expect.stringMatching(/^You're not authorised \(id 22\)/),
    expect.stringMatching(/^Welcome/),
  ])
  expect(home.read('workspace/members/m-bo.md')).toContain('telegram: "22"')
})
