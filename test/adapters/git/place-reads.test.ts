/** Commits of a place's base, and what they changed, on real git. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Bench, openBench, placeIn, sessionBranch, words } from './repo.ts'

let bench: Bench
afterEach(() => bench.close())

test('history() has the commits of the base by their trailers, also if another branch is checked out', async () => {
  bench = await openBench({ 'a.md': 'a\n' })
  await sessionBranch(bench, { 'a.md': 'ours\n' })
  const merged = await bench.git.merge(placeIn(bench), 'neo/one', words)
  bench.person('checkout', '-qb', 'other', 'main^1')
  const found = await bench.git.history(placeIn(bench), { grep: '^Neo-Session: s-1$', limit: 10 })
  expect(found[0]?.commit).toBe(merged.kind === 'merged' ? merged.commit : '')
  expect(await bench.git.history(placeIn(bench), { grep: '^Neo-Session: s-9$', limit: 10 })).toEqual([])
})

test('commitDiff() shows what a merge brought to the base, of some paths only if they are named', async () => {
  bench = await openBench({ 'a.md': 'a\n', 'b.md': 'b\n' })
  await sessionBranch(bench, { 'a.md': 'ours\n', 'new.md': 'new\n' })
  await bench.git.merge(placeIn(bench), 'neo/one', words)
  const commit = bench.person('rev-parse', 'main').trim()
  const whole = await bench.git.commitDiff(placeIn(bench), commit, [])
  const part = await bench.git.commitDiff(placeIn(bench), commit, ['new.md'])
  expect([whole.includes('+ours'), whole.includes('+new'), part.includes('+ours')]).toEqual([
    true,
    true,
    false,
  ])
})

test('commitDiff() shows the first commit whole, and no signature', async () => {
  bench = await openBench({ 'a.md': 'a\n' })
  const commit = bench.person('rev-parse', 'main').trim()
  expect(await bench.git.commitDiff(placeIn(bench), commit, [])).toMatch(/^diff --git[\s\S]*\+a$/)
})

test('history() is read once for a tip, and again when the base or the question is another', async () => {
  bench = await openBench({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const place = placeIn(bench)
  const subjects = async (paths: readonly string[] = []) =>
    (await bench.git.history(place, { limit: 10, paths })).map(({ subject }) => subject)
  const before = await subjects()
  const first = await bench.git.history(place, { limit: 10 })
  expect(await bench.git.history(place, { limit: 10 })).toBe(first)
  bench.person('commit', '-q', '--allow-empty', '-m', 'newer')
  expect([await subjects(), await subjects(['a.md'])]).toEqual([['newer', ...before], before])
})

test('entryAt() tells files, folders, links and nothing of the base apart', async () => {
  bench = await openBench({ 'a.md': 'a\n', 'docs/sub/b.md': 'b\n' })
  symlinkSync('a.md', join(bench.home, 'link'))
  bench.person('add', 'link')
  bench.person('commit', '-qm', 'link')
  const place = placeIn(bench)
  const kinds = ['a.md', 'docs', 'docs/sub', 'docs/sub/b.md', 'link', 'none', 'a.md/b', 'docs/none'].map(
    async (path) => (await bench.git.entryAt(place, path))?.kind ?? null,
  )
  const expected = ['file', 'folder', 'folder', 'file', 'other', null, null, null]
  expect(await Promise.all(kinds)).toEqual(expected)
  expect(await bench.git.entryAt({ ...place, folder: 'docs' }, 'sub/b.md')).toMatchObject({ kind: 'file' })
})
