/** Merges while a person changes branches: their work tree shows what HEAD has, whatever came first. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Bench, openBench, placeIn, saying, sessionBranch, until, words } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

const FIRST = { 'a.md': 'a\n', 'b.md': 'b\n', '.gitignore': '.neo/\n' }
const OURS = { 'a.md': 'ours\n', 'new/n.md': 'n\n' }

async function merge() {
  return bench.git.merge(placeIn(bench), 'neo/one', words)
}

/** What a checkout does last. */
function arrive(branch: string): void {
  bench.person('symbolic-ref', 'HEAD', `refs/heads/${branch}`)
}

const read = (path: string) => readFileSync(join(bench.home, path), 'utf8')

it('a checkout that began before the branch moved, and ended after, is brought to the merge', async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  bench.person('checkout', '-qb', 'side')
  expect((await merge()).kind).toBe('merged')
  arrive('main')
  await bench.git.refresh()
  expect([bench.status(), read('a.md'), read('new/n.md')]).toEqual(['', 'ours\n', 'n\n'])
})

it('merges that are there when HEAD is written again leave the index alone, and come to rest', async () => {
  bench = await openBench(FIRST)
  const stamp = () => statSync(join(bench.home, '.git/index'), { bigint: true }).ctimeNs
  await sessionBranch(bench, OURS)
  await sessionBranch(bench, { 'c.md': 'c\n' }, 'neo/two')
  for (const branch of ['neo/one', 'neo/two'])
    expect((await bench.git.merge(placeIn(bench), branch, words)).kind).toBe('merged')
  arrive('main')
  await bench.git.refresh()
  const before = stamp()
  await bench.git.refresh()
  expect([stamp(), bench.status()]).toEqual([before, ''])
})

it('a merge that a person has taken back and pruned is no trouble', async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  expect((await merge()).kind).toBe('merged')
  bench.person('reset', '-q', '--hard', 'HEAD~1')
  bench.person('branch', '-D', 'neo/one')
  bench.person('reflog', 'expire', '--expire=now', '--all')
  bench.person('gc', '-q', '--prune=now')
  arrive('main')
  await bench.git.refresh()
  expect([bench.status(), read('a.md')]).toEqual(['', 'a\n'])
})

it('what a person edits on arriving stays, and the merge is left to them', async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  bench.person('checkout', '-qb', 'side')
  expect((await merge()).kind).toBe('merged')
  bench.write('a.md', 'mine\n')
  arrive('main')
  await bench.git.refresh()
  expect([read('a.md'), existsSync(join(bench.home, 'new'))]).toEqual(['mine\n', false])
})

it('a checkout that was leaving while the branch moved takes nothing of the merge along', async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  bench.person('branch', 'side')
  expect((await merge()).kind).toBe('merged')
  arrive('side')
  await until(async () => (await bench.git.refresh()) === 0 && bench.status() === '')
  expect([bench.status(), read('a.md'), existsSync(join(bench.home, 'new/n.md'))]).toEqual(['', 'a\n', false])
  bench.person('checkout', '-q', 'main')
  expect([bench.status(), read('a.md')]).toEqual(['', 'ours\n'])
})

it('a person who undoes the merge by a commit of theirs is not corrected', async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  bench.person('checkout', '-qb', 'side')
  expect((await merge()).kind).toBe('merged')
  bench.person('checkout', '-q', 'main')
  bench.person('revert', '--no-edit', '-m', '1', 'HEAD')
  await bench.git.refresh()
  expect([bench.status(), read('a.md')]).toEqual(['', 'a\n'])
})

it("the home's own branch waits while HEAD is elsewhere", async () => {
  bench = await openBench(FIRST)
  await sessionBranch(bench, OURS)
  await bench.git.commit('main', saying('ours', { 'c.md': 'c' }))
  const main = bench.person('rev-parse', 'main')
  bench.person('checkout', '-qb', 'side')
  expect(await merge()).toEqual({
    kind: 'waits',
    why: 'merge waits: HEAD is on side; go back with git switch main',
  })
  bench.person('checkout', '-q', '--detach')
  expect(await merge()).toEqual({
    kind: 'waits',
    why: 'merge waits: HEAD is detached; go back with git switch main',
  })
  expect(bench.person('rev-parse', 'main')).toBe(main)
})
