/** Who is heard on Telegram and where: numbers, groups, pairing, topics, approvals, against a scripted Bot API. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPairing } from '../../../src/engine/people/member-files.ts'
import { runbook, until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { startTelegram } from './server.ts'
import { CHILD, OWNER, PARENT, STRANGER, talking, telegramFiles } from './telegram-home.ts'

/** What a model wrote asks before it runs. */
const BY_NEO = ['neo:', '  created_by: neo']

const texts = (
  server: { readonly sent: readonly { readonly chat: string; readonly text: string }[] },
  chat: number,
) => server.sent.filter((message) => message.chat === String(chat)).map(({ text }) => text)

test('the owner and members are answered, an unknown sender gets one short line and nothing else', async () => {
  const server = await startTelegram()
  const model = await startModel(({ last }) => `Heard: **${/from="([^"]*)"/.exec(last)?.[1] ?? ''}**`)
  const { home, events } = await talking(telegramFiles(server.url, model.config))
  for (const person of [OWNER, PARENT, CHILD, STRANGER, STRANGER]) server.text(person, 'Hello there')
  await until(() => server.sent.length === 4, 30_000)
  expect(texts(server, OWNER)).toEqual(['Heard: <b>human</b>'])
  expect(texts(server, PARENT)).toEqual(['Heard: <b>member:m-ana</b>'])
  expect(texts(server, CHILD)).toEqual(['Heard: <b>member:m-kim</b>'])
  expect(texts(server, STRANGER)).toEqual([expect.stringMatching(/^You're not authorised \(id 14\)/)])
  await until(() => server.count('sendChatAction') > 0)
  expect(events.filter(({ kind }) => kind === 'refused')).toHaveLength(1)
  expect(home.git('log', '--format=%s')).not.toContain('14')
})

test('an edit, another bot and a channel start nothing; a doubled update is acted on once', async () => {
  const server = await startTelegram()
  const model = await startModel(() => 'Yes.')
  await talking(telegramFiles(server.url, model.config))
  const from = { id: OWNER, is_bot: false, first_name: 'O' }
  const chat = { id: OWNER, type: 'private' }
  server.put({ edited_message: { message_id: 1, date: 1, edit_date: 2, chat, from, text: 'edited' } })
  server.put({
    message: { message_id: 2, date: 1, chat, from: { ...from, is_bot: true }, text: 'I am a bot' },
  })
  server.put({ channel_post: { message_id: 3, date: 1, chat: { id: -5, type: 'channel' }, text: 'post' } })
  server.text(OWNER, 'A real one')
  await until(() => server.sent.length === 1)
  server.double(4)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 2)
  expect(texts(server, OWNER)).toEqual(['Yes.', expect.stringContaining('You are talking to Neo')])
  expect(model.asked).toHaveLength(1)
})

test('a forwarded command is somebody else’s: it comes before Neo as words, and says so', async () => {
  const server = await startTelegram()
  const model = await startModel(({ last }) => `Heard: ${/\[forwarded\].*/.exec(last)?.[0]}`)
  await talking(telegramFiles(server.url, model.config))
  server.text(OWNER, '/room shop', {
    forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'x' },
  })
  await until(() => server.sent.length === 1, 20_000)
  expect(texts(server, OWNER)).toEqual(['Heard: [forwarded] /room shop'])
})

test('a child talks and does no more; the owner chooses the room of a chat', async () => {
  const server = await startTelegram()
  await talking(telegramFiles(server.url))
  server.text(CHILD, '/new')
  server.text(CHILD, '/room shop')
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 3)
  server.text(OWNER, '/status')
  for (const word of ['/nothing', '/constructor', '/__proto__']) server.text(OWNER, word)
  await until(() => server.sent.length === 7)
  expect(texts(server, CHILD)).toEqual([
    'Started a new conversation. The old one is saved.',
    expect.stringMatching(/^Denied: m-kim has no access to this room/),
  ])
  expect(texts(server, OWNER)).toEqual([
    'Switched to the room shop.',
    expect.stringMatching(/^<b>Shop<\/b> is active/),
    ...[1, 2, 3].map(() => expect.stringContaining('Unknown command')),
  ])
})

