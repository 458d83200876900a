/** neo chat through a pipe: replies, words, own commands and tools; beside a real daemon and without one. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import { startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { type Home, makeHome, neo, start, until } from './program.ts'

const chat = (home: Home, input: string, ...words: string[]) =>
  neo(['chat', ...words, '--home', home.dir], { input })

test('without a daemon and a model that is said plainly, and what was written is kept', async () => {
  const home = makeHome()
  const { code, err } = await chat(home, 'Is the shop open?\n', 'shop')
  expect(code).toBe(0)
  expect(err).toMatch(/No daemon is running. Messages are saved/)
  expect(err).toMatch(/Neo can't answer yet: no model is configured/)
  const [name = ''] = home.names('rooms/shop/inbox')
  expect(home.text(`rooms/shop/inbox/${name}`)).toContain('Is the shop open?')
})

test('each line has its reply, in order; an own command is a prompt', async () => {
  const model = await startModel(({ last }) =>
    last.includes('Greet them') ? 'Good morning, Ana.' : last.includes('open?') ? 'It is **open**.' : 'Hm.',
  )
  const home = makeHome({
    'neo.yaml': model.config,
    'workspace/commands/greet.md': '---\ndescription: A greeting\n---\nGreet them by name.\n',
  })
  const daemon = await watching(home)
  const { code, out, err } = await chat(home, 'Is the shop open?\n/greet Ana\n/quit\nnever said\n', 'shop')
  expect({ code, out, err }).toEqual({ code: 0, out: 'It is **open**.\nGood morning, Ana.\n', err: '' })
  expect(model.asked.at(-1)?.last).toContain('Ana')
  await daemon.stop()
  expect(home.names('rooms/shop/inbox').filter((name) => name.endsWith('.md'))).toEqual([])
})

test('a new conversation begins beside a daemon', async () => {
  // What he has answered in this conversation. The old one may come back as something remembered.
  const model = await startModel(({ turn }) => `After ${turn} answers.`)
  const home = makeHome({ 'neo.yaml': model.config })
  const daemon = await watching(home)
  const { out, err } = await chat(
    home,
    'The first thing.\nWhat do you know?\n/new\nWhat do you know?\n',
    'shop',
  )
  expect(out).toBe('After 0 answers.\nAfter 1 answers.\nAfter 0 answers.\n')
  expect(err).toContain('New conversation.')
  await daemon.stop()
})

test('words say how the room stands, and remember', async () => {
  const home = makeHome({ 'rooms/shop/tasks/prices.md': '# Write the prices\n' })
  const { code, out } = await chat(
    home,
    '/tasks\n/status\n/remember Prices are in euros\n/room shop\n/room\n',
  )
  expect(code).toBe(0)
  expect(out).toMatch(/^room +Lobby \(active\)$/m)
  expect(out).toMatch(/Saved: rooms\/lobby\/memories\//)
  expect(out).toMatch(/^\* +shop$/m)
  const shop = await chat(home, '/tasks\n/help\n', 'shop')
  expect(shop.out).toMatch(/prices +pending +Write the prices/)
  expect(shop.out).toMatch(/^!grep .*$/m)
})

test('what a room remembers is shared with another by its words, once', async () => {
  const home = makeHome()
  const lines =
    '/remember Prices are in euros\n/remember The shop is blue\n/share shop EUROS\n/share shop euros\n'
  const { code, out } = await chat(home, lines)
  expect([code, out.match(/^Shared: /gm)?.length]).toEqual([0, 1])
  const [name = '', ...more] = home.names('rooms/shop/memories')
  expect(more).toEqual([])
  expect(home.text(`rooms/shop/memories/${name}`)).toContain('Prices are in euros')
  const wrong = await chat(home, '/share shop nothing of the kind\n')
  expect([wrong.code, wrong.err]).toEqual([4, expect.stringMatching(/no memory of lobby contains/)])
})

test('a tool reads the workspace of the room and nothing else', async () => {
  const home = makeHome({
    'workspace/files/src/a.ts': 'one\n// TODO later\n',
    'workspace/files/b.txt': 'TODO no\n',
  })
  const found = await chat(home, '!grep -n TODO src\n', 'shop')
  expect([found.code, found.out.trim()]).toEqual([0, 'src/a.ts:2:// TODO later'])
  const out = await chat(home, '!read_file ../../neo.yaml\n', 'shop')
  expect([out.code, out.out]).toEqual([1, ''])
  expect(out.err).toMatch(/neo\.yaml/)
  expect((await chat(home, '!fetch_url http://localhost/\n', 'shop')).err).toMatch(/Unknown tool/)
})

test.skipIf(UNCONFINED !== null)('a command runs in the workspace, confined to it', async () => {
  const home = makeHome({ 'workspace/files/a.txt': 'a\n' })
  const ran = await chat(home, '!shell ls; cat ../../neo.yaml; echo no > ../../escaped.txt\n', 'shop')
  expect(ran.out).toMatch(/^a\.txt\n/)
  expect(ran.out + ran.err).not.toContain('settle')
  expect(home.names('.')).not.toContain('escaped.txt')
  expect((await chat(home, '!shell ls\n', 'shop')).out).toBe('a.txt\n')
})

test('Ctrl-C ends the answer that is being made, and the next line has its own', async () => {
  const model = await startModel(({ last }) => (last.includes('Count') ? '1 2 3 '.repeat(20_000) : 'Yes.'))
  const home = makeHome({ 'neo.yaml': model.config })
  const daemon = await watching(home)
  const child = start(['chat', 'shop', '--home', home.dir])
  let out = ''
  child.stdout.on('data', (piece) => (out += String(piece)))
  child.stdin.write('Count\n')
  await until(() => model.asked.length === 1)
  child.kill('SIGINT')
  await once(child, 'exit')
  expect(out).not.toContain('1 2 3 '.repeat(20_000))
  expect((await chat(home, 'Are you there?\n', 'shop')).out).toBe('Yes.\n')
  await daemon.stop()
  const archive = home
    .names('rooms/shop/inbox/archive')
    .map((name) => home.text(`rooms/shop/inbox/archive/${name}`))
  expect(archive.filter((text) => text.includes('Count'))).toHaveLength(1)
})

test.each([
  [
    '/nothing\n',
    2,
    /Unknown command \/nothing; .*\nnext: to send the line as a message, type a space before \/nothing/,
  ],
  ['/statsu\n', 2, /did you mean \/status/],
  ['!grpe x\n', 2, /did you mean "grep"/],
  ['/room nowhere\n', 4, /Cannot find the room/],
])('the line %j ends a pipe with %i', async (line, code, says) => {
  const ended = await chat(makeHome(), line)
  expect(ended.code).toBe(code)
  expect(ended.err).toMatch(says)
})

test.each([
  '/home/ana/notes.txt is wrong',
  '/etc/hosts',
  '//a comment',
  ' /statsu is a command',
  ' !important: read this',
])('%j is a message', async (line) => {
  const home = makeHome()
  const ended = await chat(home, `${line}\n`, 'shop')
  expect(ended).toMatchObject({ code: 0 })
  const [name = ''] = home.names('rooms/shop/inbox').filter((one) => one.endsWith('.md'))
  expect(home.text(`rooms/shop/inbox/${name}`)).toContain(line.trim())
})

test('a room that is not there ends with 4', async () => {
  expect((await chat(makeHome(), '', 'nowhere')).code).toBe(4)
})
