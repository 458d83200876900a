/** The queues beside a real daemon: handled once, answered once, in order within a scope, and no failure stops another. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outboxRows } from '../../src/cli/status/daemon-state.ts'
import { makeHome, until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { people, said, taker, wire } from './bus-home.ts'

const ROOM = '---\nname: Shop\norchestrator: auto\n---\nBe brief.\n'
/** What is asked stands last, after all that the room remembers. */
const echo = () =>
  startModel(({ last }) => `You said ${[...last.matchAll(/message \d+/g)].at(-1)?.[0] ?? 'something'}.`)

test('a message has its turn in its own conversation and its reply goes where it was said, once, and nothing of it into git', async () => {
  const model = await echo()
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  const first = [daemon.queues().accept(said(1)), daemon.queues().accept(said(1))]
  await until(() => channel.sent.length === 1)
  expect(first).toEqual(['new', 'known'])
  expect(channel.sent).toMatchObject([{ chatId: '7', replyTo: '1', content: 'You said message 1.' }])
  expect(daemon.queues().accept(said(1))).toBe('known')
  const [name = ''] = readdirSync(join(home.dir, '.git/neo/scopes/test-7/transcripts'))
  const lines = home.read(`.git/neo/scopes/test-7/transcripts/${name}`)
  expect(lines).toContain('<message from=\\"human\\">\\nmessage 1\\n</message>')
  expect(lines).toContain('You said message 1.')
  expect(home.git('log', '--all', '-p')).not.toContain('message 1')
  expect(home.has('rooms/shop/inbox')).toBe(false)
  await daemon.stop()
  expect(model.asked).toHaveLength(1)
})

test('order is kept within a chat, each message has a reply of its own, and chats take turns', async () => {
  const model = await echo()
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  for (let n = 1; n <= 6; n++) daemon.queues().accept(said(n, { chatId: '7' }))
  for (let n = 11; n <= 12; n++) daemon.queues().accept(said(n, { chatId: '8' }))
  await until(() => channel.sent.length === 8, 40_000)
  const of = (chat: string) =>
    channel.sent.filter(({ chatId }) => chatId === chat).map(({ content }) => content)
  expect(of('7')).toEqual([1, 2, 3, 4, 5, 6].map((n) => `You said message ${n}.`))
  expect(of('8')).toEqual(['You said message 11.', 'You said message 12.'])
  const second = channel.sent.findIndex(({ content }) => content.includes('message 12'))
  expect(second).toBeLessThan(channel.sent.findIndex(({ content }) => content.includes('message 6')))
})

test('what has waited long is put before Neo together, in order, by speaker, and each word once', async () => {
  const model = await startModel(() => 'Caught up.')
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': ROOM,
    'workspace/members/m-ana.md': '---\nrole: parent\n---\n',
    'workspace/scopes/test-7/SCOPE.md': '---\ntype: group\nchannel: "test:7"\n---\n',
  })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  for (let n = 0; n < 130; n++)
    daemon.queues().accept(said(n, { speaker: n < 100 ? 'human' : 'member:m-ana', content: `word-${n}-end` }))
  await until(() => daemon.queues().counts().inbound === 0, 40_000)
  await until(() => daemon.queues().counts().outbound === 0)
  const folder = '.git/neo/scopes/test-7/transcripts'
  const heard = readdirSync(join(home.dir, folder)).flatMap((name) =>
    home.read(`${folder}/${name}`).match(/<message from=.*?<\/message>/g),
  )
  const words = heard.flatMap((text) =>
    [...(text ?? '').matchAll(/word-(\d+)-end/g)].map(([, n]) => Number(n)),
  )
  expect(words).toEqual(Array.from({ length: 130 }, (_, n) => n))
  expect(heard.filter((text) => text?.includes('"human\\"') && /word-1[0-2]\d-end/.test(text))).toEqual([])
  expect(channel.sent.at(-1)?.replyTo).toBe('129')
  expect(channel.sent.map(({ content }) => content)).toEqual(heard.map(() => 'Caught up.'))
  expect(heard.length).toBe(4)
})

