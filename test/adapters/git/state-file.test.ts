/** Small files of Neo in a git dir: a torn or foreign one counts as missing, and none is ever half written. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  fileStamp,
  readRows,
  readState,
  writeRows,
  writeState,
} from '../../../src/adapters/git/state-file.ts'

const root = mkdtempSync(join(tmpdir(), 'neo-state-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const fresh = () => join(root, String(++count), 'neo', 'state.json')

function holding(text: string): string {
  const file = fresh()
  writeState(file, text)
  return file
}

test.each([
  ['nothing', ''],
  ['a torn object', '{"dir":"/ho'],
  ['words', 'hello'],
  ['zero bytes, as after a power cut', '\0\0\0\0'],
])('readState() of %s is null', (_, text) => {
  expect(readState(holding(text))).toBeNull()
})

test('readState() of a missing file, of a folder and below a file is null', () => {
  const file = holding('{}')
  mkdirSync(join(file, '..', 'folder'))
  expect([fresh(), join(file, '..', 'folder'), join(file, 'below')].map(readState)).toEqual([
    null,
    null,
    null,
  ])
})

test.each(['null', '{}', '{"length":2}', '"text"', '7', '[1', ''])('readRows() of %s has none', (text) => {
  expect(readRows(holding(text))).toEqual([])
})

test('writeRows() keeps rows for their owner alone, and removes the file with the last of them', () => {
  const file = fresh()
  writeRows(file, [{ a: 1 }, 'b'])
  expect(readRows(file)).toEqual([{ a: 1 }, 'b'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  writeRows(file, [])
  writeRows(file, [])
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test('writeState() replaces the file in one step, and leaves nothing beside it', () => {
  const file = holding('old')
  const before = statSync(file).ino
  writeState(file, 'new', 'flush')
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(statSync(file).ino).not.toBe(before)
  expect(readdirSync(join(file, '..'))).toEqual(['state.json'])
})

test('fileStamp() differs after a change that keeps size and time', () => {
  const file = holding('one')
  const { atime, mtime } = statSync(file)
  const before = fileStamp(file)
  expect(fileStamp(file)).toBe(before)
  writeFileSync(file, 'two')
  utimesSync(file, atime, mtime)
  expect(fileStamp(file)).not.toBe(before)
  rmSync(file)
  expect(fileStamp(file)).toBe('')
})
