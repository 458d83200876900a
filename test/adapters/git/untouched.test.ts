/** Worktrees without a change go without a process of git; whatever has changed in them is git's affair, as before. */
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bench, commitSession, gitIn, openBench, openSession, placeIn, put } from './repo.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench({
    '.gitignore': '.neo/\n*.log\n',
    'notes.md': 'n\n',
    'workspace/files/a.md': 'a\n',
    'workspace/files/deep/b.md': 'b\n',
  })
})
afterEach(() => bench.close())

const FOLDER = 'workspace/files'

async function session(): Promise<string> {
  return openSession(bench, placeIn(bench, FOLDER))
}

function stampOf(dir: string): unknown {
  const { ino, mtimeMs, ctimeMs } = statSync(
    join(gitIn(dir, 'rev-parse', '--absolute-git-dir').trim(), 'index'),
  )
  return { ino, mtimeMs, ctimeMs }
}

test('commitWorktree() finds no change where there is none, and leaves the index alone', async () => {
  const dir = await session()
  const before = stampOf(dir)
  const done = await commitSession(bench, { dir, place: placeIn(bench, FOLDER) })
  expect(done).toEqual({ kind: 'ok', commit: bench.person('rev-parse', 'main').trim(), changed: false })
  expect(stampOf(dir)).toEqual(before)
})

const CHANGES: readonly (readonly [string, (dir: string) => void, 'kept' | 'removed'])[] = [
  ['nothing', () => {}, 'removed'],
  ['other bytes of the same length', (dir) => put(dir, `${FOLDER}/a.md`, 'x\n'), 'kept'],
  ['a new file', (dir) => put(dir, `${FOLDER}/new.md`, 'x\n'), 'kept'],
  ['a new file beside the folder', (dir) => put(dir, 'new.md', 'x\n'), 'kept'],
  ['an ignored file', (dir) => put(dir, `${FOLDER}/x.log`, 'x\n'), 'removed'],
  ['another mode', (dir) => chmodSync(join(dir, FOLDER, 'a.md'), 0o755), 'kept'],
  ['a deleted file', (dir) => rmSync(join(dir, FOLDER, 'a.md')), 'kept'],
  [
    'a path taken out of the index',
    (dir) => void gitIn(dir, 'rm', '-q', '--cached', '--sparse', 'notes.md'),
    'kept',
  ],
  ['a repository of its own', (dir) => void gitIn(join(dir, FOLDER), 'init', '-q', 'own'), 'kept'],
]

test.each(CHANGES)('removeWorktree() of a worktree with %s does as git does', async (_, change, kind) => {
  const dir = await session()
  change(dir)
  const removed = await bench.git.removeWorktree(placeIn(bench, FOLDER), dir)
  expect(removed.kind).toBe(kind)
  expect(existsSync(dir)).toBe(kind === 'kept')
  const registered = bench.person('worktree', 'list', '--porcelain').match(/^worktree /gm)
  expect(registered).toHaveLength(kind === 'kept' ? 2 : 1)
  expect(readdirSync(dirname(dir)).filter((name) => name.endsWith('.gone'))).toEqual([])
})

test('removeWorktree() ends a removal that was cut off', async () => {
  const dir = await session()
  renameSync(dir, `${dir}.gone`)
  expect((await bench.git.removeWorktree(placeIn(bench, FOLDER), dir)).kind).toBe('removed')
  expect(readdirSync(dirname(dir))).toEqual([])
  expect(readFileSync(join(bench.home, FOLDER, 'a.md'), 'utf8')).toBe('a\n')
})
