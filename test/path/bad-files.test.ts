/** Files that are no tasks: each is named, left byte for byte as it is, and harms nobody else. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHome, runbook, until } from './home.ts'

const TASKS = 'rooms/shop/tasks'
const COUNTS = runbook(['echo x >> "$NEO_HOME/.git/ran"'])

/** Name, text, and where its notice says that the fault is. */
const BAD = [
  ['yaml', '---\ntitle: fix: the login\nstatus: pending\n---\nText.\n', '/yaml.md:2'],
  ['at-sign', '---\nlabels: [@person]\n---\nText.\n', '/at-sign.md:2'],
  ['open-quote', '---\ntitle: Fix\npriority: "high\n---\nText.\n', '/open-quote.md:'],
  ['conflict', '<<<<<<< HEAD\n# One\n=======\n# Two\n>>>>>>> other\n', '/conflict.md:1'],
  [
    'in-header',
    '---\n<<<<<<< HEAD\nstatus: pending\n=======\nstatus: draft\n>>>>>>> x\n---\n',
    '/in-header.md:2',
  ],
  ['code', '---js\nglobalThis.harmed = true\n---\nText.\n', '/code.md:1'],
  ['status', '---\nstatus: done\n---\nText.\n', '/status.md:2'],
  ['type', '---\ndepends_on: { a: 1 }\n---\nText.\n', '/type.md:2'],
  ['brackets', `---\n${'['.repeat(9000)}\n---\nText.\n`, '/brackets.md:2'],
  ['large-header', `---\ntitle: ${'x'.repeat(17_000)}\n---\nText.\n`, '/large-header.md'],
  ['nul', '---\ntitle: Fix\u0000\n---\nText.\n', '/nul.md:'],
] as const

test('run names each bad file with its line, leaves it alone, and runs the others', async () => {
  const home = makeHome()
  for (const [name, text] of BAD) home.task(name, text)
  const good = ['good', 'fine', 'well']
  for (const name of good) home.task(name, COUNTS)
  const ran = await home.run()
  const notices = ran.events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)
  const named = BAD.map(([, , where]) => notices.filter((text) => text.includes(where)).length)
  expect(named).toEqual(BAD.map(() => 1))
  expect(notices).toHaveLength(BAD.length)
  expect(BAD.map(([name]) => home.text(name))).toEqual(BAD.map(([, text]) => text))
  expect(home.git('ls-files', TASKS).split('\n')).toHaveLength(good.length)
  expect(good.map((name) => home.status(name))).toEqual(good.map(() => 'completed'))
  expect((globalThis as { harmed?: boolean }).harmed).toBeUndefined()
})

test('the warnings of a file are one notice, and hide no other file', async () => {
  const home = makeHome()
  home.task('many', '---\nworker: human\nfoo: 1\ntitel: x\nbar: 2\n---\nText.\n')
  home.task('one', '---\nworker: human\nzip: 1\n---\nText.\n')
  const { events } = await home.run()
  const notices = events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)
  const of = (name: string) => notices.filter((text) => text.includes(`/${name}.md`))
  expect(of('many')).toEqual([expect.stringContaining('2 more in this file: neo config check')])
  expect(of('one')).toHaveLength(1)
})

test('run waits in silence for files that somebody is still writing', async () => {
  const home = makeHome()
  const texts = { empty: '', fence: '---\ntitle: Fix\n', block: '# Fix\n\n```sh\necho one\n' }
  for (const [name, text] of Object.entries(texts)) home.task(name, text)
  home.task('good', COUNTS)
  const ran = await home.run()
  expect(ran.events.filter(({ kind }) => kind === 'notice')).toEqual([])
  expect(Object.keys(texts).map((name) => home.text(name))).toEqual(Object.values(texts))
  expect(home.status('good')).toBe('completed')
})

/** What lies there under the name of a task without being a file of text. */
const ODD: Readonly<Record<string, (path: string) => void>> = {
  fifo: (path) => void execFileSync('mkfifo', [path]),
  loop: (path) => symlinkSync(path, path),
  dangling: (path) => symlinkSync('/nowhere/at/all', path),
  outside: (path) => symlinkSync('/etc/hostname', path),
  large: (path) => writeFileSync(path, Buffer.alloc(50 * 1024 * 1024, 'a\n')),
  binary: (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1, 0x80, 0xc3])),
}

