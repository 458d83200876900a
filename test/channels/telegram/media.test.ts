/** Files that people send: kept under names of ours, known by content, in order, and held up by nobody. */
import { readFileSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../../path/home.ts'
import { startModel } from '../../path/model.ts'
import { startRefusingModel } from './refusing-model.ts'
import { BOT, type Script, startTelegram } from './server.ts'
import { again, CHILD, member, OWNER, PARENT, STRANGER, talking, telegramFiles } from './telegram-home.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const photo = (size = 10) => [{ file_id: 'f1', file_unique_id: 'u', width: 1, height: 1, file_size: size }]
const document = (type: string) => ({
  file_id: 'd1',
  file_unique_id: 'u',
  mime_type: type,
  file_name: '../../x.sh',
})

/** Says which of these it was told of last. */
const model = () =>
  startModel(({ last }) => {
    const said = [...last.matchAll(/\[\w+ (?:not )?received: [^\]]*\]|word-\w+/g)].at(-1)?.[0]
    return `Heard ${said ?? 'nothing'}`
  })

async function heard(script: Script) {
  const server = await startTelegram(script)
  const daemon = await talking(telegramFiles(server.url, (await model()).config))
  return { server, daemon, files: () => daemon.context().world.files }
}

test('a file is kept beside its scope under a name of ours, and is what its bytes say', async () => {
  const { server, daemon, files } = await heard({ file: PNG })
  server.text(OWNER, '', { text: undefined, caption: 'Look', document: document('text/x-shellscript') })
  await until(() => server.sent.length === 1, 20_000)
  expect(server.sent[0]?.text).toMatch(/^Heard \[image received: image\/png, 16 bytes/)
  const folder = `${daemon.context().dir}/scopes/telegram-${OWNER}/media`
  const [name = '', ...more] = files().names(folder)
  expect([name, more]).toEqual([expect.stringMatching(/^[0-9a-z]{11}\.png$/), []])
  expect(readFileSync(`${folder}/${name}`)).toEqual(PNG)
})

test('text that follows a file waits for it, another chat does not, and a command neither', async () => {
  let isOpen = false
  const { server } = await heard({ file: PNG, fileWaits: () => !isOpen })
  server.text(OWNER, '', { text: undefined, caption: 'Look', photo: photo() })
  server.text(OWNER, 'Say word-after')
  server.text(PARENT, 'Say word-other')
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 2, 20_000)
  expect(server.sent.map(({ text }) => text).sort()).toEqual([
    'Heard word-other',
    'Switched to the room shop.',
  ])
  isOpen = true
  await until(() => server.sent.length === 4, 20_000)
  expect(server.sent.slice(2).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Heard \[image received/),
    'Heard word-after',
  ])
})

test('what is too large, or cannot be had, is said to Neo and in the log, and the message is answered', async () => {
  const gone = { code: 400, description: 'Bad Request: file is too big' }
  const { server, daemon } = await heard({ fault: (method) => (method === 'getFile' ? gone : null) })
  server.text(OWNER, '', { text: undefined, caption: 'Look', photo: photo(21 * 1024 * 1024) })
  await until(() => server.sent.length === 1, 20_000)
  expect(server.sent[0]?.text).toBe('Heard [image not received: larger than 20 MB]')
  expect(server.count('getFile')).toBe(0)
  expect(daemon.events.some(({ kind, text }) => kind === 'trouble' && text.includes('20 MB'))).toBe(true)
})

test('a message whose file is on its way goes on after a restart, once', async () => {
  let isOpen = false
  const { server, daemon } = await heard({ file: PNG, fileWaits: () => !isOpen })
  server.text(OWNER, '', { text: undefined, caption: 'Look', photo: photo() })
  await until(() => server.count('getFile') === 1)
  await daemon.stop()
  isOpen = true
  server.double(1)
  await again(daemon.home)
  await until(() => server.sent.length === 1, 20_000)
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 2)
  expect(server.sent.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Heard \[image received/),
    'Switched to the room shop.',
  ])
})

/** Says of how many pictures it was told last, and with what words. */
const counting = () =>
  startModel(({ last }) => {
    const asked = last.slice(last.lastIndexOf('<message'))
    return `Heard ${/word-\w+/.exec(asked)?.[0]}, ${asked.match(/image received/g)?.length ?? 0} pictures`
  })
const part = (caption?: string) => ({
  ...{ text: undefined, photo: photo(), media_group_id: 'g1' },
  ...(caption === undefined ? {} : { caption }),
})

test('an album is one message, also if the network fails between its parts', async () => {
  let fails = 0
  let isBack = false
  let waiting = (): number => 0
  const server = await startTelegram({
    file: PNG,
    fault(method) {
      if (method !== 'getUpdates' || isBack || waiting() === 0) return null
      fails += 1
      return 'cut'
    },
  })
  const daemon = await talking(telegramFiles(server.url, (await counting()).config))
  waiting = () => daemon.queues().held.waiting().length
  server.text(OWNER, '', part())
  await until(() => fails > 5)
  server.text(OWNER, '', part('Look at word-one'))
  server.text(OWNER, '', part())
  server.text(OWNER, 'Say word-two')
  isBack = true
  await until(() => server.sent.length === 2, 20_000)
  expect(server.sent.map(({ text }) => text)).toEqual([
    'Heard word-one, 3 pictures',
    'Heard word-two, 0 pictures',
  ])
})

