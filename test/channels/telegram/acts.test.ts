/** What Neo does for whoever he answers: files into their private chat, the end of what was begun there, pictures of a room. */
import { expect, test } from 'vitest'
import { until } from '../../path/home.ts'
import { type Asked, startModel } from '../../path/model.ts'
import { startRefusingModel } from './refusing-model.ts'
import { startTelegram } from './server.ts'
import { CHILD, member, OWNER, PARENT, talking, telegramFiles } from './telegram-home.ts'

const FILES = {
  'workspace/files/report.txt': 'The report.\n',
  'workspace/files/.env': 'PLAIN=1\n',
  'workspace/files/keys.txt': `token ghp_${'a1B2'.repeat(9)}\n`,
  'workspace/members/m-kim.md': member('child', CHILD, ['lobby']),
}

/** Sends the file that it is told to send, then says what came of it. */
const sender = ({ last }: Asked) => {
  const path = /send (\S+) please/.exec(last.slice(last.lastIndexOf('<message')))?.[1]
  if (path !== undefined) return { calls: [{ name: 'send_file', input: { path } }] }
  return `So: ${/Sent \S+|Not done[^\n]*/.exec(last)?.[0] ?? last.slice(-200)}`
}

test('Neo sends a file of the workspace to whoever decides there, and neither secrets nor what lies outside', async () => {
  const server = await startTelegram()
  const model = await startModel(sender)
  await talking({ ...telegramFiles(server.url, model.config), ...FILES })
  const paths = ['report.txt', '../../neo.yaml', '.env', 'keys.txt', 'missing.txt']
  for (const path of paths) server.text(OWNER, `send ${path} please`)
  server.text(CHILD, 'send report.txt please')
  await until(() => server.sent.length === paths.length + 1, 30_000)
  const sent = server.calls.filter(({ method }) => method === 'sendDocument').map(({ payload }) => payload)
  expect(sent).toMatchObject([{ chat_id: String(OWNER), file: 'report.txt: The report.\n' }])
  const said = server.sent.filter(({ chat }) => chat === String(OWNER)).map(({ text }) => text)
  expect(said).toEqual([
    'So: Sent report.txt',
    expect.stringMatching(/leads out/),
    expect.stringMatching(/secret|env/),
    expect.stringMatching(/keys\.txt.*holds a secret/),
    expect.stringMatching(/does not exist/),
  ])
  expect(server.sent.find(({ chat }) => chat === String(CHILD))?.text).toMatch(/Not done/)
})

test('into a group, or past a guard, Neo sends no file', async () => {
  const server = await startTelegram({ members: { '-300': [OWNER, PARENT] } })
  const model = await startModel(sender)
  await talking({
    ...telegramFiles(server.url, model.config),
    ...FILES,
    'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "telegram:-300"\n---\n',
    [`workspace/scopes/telegram-${OWNER}/SCOPE.md`]: `---\ntype: dm\nchannel: "telegram:${OWNER}"\nguards: { out: [sh, -c, "echo ok"] }\n---\n`,
  })
  server.text(OWNER, 'send report.txt please')
  const from = { id: OWNER, is_bot: false, first_name: 'O' }
  server.text(-300, '@neo_test_bot send report.txt please', { from })
  await until(() => server.sent.length === 2, 30_000)
  expect(server.count('sendDocument')).toBe(0)
  const texts = server.sent.map(({ chat, text }) => `${chat} ${text}`).toSorted()
  expect(texts).toEqual([
    expect.stringMatching(/^-300 .*Not done/),
    expect.stringMatching(new RegExp(`^${OWNER} .*guard`)),
  ])
})

test('the end of a task that was begun in a private chat is told there, and its room hears nothing', async () => {
  const server = await startTelegram()
  const model = await startModel(({ last }) => {
    if (last.includes('make it'))
      return {
        calls: [
          { name: 'create_task', input: { title: 'Paint the fence', description: 'Green', worker: 'human' } },
        ],
      }
    return `Made: ${/Created (?:task )?(t-\w+)/.exec(last)?.[1] ?? last.slice(-100)}`
  })
  const { home, hub } = await talking({
    ...telegramFiles(server.url, model.config),
    'rooms/lobby/ROOM.md': `---\nname: Lobby\nnotify: ["telegram:${OWNER}"]\norchestrator: auto\n---\n`,
  })
  server.text(PARENT, 'Please make it')
  await until(() => server.sent.some(({ text }) => text.startsWith('Made: t-')), 30_000)
  const id = /t-\w+/.exec(server.sent.at(-1)?.text ?? '')?.[0] ?? ''
  const turns = model.asked.length
  await hub().call({ kind: 'human' }, 'task.complete', { taskId: id, result: 'It is green now' })
  const isEnd = (text: string) => text.includes('is completed') && text.includes('green now')
  await until(() => server.sent.some(({ chat, text }) => chat === String(PARENT) && isEnd(text)), 30_000)
  server.text(PARENT, '/help')
  await until(() => server.sent.filter(({ text }) => text.startsWith('You are talking to')).length === 1)
  expect(server.sent.filter(({ chat, text }) => chat === String(PARENT) && isEnd(text))).toHaveLength(1)
  expect(model.asked.slice(turns).filter(({ last }) => last.includes('Paint the fence'))).toEqual([])
  expect(home.git('log', '--all', '-p')).not.toContain(`telegram-${PARENT}`)
})

test('a picture in a group that talks in its room is put before a model that sees; a file of the inbox names none', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const { config, bodies } = await startRefusingModel()
  const server = await startTelegram({ file: png, members: { '-300': [OWNER] } })
  const { home } = await talking({
    ...telegramFiles(server.url, config),
    'workspace/scopes/club/SCOPE.md': '---\ntype: room\nchannel: "telegram:-300"\n---\n',
  })
  const photo = [{ file_id: 'f1', file_unique_id: 'u', width: 1, height: 1, file_size: 10 }]
  const from = { id: OWNER, is_bot: false, first_name: 'O' }
  const caption = '@neo_test_bot what is this?'
  const caption_entities = [{ type: 'mention', offset: 0, length: 13 }]
  server.text(-300, '', { text: undefined, caption, caption_entities, photo, from })
  await until(() => bodies.length > 0, 30_000)
  const { messages } = JSON.parse(bodies[0] ?? '{}') as { messages: { content: object[] }[] }
  expect(messages.at(-1)?.content.at(-1)).toMatchObject({
    type: 'image',
    source: { media_type: 'image/png', data: png.toString('base64') },
  })
  expect(home.git('cat-file', '--batch-all-objects', '--batch', '--buffer')).not.toContain('IHDR')
})
