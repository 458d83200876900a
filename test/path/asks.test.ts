/** Tasks whose commands a model wrote: nothing of them runs before a person has said yes to just this. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, subjects } from './home.ts'

const BY_NEO = ['neo:', '  created_by: neo']

async function asked(files: Readonly<Record<string, string>> = {}): Promise<Home> {
  const home = makeHome(files)
  home.task('a', runbook(['echo ran >> ran.txt; test ! -e run.sh || sh run.sh'], BY_NEO))
  await home.run()
  return home
}

function asks(home: Home): string[] {
  return readdirSync(join(home.dir, 'rooms/shop/asks')).map((name) => `rooms/shop/asks/${name}`)
}

function decide(home: Home, decision: string): void {
  const open = asks(home).filter((path) => /^decision: pending$/m.test(home.read(path)))
  const path = open[0] ?? 'none'
  home.write(path, home.read(path).replace('decision: pending', `decision: ${decision}`))
}

test('run asks before it runs what a model wrote', async () => {
  const home = await asked()
  expect([home.status('a'), home.neo('a', 'blocked'), home.has('workspace/files/ran.txt')]).toEqual([
    'blocked',
    'ask',
    false,
  ])
  expect(asks(home)).toHaveLength(1)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('run says once that it asks', async () => {
  const home = makeHome()
  home.task('a', runbook(['true'], BY_NEO))
  const first = await home.run()
  const second = await home.run()
  const notices = [...first.events, ...second.events].filter(({ kind }) => kind === 'notice')
  expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('neo ask show a-')])
})

test('run starts the task when the ask is approved in its file', async () => {
  const home = await asked()
  decide(home, 'approved')
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt')]).toEqual(['completed', 'ran\n'])
  expect(home.git('log', '--format=%(trailers:key=Neo-Approved-By,valueonly)', '--grep=start a').trim()).toBe(
    'Person',
  )
  expect(home.read(asks(home)[0] ?? '')).toMatch(/^handled_at: /m)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('run fails the task when the ask is denied', async () => {
  const home = await asked()
  decide(home, 'denied')
  await home.run()
  expect([home.status('a'), home.neo('a', 'error')]).toEqual(['failed', 'denied by Person'])
  expect(home.has('workspace/files/ran.txt')).toBe(false)
})

test('run refuses an approval of another text and asks anew', async () => {
  const home = await asked()
  home.task('a', home.text('a').replace('echo ran', 'echo more'))
  decide(home, 'approved')
  await home.run()
  expect([home.status('a'), home.has('workspace/files/ran.txt')]).toEqual(['blocked', false])
  expect(asks(home)).toHaveLength(2)
  decide(home, 'approved')
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt')]).toEqual(['completed', 'more\n'])
})

test('run refuses an approval when a file that the steps call has changed', async () => {
  const home = await asked({ 'workspace/files/run.sh': 'echo one\n' })
  home.write('workspace/files/run.sh', 'echo two >> ran.txt\n')
  home.git('commit', '-q', '-a', '-m', 'change')
  decide(home, 'approved')
  await home.run()
  expect([home.status('a'), home.has('workspace/files/ran.txt'), asks(home).length]).toEqual([
    'blocked',
    false,
    2,
  ])
})

test('run takes no answer for a no when the time of an ask is over', async () => {
  const home = await asked()
  const path = asks(home)[0] ?? ''
  home.write(path, home.read(path).replace(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'))
  await home.run()
  expect([home.status('a'), home.neo('a', 'error')]).toEqual(['failed', 'not approved in time'])
})

test('run does not take an approval that comes too late', async () => {
  const home = await asked()
  const path = asks(home)[0] ?? ''
  home.write(path, home.read(path).replace(/expires_at: .*/, 'expires_at: 2020-01-01T00:00:00Z'))
  decide(home, 'approved')
  await home.run()
  expect([home.status('a'), home.has('workspace/files/ran.txt')]).toEqual(['failed', false])
})

test('run lets an approval stand for the same text only', async () => {
  const home = await asked()
  decide(home, 'approved')
  await home.run()
  home.task('a', home.text('a').replace('completed', 'pending').replace('echo ran', 'echo more'))
  await home.run()
  expect([home.status('a'), home.read('workspace/files/ran.txt'), asks(home).length]).toEqual([
    'blocked',
    'ran\n',
    2,
  ])
})

test('run does not let a task approve itself by losing its author', async () => {
  const home = await asked()
  home.task(
    'a',
    home
      .text('a')
      .replace(/^neo:\n( {2}.*\n)*/m, '')
      .replace('status: blocked', 'status: pending'),
  )
  await home.run()
  expect([home.status('a'), home.has('workspace/files/ran.txt')]).toEqual(['blocked', false])
})

test('run asks again when the ask was deleted', async () => {
  const home = await asked()
  home.git('rm', '-q', asks(home)[0] ?? '')
  home.git('commit', '-q', '-m', 'away')
  await home.run()
  expect([home.status('a'), asks(home).length]).toEqual(['blocked', 1])
  expect(subjects(home).at(-1)).toContain('request approval for a')
})

test.each<[string, (home: Home) => void]>([
  [
    'is done by hand',
    (home) => home.task('a', home.text('a').replace('status: blocked', 'status: completed')),
  ],
  ['is cancelled', (home) => home.task('a', home.text('a').replace('status: blocked', 'status: cancelled'))],
  [
    'is deleted',
    (home) => {
      home.git('rm', '-q', 'rooms/shop/tasks/a.md')
      home.git('commit', '-q', '-m', 'away')
    },
  ],
])('a request about a task that %s is closed, and nobody is named for it', async (_, end) => {
  const home = await asked()
  end(home)
  await home.run()
  const text = home.read(asks(home)[0] ?? '')
  expect(text).toMatch(/^handled_at: /m)
  expect(text).not.toMatch(/^decided_by: /m)
})

/** What somebody does to the words of a request before the yes; only the last two let the task run. */
const WORDS: Readonly<Record<string, (text: string) => string>> = {
  body: (text) => text.replace(/echo ran >> body/g, 'echo fine >> body'),
  reason: (text) => text.replace(/^reason: .*/m, 'reason: A harmless look'),
  title: (text) => text.replace(/title: [^,}]*/, 'title: A harmless look'),
  tool: (text) => text.replace('tool: run_task', 'tool: retry_task'),
  files: (text) => text.replace('files: []', 'files: [README.md]'),
  empty: (text) => text.replace(/(\n---\n)[\s\S]*$/, '$1'),
  pretty: (text) => text.replace(', or run', ',\nor run').replaceAll('```', '\n```').replace(/^\* /m, '- '),
  fine: (text) => `${text.replaceAll('\n', '\r\n')}\r\nLooks right to me.\r\n`,
}

test('a yes to a request whose words were edited runs nothing, with the hash that it had', async () => {
  const home = makeHome()
  for (const name of Object.keys(WORDS)) home.task(name, runbook([`echo ran >> ${name}.txt`], BY_NEO))
  await home.run()
  for (const path of asks(home)) {
    const text = home.read(path)
    const name = /tasks\/(\w+)\.md/.exec(text)?.[1] ?? ''
    const edited = WORDS[name]?.(text) ?? ''
    expect([name, edited === text]).toEqual([name, false])
    home.write(path, edited.replace('decision: pending', 'decision: approved'))
  }
  await home.run()
  const ran = Object.keys(WORDS).filter((name) => home.has(`workspace/files/${name}.txt`))
  expect(ran).toEqual(['pretty', 'fine'])
})
