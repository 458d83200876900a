/** A known secret in a title or a name of a file: Neo shows and writes it nowhere, and still finds the task. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Home, makeHome } from './program.ts'

const VALUE = 'Heron-of-the-title-58'
const SLUG = 'heron-of-the-title-58'
const SOURCE = `---\ntitle: Rotate ${VALUE}\nstatus: pending\nreview: branch\n---\n\`\`\`sh\necho x > made\n\`\`\`\n`
const PATH = `rooms/shop/tasks/use-${SLUG}.md`
let home: Home

beforeAll(async () => {
  home = makeHome({ 'rooms/shop/ROOM.md': `---\nname: Shop ${VALUE}\nworker: shell\n---\n` })
  home.put('.env', `VAULT_WORD=${VALUE}\n`)
  home.put(PATH, SOURCE)
  const ran = await home.neo('run')
  expect([ran.code, ran.out.includes(VALUE)]).toEqual([0, false])
  expect(home.git('status', '--short')).toBe('')
})

const none = (text: string) =>
  expect(text.match(new RegExp(`.{0,60}(?:${VALUE}|${SLUG}).{0,20}`, 'g'))).toBeNull()

test.each([
  ['task', 'list', '--json'],
  ['task', 'show', PATH],
  ['status'],
  ['plan', '--all'],
  ['log'],
  ['room', 'list'],
  ['review', 'list'],
])('neo %s %s shows it masked', async (...args) => {
  const said = await home.neo(...args)
  none(said.out + said.err)
})

test('commits, branches, sessions and transcripts do not hold it, and the file of the person still does', () => {
  none(home.git('log', '--all', '--format=%B%n%D'))
  none(home.git('for-each-ref'))
  expect(readFileSync(join(home.dir, PATH), 'utf8')).toContain(`title: Rotate ${VALUE}\n`)
  const sessions = join(home.dir, 'rooms/shop/sessions')
  for (const name of readdirSync(sessions)) none(readFileSync(join(sessions, name), 'utf8'))
})

test.each(['path', 'room/name', 'name'])('a task is found by its %s as it is shown', async (kind) => {
  const names = { path: 'rooms/shop/tasks/use-***.md', 'room/name': 'shop/use-***', name: 'use-***' }
  const said = await home.neo('task', 'show', names[kind as keyof typeof names], '--json')
  expect([said.code, said.out]).toEqual([0, expect.stringContaining('Rotate ***')])
})

test('a new task gets a name of a file without it', async () => {
  const said = await home.neo('task', 'new', '--room', 'shop', '--title', `Send ${VALUE} off`, '--json')
  expect(said.code).toBe(0)
  none(said.out)
  none(
    readdirSync(join(home.dir, 'rooms/shop/tasks'))
      .filter((name) => name.startsWith('send'))
      .join(),
  )
})

test('neo status and neo ask list show the command of a request, masked, escaped and shortened', async () => {
  const command = `curl -H \u001b[31m ${VALUE}\nnext ${'long '.repeat(60)}`
  const action = { tool: 'shell', arguments: { command }, files: [], sha256: 'x' }
  home.put(
    'rooms/shop/asks/a-aaaaaa.md',
    `---\nkind: approval\naction: ${JSON.stringify(action)}\nreason: the room asks before shell\nneo: { id: a-aaaaaa }\n---\n`,
  )
  for (const words of [['status'], ['ask', 'list']]) {
    const { out } = await home.neo(...words)
    expect(out).toMatch(/the room asks before shell: curl -H .*31m \*\*\* next (?:long )+/)
    expect([out.includes('\u001b'), out.includes('long '.repeat(30)), out.includes(VALUE)]).toEqual([
      false,
      false,
      false,
    ])
  }
})
