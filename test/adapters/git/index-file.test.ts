/** The index as we write it, beside the one that git itself writes for the same changes. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Edit, patchIndex, treeOf } from '../../../src/adapters/git/commit/index-file.ts'
import { cpuMs } from '../../wait.ts'

const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

function repository(): { dir: string; git: (args: readonly string[], input?: string) => string } {
  const dir = mkdtempSync(join(tmpdir(), 'neo-index-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: dir, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  git(['init', '-q', '-b', 'main'])
  git(['hash-object', '-w', '--stdin'])
  return { dir, git }
}

const leaf = (oid: string, mode = '100644') => ({ mode, oid })
const oidOf = (n: number) => createHash('sha1').update(String(n)).digest('hex')

function info(edits: readonly { path: string; now: Edit['now'] }[]): string {
  return edits
    .map(({ path, now }) => `${now === null ? `0 ${'0'.repeat(40)}` : `${now.mode} ${now.oid}`}\t${path}\0`)
    .join('')
}

const FEED = ['update-index', '-z', '--index-info']

function read(dir: string): Buffer {
  return readFileSync(join(dir, '.git', 'index'))
}

function write(dir: string, bytes: Buffer | null): void {
  if (bytes === null) throw new Error('The index was not written')
  writeFileSync(join(dir, '.git', 'index'), bytes)
}

const NAMES = fc.constantFrom('a', 'b', 'b-', 'b.md', 'c', 'é', '日本', 'x'.repeat(4095), 'y'.repeat(4200))
const PATH = fc
  .tuple(fc.constantFrom('', 'd/', 'd-/', 'd/e/', 'd0/'), NAMES)
  .map(([folder, name]) => `${folder}${name}${folder === '' ? '.f' : ''}`)
const LEAF = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('100644', '100755', '120000'))
const SET = fc.uniqueArray(fc.tuple(PATH, LEAF), { selector: ([path]) => path, maxLength: 14 })
const CHANGES = fc.uniqueArray(fc.tuple(PATH, fc.option(LEAF)), { selector: ([path]) => path, maxLength: 8 })

test('patchIndex() gives the entries that git update-index gives', () => {
  const { dir, git } = repository()
  fc.assert(
    fc.property(SET, CHANGES, (before, changes) => {
      rmSync(join(dir, '.git', 'index'), { force: true })
      const start = new Map(before.map(([path, [n, mode]]) => [path, leaf(oidOf(n), mode)]))
      git(FEED, info([...start].map(([path, now]) => ({ path, now }))))
      const present = before.length === 0 ? null : read(dir)
      const edits = changes.map(([path, now]) => ({
        path,
        old: start.get(path) ?? null,
        now: now === null ? null : leaf(oidOf(now[0]), now[1]),
      }))
      git(FEED, info(edits))
      const wanted = git(['ls-files', '-s', '-z'])
      write(dir, patchIndex(present, edits)?.bytes ?? null)
      expect(git(['ls-files', '-s', '-z'])).toBe(wanted)
    }),
    { numRuns: 60 },
  )
})

test('patchIndex() leaves staged, conflicting and intended paths, and what stands in the way', () => {
  const { dir, git } = repository()
  const staged = [
    { path: 'file', now: leaf(oidOf(1)) },
    { path: 'folder/in', now: leaf(oidOf(1)) },
    { path: 'staged', now: leaf(oidOf(2)) },
  ]
  git(FEED, info(staged))
  git(FEED, [1, 2, 3].map((stage) => `100644 ${oidOf(stage)} ${stage}\tconflict\0`).join(''))
  writeFileSync(join(dir, 'intended'), 'x')
  git(['add', '-N', 'intended'])
  const before = git(['ls-files', '-s'])
  const edits = [
    { path: 'staged', old: leaf(oidOf(1)), now: leaf(oidOf(3)) },
    { path: 'conflict', old: leaf(oidOf(1)), now: leaf(oidOf(3)) },
    { path: 'conflict', old: null, now: leaf(oidOf(3)) },
    { path: 'intended', old: leaf(EMPTY), now: leaf(oidOf(3)) },
    { path: 'file/below', old: null, now: leaf(oidOf(3)) },
    { path: 'folder', old: null, now: leaf(oidOf(3)) },
    { path: 'gone', old: leaf(oidOf(1)), now: null },
  ]
  write(dir, patchIndex(read(dir), edits)?.bytes ?? null)
  expect(git(['ls-files', '-s'])).toBe(before)
})

test('patchIndex() turns a file into a folder where both are its own', () => {
  const { dir, git } = repository()
  git(FEED, info([{ path: 'a', now: leaf(EMPTY) }]))
  const edits = [
    { path: 'a', old: leaf(EMPTY), now: null },
    { path: 'a/b', old: null, now: leaf(EMPTY) },
  ]
  write(dir, patchIndex(read(dir), edits)?.bytes ?? null)
  expect(git(['ls-files'])).toBe('a/b\n')
})

test('patchIndex() keeps the flags of an entry, and format 3', () => {
  const { dir, git } = repository()
  git(FEED, info(['a', 'b', 'c'].map((path) => ({ path, now: leaf(EMPTY) }))))
  git(['update-index', '--skip-worktree', 'b'])
  git(['update-index', '--assume-unchanged', 'c'])
  expect(read(dir).readUInt32BE(4)).toBe(3)
  const edits = ['a', 'b', 'c'].map((path) => ({ path, old: leaf(EMPTY), now: leaf(oidOf(1), '100755') }))
  write(dir, patchIndex(read(dir), edits)?.bytes ?? null)
  expect(git(['ls-files', '-v'])).toBe('H a\nS b\nh c\n')
  expect(git(['ls-files', '-s']).match(/100755/g)).toHaveLength(3)
})

test.each([
  ['format 4', ['update-index', '--index-version', '4']],
  ['a split index', ['update-index', '--split-index']],
])('patchIndex() leaves %s to git', (_, args) => {
  const { dir, git } = repository()
  git(FEED, info(['a', 'b'].map((path) => ({ path, now: leaf(EMPTY) }))))
  git(args)
  expect(patchIndex(read(dir), [{ path: 'a', old: leaf(EMPTY), now: null }])).toBe(null)
})

test('patchIndex() writes nothing over a broken index', () => {
  const { dir, git } = repository()
  git(FEED, info([{ path: 'a', now: leaf(EMPTY) }]))
  const bytes = read(dir)
  bytes[20] = 1
  expect(patchIndex(bytes, [])).toBe(null)
  expect(patchIndex(bytes.subarray(0, 40), [])).toBe(null)
})

test('treeOf() names the tree that git wrote the index from, until a path changes', () => {
  const { dir, git } = repository()
  git(FEED, info([{ path: 'a', now: leaf(EMPTY) }]))
  expect(treeOf(read(dir))).toBe(null)
  const tree = git(['write-tree']).trim()
  expect(treeOf(read(dir))).toBe(tree)
  write(
    dir,
    patchIndex(read(dir), [{ path: 'a', old: leaf(EMPTY), now: leaf(EMPTY, '100755') }])?.bytes ?? null,
  )
  expect(treeOf(read(dir))).toBe(null)
})

test('patchIndex() takes no longer than a moment for 100,000 entries', () => {
  const { dir, git } = repository()
  const paths = Array.from(
    { length: 100_000 },
    (_, n) => `rooms/room-${n % 10}/tasks/a-task-of-some-length-${n}.md`,
  )
  git(FEED, info(paths.map((path) => ({ path, now: leaf(EMPTY) }))))
  const bytes = read(dir)
  const edit = { path: paths[500] ?? '', old: leaf(EMPTY), now: leaf(oidOf(1)) }
  let patched: ReturnType<typeof patchIndex> | undefined
  const took = cpuMs(() => {
    patched = patchIndex(bytes, [edit])
  })
  expect(took).toBeLessThan(2_000)
  write(dir, patched?.bytes ?? null)
  expect(git(['ls-files', '-s', edit.path])).toContain(oidOf(1))
})