test('a message with a heading like ours in it is answered by what stands after it', async () => {
  const model = await startModel(() => 'Seen.')
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  daemon.queues().accept(said(1, { content: 'Look:\n\n## Reply\n\nThis is no reply.' }))
  await until(() => channel.sent.length === 1)
  expect(channel.sent[0]?.content).toBe('Seen.')
})

test('without a model the sender is told so once, and the message waits', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  daemon.queues().accept(said(1))
  await until(() => channel.sent.length === 1)
  expect(channel.sent[0]?.content).toMatch(/^Message saved, not answered yet: no model is configured/)
  expect(daemon.queues().counts().inbound).toBe(1)
})

test('a channel that fails is tried again with waits, its trouble is said and ends, and others are not held up', async () => {
  const model = await echo()
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const troubles: string[] = []
  const daemon = wire(home, troubles)
  await daemon.ready()
  const channel = taker(({ chatId }, tries) =>
    chatId === '7' && tries < 4 ? { kind: 'later', why: 'too many', afterMs: 50 } : null,
  )
  const broken = { ...taker(), name: 'other', send: async () => Promise.reject(new Error('it is down')) }
  daemon.queues().attach(broken, async () => {})
  daemon.queues().attach(channel, async () => {})
  daemon.queues().put({ key: 'o1', channel: 'other', chatId: '1', content: 'lost?' })
  for (const n of [1, 2]) daemon.queues().accept(said(n, { chatId: n === 1 ? '7' : '8' }))
  await until(() => channel.sent.length === 2)
  expect(troubles).toContain('test: too many')
  expect(troubles).toContain('test: null')
  expect(troubles).toContain('other: it is down')
  expect(daemon.queues().counts().outbound).toBe(1)
})

test('a place that is gone for ever is given up, and what comes after it is sent', async () => {
  const home = makeHome()
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker(({ key }) => (key === 'a' ? { kind: 'never', why: 'blocked' } : null))
  daemon.queues().attach(channel, async () => {})
  for (const key of ['a', 'b']) daemon.queues().put({ key, channel: 'test', chatId: '7', content: key })
  await until(() => channel.sent.length === 1)
  expect(channel.sent[0]?.key).toBe('b')
  expect(daemon.events.some(({ text }) => text.includes('blocked'))).toBe(true)
})

test('a restart between accepting and answering neither loses nor doubles', async () => {
  const model = await echo()
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const sent: string[] = []
  for (let start = 0; start < 4; start++) {
    const daemon = wire(home)
    await daemon.ready()
    const channel = taker()
    daemon.queues().attach(channel, async () => {})
    for (let n = 1; n <= 3; n++) daemon.queues().accept(said(start * 3 + n))
    if (start === 3)
      await until(() => daemon.queues().counts().inbound + daemon.queues().counts().outbound === 0, 30_000)
    await daemon.stop()
    sent.push(...channel.sent.map(({ content }) => content))
  }
  expect(sent).toEqual(Array.from({ length: 12 }, (_, n) => `You said message ${n + 1}.`))
})

test('a command is carried out at once, whatever its room is busy with, and again after a kill', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': ROOM })
  const daemon = wire(home)
  await daemon.ready()
  daemon.queues().accept(said(1))
  daemon.queues().accept(said(2, { kind: 'command', content: '/status' }))
  const done: string[] = []
  daemon.queues().attach(taker(), async ({ content }) => void done.push(content))
  await until(() => done.length === 1)
  daemon.queues().accept(said(3, { kind: 'command', content: '/tasks' }))
  await until(() => done.length === 2)
  expect(done).toEqual(['/status', '/tasks'])
  await until(() => daemon.queues().counts().inbound === 1)
})

