/** Settings that cannot be read, or not yet, are never taken for none: what they said last holds, else the room waits. */
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { lookOnce } from '../../src/engine/look-once.ts'
import { type Home, makeHome, runbook, subjects, until } from './home.ts'
import { startModel } from './model.ts'

const ROOM = 'rooms/shop/ROOM.md'
const CHECKED = '---\nworker: shell\nverify: ["test ! -e made.txt"]\n---\n'
const OPEN = '---\nworker: shell\n---\n'

/** Runs, and fails its check where the room's settings hold. */
const MAKES = runbook(['touch made.txt'])

function settled(home: Home, path = ROOM): void {
  utimesSync(join(home.dir, path), 1_000_000, 1_000_000)
}

const SPOILT: Readonly<Record<string, (home: Home) => void>> = {
  'has a typo': (home) => home.write(ROOM, CHECKED.replace('worker:', 'worker: [')),
  'misspells a key that guards': (home) => home.write(ROOM, CHECKED.replace('verify:', 'verfy:')),
  'has conflict markers': (home) =>
    home.write(ROOM, `<<<<<<< HEAD\n${CHECKED}=======\n${OPEN}>>>>>>> other\n`),
  'is empty': (home) => home.write(ROOM, ''),
  'ends in the middle of its header': (home) => home.write(ROOM, '---\nworker: shell\n'),
  'is deleted but committed': (home) => rmSync(join(home.dir, ROOM)),
  'is a folder': (home) => {
    rmSync(join(home.dir, ROOM))
    mkdirSync(join(home.dir, ROOM))
  },
  'is a link': (home) => {
    rmSync(join(home.dir, ROOM))
    home.write('other.md', OPEN)
    symlinkSync('../../other.md', join(home.dir, ROOM))
  },
}

test.each(Object.entries(SPOILT))('a room whose file %s has its committed settings', async (_, spoil) => {
  const home = makeHome({ [ROOM]: CHECKED })
  spoil(home)
  if (home.has(ROOM)) settled(home)
  home.task('a', MAKES)
  await home.run()
  expect([home.status('a'), home.neo('a', 'error')]).toEqual(['failed', expect.stringContaining('made.txt')])
  const { snapshot } = await lookOnce(await composeWorld(home.dir), home.dir)
  expect(snapshot.problems.map(({ file }) => file)).toContain(ROOM)
})

test.each([
  ['is broken in HEAD too', (home: Home) => void home.git('commit', '-q', '-a', '-m', 'broken')],
  ['is new and broken', (home: Home) => void home.git('rm', '-q', '--cached', ROOM)],
])('a room whose file %s waits, and goes on when it is mended', async (_, prepare) => {
  const home = makeHome({ [ROOM]: CHECKED })
  home.write(ROOM, '---\nworker: [\n---\n')
  prepare(home)
  if (_ === 'is new and broken') home.git('commit', '-q', '-m', 'no room')
  home.task('a', MAKES)
  await home.run()
  expect(home.status('a')).toBe('pending')
  const { plan, snapshot } = await lookOnce(await composeWorld(home.dir), home.dir)
  expect(plan.waiting).toContainEqual({
    path: 'rooms/shop/tasks/a.md',
    on: 'rooms/shop/ROOM.md, which is unreadable or was deleted',
  })
  expect(snapshot.problems.map(({ file }) => file)).toContain(ROOM)
  home.write(ROOM, CHECKED)
  await home.run()
  expect(home.status('a')).toBe('failed')
})

test.each([
  ['by a person', (home: Home) => void home.git('commit', '-q', '-am', 'no room')],
  [
    'by a merge',
    (home: Home) => {
      home.git('checkout', '-q', '-b', 'side')
      home.git('commit', '-q', '-am', 'no room')
      home.git('checkout', '-q', 'main')
      home.git('merge', '-q', '--no-ff', 'side')
    },
  ],
])(
  'a room whose file was deleted and committed %s waits, with its file named, until it has one',
  async (_, commit) => {
    const home = makeHome({ [ROOM]: CHECKED, 'rooms/bare/tasks/b.md': runbook(['true'], ['worker: shell']) })
    rmSync(join(home.dir, ROOM))
    commit(home)
    home.task('a', MAKES)
    await home.run()
    expect([home.status('a'), home.read('rooms/bare/tasks/b.md')]).toEqual([
      'pending',
      expect.stringContaining('status: completed'),
    ])
    const { plan, snapshot } = await lookOnce(await composeWorld(home.dir), home.dir)
    expect(plan.waiting).toMatchObject([{ path: 'rooms/shop/tasks/a.md', on: expect.stringContaining(ROOM) }])
    expect(snapshot.problems).toMatchObject([{ file: ROOM, code: 'lost' }])
    home.write(ROOM, CHECKED)
    await home.run()
    expect(home.status('a')).toBe('failed')
  },
)

test('a room saved right before the start has its committed settings until it has settled', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 1h, rescan: 1s }\n', [ROOM]: CHECKED })
  home.task('a', MAKES)
  settled(home, 'rooms/shop/tasks/a.md')
  home.write(ROOM, OPEN)
  const { stop } = home.watch()
  await until(() => home.status('a') !== 'pending' && home.status('a') !== 'in_progress')
  await stop()
  expect(home.neo('a', 'error')).toContain('made.txt')
})

test('a room that is as committed needs no time to settle', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 1h, rescan: 1s }\n', [ROOM]: CHECKED })
  home.task('a', MAKES)
  settled(home, 'rooms/shop/tasks/a.md')
  home.write(ROOM, CHECKED)
  const { stop } = home.watch()
  await until(() => home.status('a') === 'failed')
  await stop()
})

test('a folder of a room that was moved away and back is known again', async () => {
  const home = makeHome({ [ROOM]: CHECKED })
  home.task('a', MAKES.replace('touch', 'true'))
  // Without hints: the rescan alone has to see it.
  const world = await composeWorld(home.dir)
  const deaf = { ...world, watcher: { watch: () => async () => {} } }
  const { stop } = home.watch({ world: deaf })
  // Not before the commit: what is written until then would make the folder anew.
  await until(() => subjects(home).some((subject) => subject.includes('complete a')))
  const folder = join(home.dir, 'rooms/shop')
  renameSync(folder, join(home.dir, 'away'))
  const isKnown = () => home.git('ls-tree', '-r', '--name-only', 'HEAD').includes('tasks/a.md')
  await until(() => !isKnown())
  renameSync(join(home.dir, 'away'), folder)
  home.task('b', MAKES)
  await until(() => home.status('b') === 'failed')
  await stop()
})

test('a neo.yaml that goes away while the daemon runs stays in force as it was', async () => {
  const model = await startModel(() => ({ calls: [{ name: 'finish_task', input: { result: 'done' } }] }))
  const home = makeHome({ 'neo.yaml': model.config, [ROOM]: '---\nworker: agent\nreview: none\n---\n' })
  const watching = home.watch()
  await watching.ready()
  rmSync(join(home.dir, 'neo.yaml'))
  home.task('a', 'Do it.\n')
  await until(() => home.status('a') === 'completed')
  await watching.stop()
})