test('run goes round what is no text file and names it', async () => {
  const home = makeHome()
  mkdirSync(join(home.dir, TASKS), { recursive: true })
  for (const [name, make] of Object.entries(ODD)) make(join(home.dir, TASKS, `${name}.md`))
  home.task('good', COUNTS)
  const ran = await home.run()
  const notices = ran.events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)
  const unnamed = Object.keys(ODD).filter((name) => !notices.some((text) => text.includes(`/${name}.md`)))
  expect([unnamed, notices.length]).toEqual([[], Object.keys(ODD).length])
  expect([home.status('good'), home.git('ls-files', TASKS)]).toEqual(['completed', `${TASKS}/good.md`])
})

test('a folder that is named like a task is named, and tasks in it are taken', async () => {
  const home = makeHome()
  home.task('x.md/inner', COUNTS)
  const { events } = await home.run()
  expect(home.status('x.md/inner')).toBe('completed')
  expect(events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)).toEqual([
    expect.stringContaining('rooms/shop/tasks/x.md: is a folder, want a file'),
  ])
})

const NAMES = [
  'two\nlines',
  'a "quoted" name',
  'tab\there',
  '-dash',
  ':(glob)*',
  'ünï',
  '日本'.repeat(30),
  '$(x)',
]

test('run takes tasks of any name', async () => {
  const home = makeHome()
  for (const [index, name] of NAMES.entries()) home.task(name, runbook([`echo x > out-${index}.txt`]))
  await home.run()
  expect(NAMES.filter((name) => home.status(name) !== 'completed')).toEqual([])
  expect(NAMES.filter((_, index) => !home.has(`workspace/files/out-${index}.txt`))).toEqual([])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('watch shows a bad file, keeps running the others, and takes it when it is mended', async () => {
  const home = makeHome()
  const daemon = home.watch()
  home.task('bad', `---\ntitle: [\n---\n${COUNTS}`)
  await until(() => daemon.events.some(({ kind, text }) => kind === 'notice' && text.includes('bad.md')))
  home.task('good', COUNTS)
  await until(() => home.status('good') === 'completed')
  home.task('bad', COUNTS)
  await until(() => home.status('bad') === 'completed')
  await daemon.stop()
})

test('watch keeps a running task going while its file is broken', async () => {
  const home = makeHome()
  const daemon = home.watch()
  home.task('a', runbook(['while ! test -e "$NEO_HOME/.git/go"; do sleep 0.02; done']))
  await until(() => home.status('a') === 'in_progress')
  const text = home.text('a')
  home.task('a', text.replace('status: in_progress', 'status: [in_progress'))
  await until(() => daemon.events.some(({ kind }) => kind === 'notice'))
  home.write('.git/go', '')
  home.task('a', text)
  await until(() => home.status('a') === 'completed')
  await daemon.stop()
  expect(home.neo('a', 'attempt')).toBe('1')
})

test('run counts 30 broken files among 300 and takes the rest', async () => {
  const home = makeHome()
  const text = (index: number) => (index % 10 === 0 ? '---\ntitle: a: b\n---\n' : '---\nstatus: draft\n---\n')
  for (let index = 0; index < 300; index++) home.task(`t${index}`, text(index))
  const ran = await home.run()
  expect(ran.events.filter(({ kind }) => kind === 'notice')).toHaveLength(30)
  expect(home.git('ls-files', TASKS).split('\n')).toHaveLength(270)
})

test('run leaves a bad file as it was, to the byte and the time', async () => {
  const home = makeHome()
  const path = join(home.dir, TASKS, 'bad.md')
  home.write(`${TASKS}/bad.md`, Buffer.from('\ufeff---\r\nstatus: [\r\n---\r\n\tText  \r\n'))
  const before = [readFileSync(path), statSync(path).mtimeMs]
  await home.run()
  expect([readFileSync(path), statSync(path).mtimeMs]).toEqual(before)
})