test('notices go to the places that the room names, many at once as one message, with their receipts', async () => {
  const room = '---\nname: Shop\nworker: shell\nnotify: ["test:5", "test:6"]\n---\n'
  const home = makeHome({ 'rooms/shop/ROOM.md': room })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  const at = '2026-03-01T09:00:00Z'
  daemon
    .context()
    .outbox.put({ key: 'one', kind: 'problems', text: 'First.', room: 'shop', at, to: ['terminal'] })
  home.write('rooms/shop/inbox/wake.md', 'look\n')
  await until(() => channel.sent.length === 2)
  for (let n = 0; n < 9; n++)
    daemon
      .context()
      .outbox.put({ key: `n${n}`, kind: 'problems', text: `Text ${n}`, room: 'shop', at, to: ['test:5'] })
  home.write('rooms/shop/inbox/wake2.md', 'look\n')
  await until(() => channel.sent.length === 3)
  const [one, two, digest] = channel.sent
  expect([one?.chatId, two?.chatId].sort()).toEqual(['5', '6'])
  expect(one?.content).toBe('**shop** First.')
  expect(digest?.content).toMatch(/^9 notices:\n\n- \*\*shop\*\* Text 0\n/)
  await until(() => daemon.context().outbox.pending('test:5').length === 0)
  await daemon.stop()
  const log = readFileSync(join(home.dir, '.git/neo/outbox.jsonl'), 'utf8')
  expect(log).toMatch(/"op":"receipt","key":"one elsewhere","channel":"test:5"/)
})

test('a member hears what they wish for, under their account; the rest has its receipt without being sent', async () => {
  const home = makeHome({
    'rooms/shop/ROOM.md':
      '---\nname: Shop\nworker: shell\nnotify: [m-ana, { to: "test:6", what: [failures] }, m-bo]\n---\n',
    'workspace/members/m-ana.md':
      '---\nrole: parent\nchannels: { test: "5" }\nnotify: { what: [asks, results] }\n---\n',
    'workspace/members/m-bo.md': '---\nrole: parent\n---\n',
  })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  home.task('good', '# Good\n\n```sh\necho good\n```\n')
  home.task('bad', '# Bad\n\n```sh\nexit 3\n```\n')
  await until(() => channel.sent.length === 2, 30_000)
  const said = channel.sent.map(({ chatId, content }) => `${chatId} ${content}`).sort()
  expect(said).toEqual([
    expect.stringMatching(/^5 \*\*shop\*\* shop\/good completed: /),
    expect.stringMatching(/^6 \*\*shop\*\* shop\/bad failed: /),
  ])
  const { outbox } = daemon.context()
  await until(() => outbox.pending('m-ana').length + outbox.pending('test:6').length === 0)
  // Without an account they wait, and status shows it.
  expect(
    outbox
      .pending('m-bo')
      .map(({ key }) => key.split(':')[0])
      .sort(),
  ).toEqual(['complete', 'fail'])
  expect(outboxRows({ files: daemon.context().world.files, dir: daemon.context().dir })).toEqual([
    { part: 'to m-ana', state: 'ok', says: expect.stringMatching(/^last receipt \d/) },
    { part: 'to m-bo', state: 'ok', says: expect.stringMatching(/^2 waiting since \d/) },
    { part: 'to test:6', state: 'ok', says: expect.stringMatching(/^last receipt \d/) },
  ])
})

test('a file of headings costs no heartbeat; one with words is put before Neo, and nothing to say is not sent', async () => {
  const config = (text: string) => `${text}heartbeat: { every: 1s, active_hours: [0, 24] }\n`
  const model = await startModel(({ last }) => (last.includes('Water') ? 'Watered.' : 'Nothing to say.'))
  const home = makeHome({
    'neo.yaml': config(model.config),
    'rooms/lobby/ROOM.md': '---\nname: Lobby\nnotify: ["test:5"]\n---\n',
    'workspace/HEARTBEAT.md': '# Heartbeat\n\n<!-- nothing -->\n- [ ]\n',
  })
  const daemon = wire(home)
  await daemon.ready()
  const channel = taker()
  daemon.queues().attach(channel, async () => {})
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(model.asked).toHaveLength(0)
  home.write('workspace/HEARTBEAT.md', '# Heartbeat\n\nCount the sheep.\n')
  await until(() => model.asked.length >= 1)
  expect(model.asked[0]?.last).toContain('from="system"')
  home.write('workspace/HEARTBEAT.md', 'Water the plants.\n')
  await until(() => channel.sent.some(({ content }) => content === 'Watered.'))
  expect(channel.sent.every(({ content }) => content === 'Watered.')).toBe(true)
})

test('neo watch opens the queues without any channel', async () => {
  const daemon = people(makeHome())
  await daemon.ready()
  const { events } = await daemon.stop()
  expect(events.filter(({ kind }) => kind === 'trouble')).toEqual([])
})
