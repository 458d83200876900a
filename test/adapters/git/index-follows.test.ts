/** The person's index follows our commits, also where somebody holds it, or a person's git changed it meanwhile. */
import { closeSync, existsSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { type Bench, commitTo, openBench, saying, until } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

const commit = (subject: string, changes: Record<string, string | null>) => commitTo(bench, subject, changes)

it('a held index.lock lets the commit through, and the refresh comes when it is free', async () => {
  bench = await openBench({ 'a.md': 'a' })
  const lock = join(bench.home, '.git', 'index.lock')
  writeFileSync(lock, '')
  bench.write('a.md', 'ours')
  bench.write('n.md', 'new')
  expect((await commit('ours', { 'a.md': 'middle', 'n.md': 'new' })).kind).toBe('committed')
  expect((await commit('ours again', { 'a.md': 'ours' })).kind).toBe('committed')
  expect(await bench.git.refresh()).toBe(2)
  expect(readFileSync(lock, 'utf8')).toBe('')
  rmSync(lock)
  expect(await bench.git.refresh()).toBe(0)
  expect(bench.status()).toBe('')
})

it('a commit that a person has reset away and pruned does not come into the index', async () => {
  bench = await openBench({ 'a.md': 'a\n' })
  const lock = join(bench.home, '.git', 'index.lock')
  writeFileSync(lock, '')
  expect((await bench.git.commit('main', saying('Neo', { 'a.md': 'b\n' }))).kind).toBe('committed')
  bench.person('update-ref', 'refs/heads/main', 'HEAD~1')
  bench.person('reflog', 'expire', '--expire=now', '--all')
  bench.person('prune', '--expire=now')
  rmSync(lock)
  expect(await bench.git.refresh()).toBe(0)
  expect([bench.status(), bench.person('fsck')]).toEqual(['', ''])
})

it('an index.lock that a living process has open is waited for', async () => {
  bench = await openBench({ 'a.md': 'a' })
  const lock = join(bench.home, '.git', 'index.lock')
  const opened = openSync(lock, 'w')
  bench.write('a.md', 'ours')
  const done = bench.git.commit('main', saying('ours', { 'a.md': 'ours' }))
  // Longer than the time for a lock of nobody.
  await sleep(1_500)
  expect(bench.person('log', '--format=%s')).toBe('first\n')
  closeSync(opened)
  rmSync(lock)
  expect((await done).kind).toBe('committed')
  expect(bench.status()).toBe('')
})

it.each([
  ['by the next commit', false],
  ['afterwards', true],
])('an index that a person brought to a commit of ours in between follows %s', async (_, isLate) => {
  bench = await openBench({ 'a.md': 'a' })
  const lock = join(bench.home, '.git', 'index.lock')
  writeFileSync(lock, '')
  bench.write('a.md', 'middle')
  await bench.git.commit('main', saying('ours', { 'a.md': 'middle' }))
  rmSync(lock)
  bench.person('read-tree', 'HEAD')
  if (isLate) writeFileSync(lock, '')
  bench.write('a.md', 'ours')
  await bench.git.commit('main', saying('ours again', { 'a.md': 'ours' }))
  if (isLate) rmSync(lock)
  expect(await bench.git.refresh()).toBe(0)
  expect(bench.status()).toBe('')
})

it('a refresh that waits outlives a commit that the branch does not take', async () => {
  bench = await openBench({ 'a.md': 'a' })
  const locks = ['index.lock', 'refs/heads/main.lock'].map((name) => join(bench.home, '.git', name))
  writeFileSync(locks[0] ?? '', '')
  bench.write('a.md', 'ours')
  expect((await commit('ours', { 'a.md': 'ours' })).kind).toBe('committed')
  writeFileSync(locks[1] ?? '', '')
  expect((await commit('never', { 'a.md': 'never' })).kind).toBe('busy')
  for (const lock of locks) rmSync(lock)
  expect(await bench.git.refresh()).toBe(0)
  expect(bench.status()).toBe('')
})

it.each(['HEAD.lock', 'refs/heads/main.lock', 'index.lock'])(
  'an old %s of nobody is moved away',
  async (name) => {
    bench = await openBench({ 'a.md': 'a' })
    const lock = join(bench.home, '.git', name)
    writeFileSync(lock, '')
    utimesSync(lock, 1_000_000, 1_000_000)
    bench.write('a.md', 'ours')
    expect((await commit('ours', { 'a.md': 'ours' })).kind).toBe('committed')
    // Where the index was locked, it follows the branch.
    await until(async () => (await bench.git.refresh()) === 0)
    expect([existsSync(lock), bench.status()]).toEqual([false, ''])
  },
)
