import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { isTemp, tempName } from '../../../src/adapters/disk/replace-file.ts'
import { tempFolder } from './folder.ts'

const files = openFiles()

test('writeJson() is private and readJson() gives the value again', () => {
  const path = join(tempFolder(), 'neo', 'sessions', 'record.json')
  files.writeJson(path, { v: 1, text: 'ä' })
  files.writeJson(path, { v: 2 })
  expect(files.readJson(path)).toEqual({ v: 2 })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
})

test('readJson() gives null when the file is missing or no JSON', () => {
  const path = join(tempFolder(), 'a.json')
  expect(files.readJson(path)).toBeNull()
  writeFileSync(path, '{"v":')
  expect(files.readJson(path)).toBeNull()
})

test('readJson() throws when the file is there and cannot be read', () => {
  const dir = tempFolder()
  expect(() => files.readJson(dir)).toThrow(/is a folder/)
})

test('names() gives the names in a folder, and none where it is missing', () => {
  const dir = tempFolder()
  writeFileSync(join(dir, 'a'), '')
  writeFileSync(join(dir, tempName('a')), '')
  expect(files.names(dir)).toEqual(['a'])
  expect(files.names(join(dir, 'b'))).toEqual([])
})

test('removeTree() removes a folder of ours, not what a link in it leads to', () => {
  const dir = tempFolder()
  const ours = join(dir, '.neo', 'cache', 'x')
  mkdirSync(ours, { recursive: true })
  writeFileSync(join(dir, 'theirs'), '')
  symlinkSync(dir, join(ours, 'link'))
  files.removeTree(ours)
  expect([existsSync(ours), existsSync(join(dir, 'theirs'))]).toEqual([false, true])
})

test('removeTree() refuses a folder that is not ours', () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'rooms', 'neo'), { recursive: true })
  for (const path of ['rooms', 'rooms/neo', '.neo/../rooms']) {
    expect(() => files.removeTree(join(dir, path)), path).toThrow(/not inside one of Neo's folders/)
  }
})

test('removeTree() refuses a worktree', () => {
  const dir = join(tempFolder(), '.neo', 'worktrees', 's-1')
  execFileSync('git', ['init', '-q', dir])
  expect(() => files.removeTree(dir)).toThrow(/which git removes/)
})

test('sweep() removes temp files of dead processes and of this one, and nothing else', () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'rooms', 'x'), { recursive: true })
  const dead = `.a.md.neo-${(4_194_305).toString(36)}-abc.tmp`
  const alive = `.a.md.neo-${process.ppid.toString(36)}-abc.tmp`
  for (const name of [dead, alive, tempName('b.md'), 'a.md', '.a.md.tmp', 'x.neo-1-2.tmp']) {
    writeFileSync(join(dir, 'rooms', 'x', name), '')
  }
  expect(files.sweep(dir)).toBe(2)
  expect(readdirSync(join(dir, 'rooms', 'x')).sort()).toEqual(
    [alive, '.a.md.tmp', 'a.md', 'x.neo-1-2.tmp'].sort(),
  )
})

test('sweep() removes an old temp file whoever has its number now', () => {
  const dir = tempFolder()
  const path = join(dir, `.a.md.neo-${process.ppid.toString(36)}-abc.tmp`)
  writeFileSync(path, '')
  utimesSync(path, 1, 1)
  expect(files.sweep(dir)).toBe(1)
})

test('tempName() is a temp name of at most 255 bytes for every name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (name) => {
      const temp = tempName(name)
      expect(isTemp(temp)).toBe(true)
      expect(Buffer.byteLength(temp)).toBeLessThanOrEqual(255)
    }),
    { numRuns: 200 },
  )
})
