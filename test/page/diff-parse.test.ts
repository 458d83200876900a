/** The parser of diffs, held against what git really writes. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type DiffFile, pairRows, parseDiff } from '../../page/parts/diff/diff-parse.ts'
import { beginRepository } from '../repository.ts'

function repository(files: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), 'neo-diff-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'src'))
  const write = (name: string, text: string | Buffer) => writeFileSync(join(dir, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  beginRepository(dir, { name: 'Person', email: 'person@localhost', message: 'begin' })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' })
  return {
    write,
    path: (name: string) => join(dir, name),
    diff(): readonly DiffFile[] {
      git('add', '-A')
      return parseDiff(git('diff', '--cached', '-M', '--no-color'))
    },
  }
}

const ROWS = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

test('parseDiff() numbers rows, counts them and names the section', () => {
  const { write, diff } = repository({ 'a.txt': `${ROWS.join('\n')}\n` })
  write('a.txt', `${ROWS.with(4, 'five').toSpliced(20, 1, 'x', 'y').join('\n')}`)
  const [file] = diff()
  expect(file).toMatchObject({ path: 'a.txt', change: 'modified', added: 4, removed: 3 })
  expect(file?.hunks).toHaveLength(3)
  expect(file?.hunks[0]?.rows.slice(3, 6)).toMatchObject([
    { kind: 'del', old: 5, new: null, text: 'line 5' },
    { kind: 'add', old: null, new: 5, text: 'five' },
    { kind: 'same', old: 6, new: 6, text: 'line 6' },
  ])
  expect(file?.hunks.at(-1)?.rows.at(-1)).toMatchObject({ text: 'line 30', hasNoEnd: true })
})

test('parseDiff() reads names with spaces, quotes and letters beyond ASCII', () => {
  const { write, diff } = repository({ 'with space.txt': 'a\n', 'umläut "q".txt': 'a\n' })
  for (const name of ['with space.txt', 'umläut "q".txt', 'new\ttab.txt']) write(name, 'b\n')
  expect(diff().map(({ path, change }) => [path, change])).toEqual([
    ['new\ttab.txt', 'added'],
    ['umläut "q".txt', 'modified'],
    ['with space.txt', 'modified'],
  ])
})

test('parseDiff() tells of renames, modes, binary, empty and deleted files', () => {
  const { write, path, diff } = repository({
    'old.txt': ROWS.join('\n'),
    'run.sh': 'true\n',
    'gone.txt': 'x\n',
  })
  renameSync(path('old.txt'), path('src/new.txt'))
  chmodSync(path('run.sh'), 0o755)
  rmSync(path('gone.txt'))
  write('bin.dat', Buffer.from([0, 1, 2, 0]))
  write('empty file.txt', '')
  expect(
    Object.fromEntries(
      diff().map(({ path: name, ...file }) => [name, [file.change, file.from, file.isBinary, file.note]]),
    ),
  ).toEqual({
    'bin.dat': ['added', null, true, ''],
    'empty file.txt': ['added', null, false, ''],
    'gone.txt': ['deleted', null, false, ''],
    'run.sh': ['modified', null, false, 'mode 100644 → 100755'],
    'src/new.txt': ['renamed', 'old.txt', false, ''],
  })
})

test('parseDiff() takes lines that look like headers as text', () => {
  const { write, diff } = repository({ 'a.sql': '-- one\n' })
  write('a.sql', '++ two\n@@ -1 +1 @@\n')
  expect(diff()[0]?.hunks[0]?.rows.map(({ kind, text }) => [kind, text])).toEqual([
    ['del', '-- one'],
    ['add', '++ two'],
    ['add', '@@ -1 +1 @@'],
  ])
})

test('parseDiff() gives what is there of a diff that was cut, and nothing of other text', () => {
  const { write, diff } = repository({ 'a.txt': 'a\n' })
  write('a.txt', 'b\n')
  expect(diff()).toHaveLength(1)
  expect(parseDiff('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b')).toMatchObject([
    { path: 'x', added: 1, removed: 1 },
  ])
  expect(parseDiff('')).toEqual([])
  expect(parseDiff('no diff')).toEqual([])
})

test('pairRows() puts what was removed beside what replaces it', () => {
  const [file] = parseDiff('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,4 +1,3 @@\n a\n-b\n-c\n+d\n e\n+f\n')
  const pairs = pairRows(file?.hunks[0]?.rows ?? [])
  expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ['a', 'a'],
    ['b', 'd'],
    ['c', undefined],
    ['e', 'e'],
    [undefined, 'f'],
  ])
})