test('a group is dead until a file names it; one for parents refuses a child whatever the file says', async () => {
  const server = await startTelegram({ members: { '-200': [OWNER, PARENT], '-300': [OWNER, PARENT] } })
  const model = await startModel(() => 'Hello, parents.')
  await talking({
    ...telegramFiles(server.url, model.config),
    'workspace/scopes/grown-ups/SCOPE.md':
      '---\ntype: parents_group\nchannel: "telegram:-200"\nmembers: [m-ana, m-kim]\n---\n',
  })
  const from = (id: number) => ({ from: { id, is_bot: false, first_name: 'P' } })
  await until(() => server.count('getChatMemberCount') > 0)
  server.text(-100, '@neo_test_bot hello', from(OWNER))
  server.text(-200, '@neo_test_bot hello', from(CHILD))
  server.text(-200, '@neo_test_bot hello', from(STRANGER))
  server.text(-200, 'not for you', from(PARENT))
  server.text(-200, '@neo_test_bot are you there?', from(PARENT))
  await until(() => server.sent.length === 1)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 2)
  expect(server.sent.map(({ chat }) => chat)).toEqual(['-200', String(OWNER)])
  expect(model.asked[0]?.last).toContain('are you there?')
  expect(model.asked[0]?.last).not.toContain('@neo_test_bot')
})

test('whoever has left a group hides no stranger in it, also if they were restricted there', async () => {
  const server = await startTelegram({ members: { '-200': [OWNER, STRANGER] }, restricted: [PARENT] })
  const { events } = await talking({
    ...telegramFiles(server.url),
    'workspace/scopes/grown-ups/SCOPE.md': '---\ntype: parents_group\nchannel: "telegram:-200"\n---\n',
  })
  server.text(-200, '/help', { from: { id: OWNER, is_bot: false, first_name: 'O' } })
  await until(
    () => server.sent.length > 0 || events.some(({ text }) => text.includes('is not allowed there')),
  )
  expect(server.sent).toEqual([])
})

test('a silent child in the group of parents silences it', async () => {
  const server = await startTelegram({ members: { '-200': [OWNER, PARENT, CHILD] } })
  const { events } = await talking({
    ...telegramFiles(server.url),
    'workspace/scopes/grown-ups/SCOPE.md': '---\ntype: parents_group\nchannel: "telegram:-200"\n---\n',
  })
  await until(() => server.count('getChatMember') > 2)
  server.text(-200, '/help', { from: { id: PARENT, is_bot: false, first_name: 'P' } })
  await until(() =>
    events.some(({ kind, text }) => kind === 'refused' && text.includes('is not allowed there')),
  )
  expect(server.sent).toEqual([])
})

