/**
 * Without bubblewrap: files of a model that no commit holds. A request to run commands lists them, the yes is for their
 * bytes, and a yes for one round of work is none for the next.
 */
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { type Ground, makeGround } from './ground.ts'
import { type Row, write } from './rows.ts'
import { bareWorld, requests } from './unconfined.ts'

interface Case {
  readonly name: string
  readonly writes: Readonly<Record<string, string>>
  /** As the request lists it. */
  readonly shows: string
  readonly check: string
  /** What changes between the request and the yes. */
  readonly change: (ground: Ground, folder: string) => void
}

const put = (name: string) => (ground: Ground, folder: string) =>
  ground.put(join(folder, name), `id > ${ground.marker}\n`)

const CASES: readonly Case[] = [
  {
    name: 'a script in a folder that the person ignores',
    writes: { 'build/run.sh': 'true\n' },
    shows: 'workspace/files/build/run.sh',
    check: 'sh build/run.sh',
    change: put('build/run.sh'),
  },
  {
    name: 'a program among dependencies',
    writes: { 'node_modules/.bin/x': 'true\n' },
    shows: 'workspace/files/node_modules/.bin/x',
    check: 'sh node_modules/.bin/x',
    change: put('node_modules/.bin/x'),
  },
  {
    name: 'what the model itself has git ignore',
    writes: { '.gitignore': 'build\nmine.sh\n', 'mine.sh': 'true\n' },
    shows: 'workspace/files/mine.sh',
    check: 'sh mine.sh',
    change: put('mine.sh'),
  },
  {
    name: 'settings in an env file',
    writes: { '.env.local': 'A=1\n' },
    shows: 'workspace/files/.env.local',
    check: '. ./.env.local',
    change: put('.env.local'),
  },
  {
    name: 'a new file beside the ones that were shown',
    writes: { 'build/a.sh': 'true\n' },
    shows: 'workspace/files/build/a.sh',
    check: 'for f in build/*; do . ./$f; done',
    change: put('build/b.sh'),
  },
  {
    name: 'a file that becomes a link',
    writes: { 'build/run.sh': 'true\n' },
    shows: 'workspace/files/build/run.sh',
    check: 'sh build/run.sh',
    change: (ground, folder) => {
      put('../evil.sh')(ground, join(ground.outside, 'x'))
      rmSync(join(folder, 'build/run.sh'))
      symlinkSync(join(ground.outside, 'evil.sh'), join(folder, 'build/run.sh'))
    },
  },
]

test.each(CASES)('$name is listed, and asked about again if it changes before the yes', async (one) => {
  const ground = await groundOf(one.check, () => [
    Object.entries(one.writes).map(([name, text]) => write(name, text)),
  ])
  const { home, marker } = ground
  const watching = home.watch({ world: await bareWorld(ground) })
  await until(() => requests(ground).length === 1)
  const [path = ''] = requests(ground)
  expect(home.read(path)).toContain(JSON.stringify(one.shows))
  // What the person's setup left there is no news.
  expect(home.read(path)).not.toContain('theirs.sh')
  one.change(ground, join(worktreeOf(ground), 'workspace/files'))
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => requests(ground).length === 2)
  expect(existsSync(marker)).toBe(false)
  const second = requests(ground).find((other) => other !== path) ?? ''
  home.write(second, home.read(second).replace('decision: pending', 'decision: denied'))
  await until(() => ['review', 'completed'].includes(home.status('t') ?? ''))
  await watching.stop()
  expect([existsSync(marker), home.neo('t', 'verified')]).toEqual([false, undefined])
})

test('a yes for the files as they are runs them', async () => {
  const ground = await groundOf('sh build/run.sh', ({ marker }) => [
    [write('build/run.sh', `id > ${marker}\n`), write('a.txt', 'a\n')],
  ])
  const { home, marker } = ground
  const watching = home.watch({ world: await bareWorld(ground) })
  await until(() => requests(ground).length === 1)
  const [path = ''] = requests(ground)
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => home.status('t') === 'completed')
  await watching.stop()
  expect([existsSync(marker), requests(ground).length]).toEqual([true, 1])
})

test('a yes for one round of work is none for the cleanup of the next', async () => {
  const ground = await groundOf(
    'false',
    ({ marker }) => [
      [write('clean.sh', 'true\n')],
      [{ name: 'finish_task', input: { result: 'done' } }],
      [write('clean.sh', `id > ${marker}\n`)],
      ...Array.from({ length: 3 }, () => [{ name: 'no_such_tool', input: {} }]),
    ],
    ['cleanup: ["sh ./clean.sh"]'],
  )
  const { home, marker } = ground
  const watching = home.watch({ world: await bareWorld(ground) })
  await until(() => requests(ground).length === 1)
  const [path = ''] = requests(ground)
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => home.status('t') === 'failed')
  await watching.stop()
  expect(existsSync(marker)).toBe(false)
})

async function groundOf(check: string, turns: Row['turns'], room: readonly string[] = []): Promise<Ground> {
  return makeGround(
    {
      name: '',
      room: () => [
        'setup: ["mkdir -p build && echo true > build/theirs.sh"]',
        `verify: [${JSON.stringify(check)}]`,
        ...room,
      ],
      given: ({ home }) => {
        home.write('workspace/files/.gitignore', 'build\nnode_modules\n.env.local\n')
        home.git('add', 'workspace')
      },
      turns,
    },
    'with',
  )
}

function worktreeOf({ home }: Ground): string {
  const dir = join(home.dir, '.neo/worktrees')
  return join(dir, readdirSync(dir).find((name) => name.startsWith('s-')) ?? '')
}