test('in a group an album is heard whole if one part names the bot, also over a restart, and no other is', async () => {
  const server = await startTelegram({ file: PNG })
  const from = { from: { id: OWNER, is_bot: false, first_name: 'O' } }
  const daemon = await talking({
    ...telegramFiles(server.url, (await counting()).config),
    'workspace/scopes/team/SCOPE.md': '---\ntype: group\nchannel: "telegram:-400"\n---\n',
  })
  server.text(-400, '', { ...part('not for you'), ...from, media_group_id: 'g0' })
  server.text(-400, '', { ...part('nor this'), ...from })
  await until(() => daemon.queues().held.waiting().length === 2)
  await daemon.stop()
  server.double(1)
  server.text(-400, '', { ...part('word-three @neo_test_bot'), ...from })
  await again(daemon.home)
  await until(() => server.sent.length === 1, 20_000)
  server.text(-400, '/help', from)
  await until(() => server.sent.length === 2)
  expect(server.sent[0]?.text).toBe('Heard word-three, 2 pictures')
  expect(readFileSync(`${daemon.context().dir}/queues/media.jsonl`, 'utf8')).not.toMatch(
    /not for you|nor this/,
  )
})

test('a prompt of the home over a file gets it; a command over one says that it takes none', async () => {
  const server = await startTelegram({ file: PNG })
  await talking({
    ...telegramFiles(server.url, (await counting()).config),
    'workspace/commands/task.md': 'Make a task of this, word-four.\n',
  })
  server.text(OWNER, '', { text: undefined, caption: '/task list', document: document('image/png') })
  await until(() => server.sent.length === 1, 20_000)
  expect(server.sent[0]?.text).toBe('Heard word-four, 1 pictures')
  server.text(OWNER, '', { text: undefined, caption: '/room shop', document: document('image/png') })
  await until(() => server.sent.length === 3)
  expect(server.sent.slice(1).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Neo didn't read your file: commands/),
    'Switched to the room shop.',
  ])
})

test('a voice message as an answer to a question is told of, and answers nothing', async () => {
  const server = await startTelegram()
  const { queues } = await talking(telegramFiles(server.url))
  queues().put({ key: 'k', channel: 'telegram', chatId: String(OWNER), content: 'Which?', ask: 'a-9' })
  await until(() => server.sent.length === 1)
  const replied = { message_id: server.sent[0]?.id, from: BOT }
  server.text(OWNER, '', { text: undefined, voice: { file_id: 'v' }, reply_to_message: replied })
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 3)
  expect(server.sent.slice(1).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Neo didn't read your file/),
    'Switched to the room shop.',
  ])
})

test('what can’t be read is said once to whoever is heard, and to nobody else', async () => {
  const server = await startTelegram()
  await talking(telegramFiles(server.url))
  const sticker = { text: undefined, sticker: { file_id: 's', emoji: '👍' } }
  server.text(STRANGER, '', sticker)
  server.text(-400, '', { ...sticker, from: { id: OWNER, is_bot: false, first_name: 'O' } })
  server.text(OWNER, '', { text: undefined, pinned_message: { message_id: 1 } })
  server.text(OWNER, '', sticker)
  server.double(1)
  server.text(OWNER, '/room shop')
  await until(() => server.sent.length === 3)
  expect(server.sent.map(({ chat, text }) => `${chat} ${text}`).toSorted()).toEqual([
    "11 Neo can't read stickers. Send text, pictures or files instead.",
    '11 Switched to the room shop.',
    expect.stringMatching(/^14 You're not authorised/),
  ])
})

test('a picture is put before a model that sees, with its words', async () => {
  const { config, bodies } = await startRefusingModel()
  const server = await startTelegram({ file: PNG })
  await talking(telegramFiles(server.url, config))
  server.text(OWNER, '', { text: undefined, caption: 'What is this?', photo: photo() })
  await until(() => bodies.length > 0, 20_000)
  const { messages } = JSON.parse(bodies[0] ?? '{}') as { messages: { content: object[] }[] }
  const blocks = messages.at(-1)?.content ?? []
  expect(JSON.stringify(blocks)).toContain('What is this?')
  const shown = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') },
  }
  expect(blocks.at(-1)).toMatchObject(shown)
})

test('a file of the workspace is sent to whoever decides in the room, and nothing from outside of it', async () => {
  const server = await startTelegram()
  const daemon = await talking({
    ...telegramFiles(server.url),
    'workspace/files/report.txt': 'The report.\n',
    'workspace/members/m-kim.md': member('child', CHILD, ['lobby']),
  })
  symlinkSync('../../neo.yaml', `${daemon.home.dir}/workspace/files/link.txt`)
  server.text(CHILD, '/file report.txt')
  for (const path of ['../../neo.yaml', 'link.txt', 'missing.txt', 'report.txt'])
    server.text(OWNER, `/file ${path}`)
  await until(() => server.count('sendDocument') === 1 && server.sent.length === 4, 20_000)
  const { payload } = server.calls.find(({ method }) => method === 'sendDocument') ?? { payload: {} }
  expect(payload).toMatchObject({ chat_id: String(OWNER), file: 'report.txt: The report.\n' })
  expect(server.sent.map(({ chat, text }) => `${chat} ${text}`).sort()).toEqual([
    expect.stringMatching(/^11 Cannot get .*neo\.yaml.* leads out/),
    expect.stringMatching(/^11 Cannot get .*link\.txt.* leads out/),
    expect.stringMatching(/^11 Cannot get .*missing\.txt.* does not exist/),
    expect.stringMatching(/^13 Denied: /),
  ])
})
