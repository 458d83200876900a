/** What files said is kept from one start to the next: a start reads what has changed, and says the same as without. */
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import type { Snapshot } from '../../../src/domain/plan/snapshot.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { type Home, makeHome } from '../../path/home.ts'

const NAMES = Array.from({ length: 24 }, (_, index) => `t${index}`)
const pathOf = (name: string) => `rooms/shop/tasks/${name}.md`
const textOf = (name: string, body = 'Text.') =>
  `---\nstatus: completed\nneo:\n  id: t-${name.padStart(6, 'a')}\n---\n${body} "ü"\n`

/** Files that were written long before anybody looks. */
const LATER_MS = 60_000

/** One start: what it saw, and which tasks it read for that. */
async function start(home: Home, version = '1.0.0'): Promise<{ snapshot: Snapshot; read: string[] }> {
  const world = await composeWorld(home.dir)
  const read: string[] = []
  const files: typeof world.files = {
    ...world.files,
    read(path, maxBytes, kind) {
      if (path.includes('/tasks/')) read.push(basename(path, '.md'))
      return world.files.read(path, maxBytes, kind)
    },
  }
  const clock = { ...world.clock, now: () => Date.now() + LATER_MS }
  const context = await openHome({ home: home.dir, world: { ...world, files, clock }, settleMs: 0, version })
  const { snapshot } = await context.look.look('all')
  await context.look.keepReadings()
  await world.git.close()
  return { snapshot, read }
}

/** A home that was started before. */
async function started(): Promise<{ home: Home; first: Snapshot }> {
  const home = makeHome(Object.fromEntries(NAMES.map((name) => [pathOf(name), textOf(name)])))
  const { snapshot, read } = await start(home)
  expect(read.length).toBe(NAMES.length)
  return { home, first: snapshot }
}

const cacheOf = (home: Home) => join(home.dir, '.neo', 'cache', 'readings', 'shop.json')

test('a second start reads no task, and sees the same', async () => {
  const { home, first } = await started()
  const { snapshot, read } = await start(home)
  expect(read).toEqual([])
  expect(snapshot).toEqual(first)
})

test('a start reads what has changed since, and nothing else', async () => {
  const { home } = await started()
  writeFileSync(join(home.dir, pathOf('t3')), textOf('t3', 'More.'))
  const { snapshot, read } = await start(home)
  expect(read).toEqual(['t3'])
  expect(snapshot.tasks.get(pathOf('t3'))?.task.body).toContain('More.')
})

test('a file with the size and the times that it had is read again', async () => {
  const { home } = await started()
  const path = join(home.dir, pathOf('t3'))
  const { atime, mtime } = statSync(path)
  writeFileSync(path, textOf('t3', 'Post.'))
  utimesSync(path, atime, mtime)
  const { snapshot, read } = await start(home)
  expect(read).toEqual(['t3'])
  expect(snapshot.tasks.get(pathOf('t3'))?.task.body).toContain('Post.')
})

test('a file that is not as the branch has it is read again', async () => {
  const { home } = await started()
  home.git('rm', '-q', '--cached', pathOf('t3'))
  home.git('commit', '-q', '-m', 'forget')
  const { snapshot, read } = await start(home)
  expect(read).toEqual(['t3'])
  expect(snapshot.tasks.get(pathOf('t3'))?.gitStatus).toBe('new')
})

test('what is kept may be deleted, torn or of another program: the files are read', async () => {
  const { home, first } = await started()
  rmSync(join(home.dir, '.neo'), { recursive: true })
  expect((await start(home)).read.length).toBe(NAMES.length)
  expect((await start(home, '1.0.1')).read.length).toBe(NAMES.length)
  const kept = readFileSync(cacheOf(home))
  writeFileSync(cacheOf(home), Buffer.concat([kept.subarray(0, kept.length - 300), Buffer.alloc(200)]))
  const { snapshot, read } = await start(home, '1.0.1')
  expect(read.length).toBeGreaterThan(0)
  expect(read.length).toBeLessThan(NAMES.length)
  expect(snapshot).toEqual(first)
})

test('readings of a program with other header keys are not used', async () => {
  const { home, first } = await started()
  const [key = '', ...lines] = readFileSync(cacheOf(home), 'utf8').split('\n')
  const [format, version, shape, zone] = JSON.parse(key) as [number, string, string, string]
  expect(shape).toMatch(/^[\w-]{43}$/)
  writeFileSync(cacheOf(home), [JSON.stringify([format, version, 'other', zone]), ...lines].join('\n'))
  const { snapshot, read } = await start(home)
  expect(read.length).toBe(NAMES.length)
  expect(snapshot).toEqual(first)
})

test('a file that was read right after its change is not kept', async () => {
  const home = makeHome(Object.fromEntries(NAMES.map((name) => [pathOf(name), textOf(name)])))
  const world = await composeWorld(home.dir)
  // However long it takes until they are read.
  const written = statSync(join(home.dir, pathOf(NAMES[0] as string))).mtimeMs
  const clock = { ...world.clock, now: () => written }
  const context = await openHome({ home: home.dir, world: { ...world, clock }, settleMs: 0, version: '1' })
  await context.look.look('all')
  await context.look.keepReadings()
  await world.git.close()
  expect(readdirSync(home.dir)).not.toContain('.neo')
})
