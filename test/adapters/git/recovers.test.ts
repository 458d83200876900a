/** Notes of Neo in the git dir that a power cut has torn: the home opens, and its commits and merges continue. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openGit } from '../../../src/adapters/git/git.ts'
import { type Bench, openBench, placeIn, saying, sessionBranch, words } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

it.each(['', '{"dir":"/ho', 'null', '[]', '{}'])(
  'a home whose notes are %j commits and merges',
  async (torn) => {
    bench = await openBench({ 'a.md': 'a\n', '.gitignore': '.neo/\n' })
    await sessionBranch(bench, { 'b.md': 'b\n' })
    const notes = join(bench.home, '.git', 'neo')
    for (const name of ['landed.json', 'refresh.json', 'dropped.json', 'filters.json'])
      writeFileSync(join(notes, name), torn)
    const git = await openGit(bench.home)
    try {
      expect((await git.commit('main', saying('ours', { 'a.md': 'b\n' }))).kind).toBe('committed')
      expect((await git.merge(placeIn(bench), 'neo/one', words)).kind).toBe('merged')
      await git.maintain()
      expect(readFileSync(join(bench.home, 'b.md'), 'utf8')).toBe('b\n')
    } finally {
      await git.close()
    }
  },
)

it.each(['', '{"dir":"/ho', 'null'])(
  'a mark of a merge that is %j is taken away: nothing had begun',
  async (torn) => {
    bench = await openBench({ 'a.md': 'a\n' })
    bench.write('a.md', 'mine\n')
    const mark = join(bench.home, '.git', 'neo', 'merge.json')
    writeFileSync(mark, torn)
    await bench.git.mend()
    expect([existsSync(mark), readFileSync(join(bench.home, 'a.md'), 'utf8')]).toEqual([false, 'mine\n'])
  },
)

it('a mark of a merge whose commit git has pruned is taken away', async () => {
  bench = await openBench({ 'a.md': 'a\n' })
  const [old, now] = [bench.person('rev-parse', 'HEAD').trim(), 'f'.repeat(40)]
  const mark = join(bench.home, '.git', 'neo', 'merge.json')
  writeFileSync(mark, JSON.stringify({ dir: bench.home, ref: 'refs/heads/main', old, now }))
  await bench.git.mend()
  expect([existsSync(mark), bench.status()]).toEqual([false, ''])
})

it('a mark of a merge whose work tree is gone is taken away', async () => {
  bench = await openBench({ 'a.md': 'a\n' })
  const commit = bench.person('rev-parse', 'HEAD').trim()
  const mark = join(bench.home, '.git', 'neo', 'merge.json')
  const dir = join(bench.root, 'gone')
  writeFileSync(mark, JSON.stringify({ dir, ref: 'refs/heads/main', old: commit, now: commit }))
  await bench.git.mend()
  expect(existsSync(mark)).toBe(false)
})
