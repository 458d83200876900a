/** Two clones of one home, a daemon in each, in step over a real bare remote: no task runs twice, both come to rest. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fillHome, type Home, openHome, runbook, until } from './home.ts'

const CONFIG = 'daemon: { branch: main, node: first, settle: 0s, rescan: 1s, sync: 300ms }\n'
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

interface Clones {
  readonly root: string
  readonly one: Home
  readonly two: Home
}

function twoClones(files: Readonly<Record<string, string>> = { 'neo.yaml': CONFIG }): Clones {
  const root = mkdtempSync(join(tmpdir(), 'neo-hosts-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const bare = join(root, 'bare.git')
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare])
  mkdirSync(join(root, 'one'))
  const one = fillHome(join(root, 'one'), files)
  one.write('.env', 'NEO_NODE=first\n')
  one.git('remote', 'add', 'origin', bare)
  one.git('push', '-q', 'origin', 'main')
  execFileSync('git', ['clone', '-q', bare, join(root, 'two')])
  const two = openHome(join(root, 'two'))
  two.git('config', 'user.name', 'Second')
  two.git('config', 'user.email', 'second@localhost')
  two.write('.env', 'NEO_NODE=second\n')
  return { root, one, two }
}

test('two daemons share the tasks that people write at either: each runs once', async () => {
  const { root, one, two } = twoClones()
  const [first, second] = [one.watch(), two.watch()]
  await Promise.all([first.ready(), second.ready()])
  for (const [at, name] of NAMES.entries()) {
    const effect = `echo ${name} >> ${name}.txt; echo ${name} >> ${root}/ran`
    ;(at % 2 === 0 ? one : two).task(name, runbook([effect]))
  }
  const ended = (home: Home) => NAMES.every((name) => home.status(name) === 'completed')
  await until(() => ended(one) && ended(two), 60_000)
  const tips = () => [one.git('rev-parse', 'main'), two.git('rev-parse', 'main')]
  await until(() => tips()[0] === tips()[1], 20_000)
  const ran = execFileSync('sort', [join(root, 'ran')], { encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(ran).toEqual(NAMES)
  const troubles = [...first.events, ...second.events].filter(
    ({ kind }) => kind === 'trouble' || kind === 'fail',
  )
  expect(troubles).toEqual([])
  await Promise.all([first.stop(), second.stop()])
  expect([
    one.git('fsck', '--strict', '--no-dangling'),
    two.git('fsck', '--strict', '--no-dangling'),
  ]).toEqual(['', ''])
})

const FEW = NAMES.slice(0, 3)
const UNNAMED = 'daemon: { branch: main, settle: 0s, rescan: 1s, sync: 200ms }\n'

/** Rooms, tasks and a schedule without ids, each of which leaves one line in `ran`. */
function freshFiles(): Readonly<Record<string, string>> {
  const block = (name: string) => `\`\`\`sh\necho ${name} >> "$ROOT/ran"\n\`\`\`\n`
  const task = (name: string) => [`rooms/shop/tasks/${name}.md`, `# ${name}\n\n${block(name)}`] as const
  return {
    'neo.yaml': UNNAMED,
    'rooms/shop/ROOM.md': '---\nworker: shell\nenv: [ROOT]\n---\nBe brief.\n',
    ...Object.fromEntries(FEW.map(task)),
    'rooms/shop/schedules/once.md': `---\nat: 2020-01-01T09:00\n---\n# Once\n\n${block('once')}`,
  }
}

test('two daemons on a new home of which none is named: each task and each slot runs once', async () => {
  const { root, one, two } = twoClones(freshFiles())
  for (const home of [one, two]) home.write('.env', `ROOT=${root}\n`)
  const watching = [one.watch(), two.watch()]
  await Promise.all(watching.map((each) => each.ready()))
  const tasksOf = (home: Home) => home.git('ls-files', 'rooms/shop/tasks').split('\n').filter(isTask)
  const isDone = (home: Home) => {
    const tasks = tasksOf(home)
    return (
      tasks.length === FEW.length + 1 && tasks.every((path) => /^status: completed$/m.test(home.read(path)))
    )
  }
  const tips = () => [one.git('rev-parse', 'main'), two.git('rev-parse', 'main')]
  await until(() => isDone(one) && isDone(two) && tips()[0] === tips()[1], 60_000)
  const ran = readFileSync(join(root, 'ran'), 'utf8').trim().split('\n').toSorted()
  expect(ran).toEqual([...FEW, 'once'])
  const says = watching.flatMap(({ events }) => events)
  expect(says.filter(({ kind }) => kind === 'trouble' || kind === 'fail')).toEqual([])
  const places = says.filter(({ text }) => text.startsWith('work starts on')).map(({ text }) => text)
  expect(places.toSorted()).toEqual([
    'work starts on this host',
    expect.stringMatching(/^work starts on .+ \(another clone\) only$/),
  ])
  await Promise.all(watching.map((each) => each.stop()))
})

const isTask = (path: string) => path.endsWith('.md')