test('a member is paired by a code, once; a forwarded, used or guessed one pairs nobody', async () => {
  const server = await startTelegram()
  const { home, context } = await talking({
    ...telegramFiles(server.url),
    'workspace/members/m-bo.md': '---\nname: Bo # the one with the hat\nrole: parent\n---\n',
  })
  const { files, clock } = context().world
  const code = openPairing(files, clock, context().dir).begin('m-bo', 'telegram')
  server.text(STRANGER, `/start ${code}`, {
    forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'x' },
  })
  server.text(STRANGER, '/start AAAAAAAAAAAAAAAA')
  server.text(PARENT, '/start AAAAAAAAAAAAAAAA')
  await until(() => server.sent.length === 2)
  server.text(21, `/start ${code}`)
  await until(() => server.sent.length === 3)
  server.text(STRANGER, `/start ${code}`)
  server.text(PARENT, '/help')
  await until(() => server.sent.length === 4)
  expect(texts(server, 21)).toEqual([expect.stringMatching(/^Welcome\. You are paired as m-bo\./)])
  expect(texts(server, PARENT)[0]).toMatch(/^This pairing code is invalid/)
  expect(texts(server, STRANGER)).toEqual([expect.stringMatching(/^You're not authorised \(id 14\)/)])
  expect(home.read('workspace/members/m-bo.md')).toMatch(
    /name: Bo # the one with the hat\nrole: parent\nchannels:/,
  )
  expect(home.read('workspace/members/m-bo.md')).toMatch(/telegram: "21"/)
  expect(home.git('log', '-1', '--format=%s')).toBe('neo(members): pair m-bo — telegram')
  expect(readFileSync(`${context().dir}/pairing.json`, 'utf8')).not.toContain(code)
})

test('an approval is a button for who may decide, in its chat, for what it shows; then it says who decided', async () => {
  const server = await startTelegram()
  const room = `---\nname: Shop\nworker: shell\napprovers: [m-ana]\nnotify: ["telegram:${PARENT}", "telegram:${CHILD}"]\npermissions: { shell: ask }\n---\n`
  const { home } = await talking({
    ...telegramFiles(server.url),
    'rooms/shop/ROOM.md': room,
    'workspace/members/m-kim.md':
      '---\nrole: child\nchannels: { telegram: "13" }\npermissions: { rooms: [shop] }\n---\n',
  })
  home.task('one', runbook(['echo one > one.txt'], BY_NEO))
  await until(() => server.sent.length === 2)
  const dataOf = (chat: number) => {
    const { payload } = server.sent.findLast((message) => message.chat === String(chat)) ?? {}
    const markup = payload?.['reply_markup'] as { inline_keyboard: { callback_data: string }[][] } | undefined
    return markup?.inline_keyboard[0]?.map((button) => button.callback_data) ?? []
  }
  expect(texts(server, PARENT)[0]).toContain('echo one &gt; one.txt')
  const [yes = ''] = dataOf(PARENT)
  expect(Buffer.byteLength(yes)).toBeLessThanOrEqual(64)
  server.press(CHILD, CHILD, dataOf(CHILD)[0] ?? '')
  server.press(CHILD, CHILD, yes)
  server.press(STRANGER, STRANGER, yes)
  await until(() => server.sent.length === 4)
  expect(texts(server, CHILD).slice(1)).toEqual([
    "Denied: a child can't decide requests",
    expect.stringMatching(/^Not decided: the request has changed/),
  ])
  expect(home.status('one')).not.toBe('completed')
  server.press(PARENT, PARENT, yes, 77)
  await until(() => home.status('one') === 'completed', 20_000)
  server.press(PARENT, PARENT, yes, 77)
  await until(() => texts(server, PARENT).some((text) => text.includes('already approved')))
  const answers = () => server.calls.filter(({ method }) => method === 'answerCallbackQuery').length
  await until(() => server.edits.length > 0 && answers() === 5)
  expect(server.edits).toMatchObject([{ message_id: 77, text: expect.stringMatching(/Approved by m-ana, /) }])
})

test('a button that showed something else decides nothing', async () => {
  const server = await startTelegram()
  const room = `---\nname: Shop\nworker: shell\nnotify: ["telegram:${OWNER}"]\npermissions: { shell: ask }\n---\n`
  const { home } = await talking({ ...telegramFiles(server.url), 'rooms/shop/ROOM.md': room })
  home.task('one', runbook(['echo one'], BY_NEO))
  await until(() => server.sent.length === 1)
  const markup = server.sent[0]?.payload['reply_markup'] as { inline_keyboard: { callback_data: string }[][] }
  const yes = markup.inline_keyboard[0]?.[0]?.callback_data ?? ''
  home.task('one', home.text('one').replace('echo one', 'echo two'))
  await until(() => /echo two/.test(home.git('show', 'HEAD:rooms/shop/tasks/one.md')))
  server.press(OWNER, OWNER, yes)
  await until(() => texts(server, OWNER).length >= 2)
  expect(home.status('one')).not.toBe('completed')
})

test('a topic that a room names talks to that room, and its reply stays in the topic', async () => {
  const server = await startTelegram()
  const model = await startModel(() => 'In the topic.')
  await talking({
    ...telegramFiles(server.url, model.config),
    'rooms/shop/ROOM.md': '---\nname: Shop\nnotify: ["telegram:-400:7"]\n---\n',
    'workspace/scopes/team/SCOPE.md': '---\ntype: group\nchannel: "telegram:-400"\n---\n',
  })
  const topic = {
    is_topic_message: true,
    message_thread_id: 7,
    from: { id: OWNER, is_bot: false, first_name: 'O' },
  }
  server.text(-400, '/status@neo_test_bot', topic)
  server.text(-400, '/status@other_bot', topic)
  server.text(-400, '@neo_test_bot hello', topic)
  await until(() => server.sent.length === 2)
  expect(server.sent[0]?.text).toMatch(/^<b>Shop<\/b>/)
  expect(server.sent.every(({ payload }) => payload['message_thread_id'] === 7)).toBe(true)
})

test.each([
  ['allow_from: ["@ana"]', /allow_from contains "@ana": use numeric/],
  ['allow_from: []', /has no token/],
])('with %s the channel stays shut and says why, and the daemon goes on', async (line, why) => {
  const server = await startTelegram()
  const token = line.includes('@') ? 'token: "1:abcdef", ' : ''
  const config = `daemon: { settle: 0s, rescan: 1s }\nchannels: { telegram: { enabled: true, ${token}api_root: "${server.url}", ${line} } }\n`
  const { troubles, home } = await talking({ 'neo.yaml': config })
  await until(() => troubles.some((text) => why.test(text)))
  expect(server.calls).toEqual([])
  home.task('one', runbook(['echo one']))
  await until(() => home.status('one') === 'completed')
})
