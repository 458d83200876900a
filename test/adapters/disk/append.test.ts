import fs, { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { tempFolder } from './folder.ts'

const files = openFiles()

test('append() makes file and folder private', () => {
  const path = join(tempFolder(), 'neo', 'log.jsonl')
  files.append(path, '{"n":1}')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
})

test('append() adds to a file that another process makes at the same moment', () => {
  const path = join(tempFolder(), 'log.jsonl')
  let calls = 0
  const openSync: typeof fs.openSync = (...args) => {
    const there = ++calls > 1
    try {
      return fs.openSync(...args)
    } finally {
      if (!there) writeFileSync(path, '{"n":1}\n')
    }
  }
  openFiles({ fs: { ...fs, openSync } }).append(path, '{"n":2}')
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n')
})

test('append() takes a line with and without its line end', () => {
  const path = join(tempFolder(), 'log.jsonl')
  files.append(path, '{"n":1}')
  files.append(path, '{"n":2}\n')
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n')
})

test('append() refuses two lines at once', () => {
  const path = join(tempFolder(), 'log.jsonl')
  expect(() => files.append(path, '1\n2')).toThrow(/has more than one line/)
})

test('append() cuts a torn last line off and sets it aside', () => {
  const path = join(tempFolder(), 'log.jsonl')
  writeFileSync(path, '{"n":1}\n{"n":2,"te')
  files.append(path, '{"n":3}')
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":3}\n')
  expect(readFileSync(`${path}.torn`, 'utf8')).toBe('{"n":2,"te\n')
})

test('append() keeps a last line that only lacks its line end', () => {
  const path = join(tempFolder(), 'log.jsonl')
  writeFileSync(path, '{"n":1}\n{"n":2}')
  files.append(path, '{"n":3}')
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n')
})

test('append() repairs a file that is one torn line, larger than a piece', () => {
  const path = join(tempFolder(), 'log.jsonl')
  writeFileSync(path, `{"n":"${'x'.repeat(200_000)}`)
  files.append(path, '{"n":3}')
  expect(readFileSync(path, 'utf8')).toBe('{"n":3}\n')
})

test('append() repairs a last line of any length, wherever a kill cut it', () => {
  const path = join(tempFolder(), 'log.jsonl')
  const long = Buffer.from(`{"n":1}\n{"n":2,"t":"${'漢'.repeat(800_000)}"}`)
  for (const cut of [8, 9, 1_048_585, 2_000_000, long.length - 1, long.length]) {
    writeFileSync(path, long.subarray(0, cut))
    files.append(path, '{"n":3}')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n)
    expect(numbers).toEqual(cut === long.length ? [1, 2, 3] : [1, 3])
  }
})

test('append() cuts zeros off that a power cut left', () => {
  const path = join(tempFolder(), 'log.jsonl')
  writeFileSync(path, `{"n":1}\n${'\0'.repeat(5_000)}`)
  files.append(path, '{"n":2}')
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n')
})

test('append() leaves only whole lines when the file was cut at any byte', () => {
  const path = join(tempFolder(), 'log.jsonl')
  const whole = ['{"n":1,"t":"ä"}', '{"n":2,"t":"漢字 🚀"}', '{"n":3}'].map((line) => `${line}\n`).join('')
  const all = Buffer.from(whole)
  fc.assert(
    fc.property(fc.nat(all.length), (cut) => {
      writeFileSync(path, all.subarray(0, cut))
      files.append(path, '{"n":4}')
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n)
      expect(numbers).toEqual([1, 2, 3].slice(0, numbers.length - 1).concat(4))
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['folder', (path: string) => mkdirSync(path)],
  ['link', (path: string) => symlinkSync('nowhere', path)],
])('append() throws with the path when a %s stands there', (_name, make) => {
  const path = join(tempFolder(), 'log.jsonl')
  make(path)
  expect(() => files.append(path, '{}')).toThrow(/Cannot append to ".*log.jsonl"/)
})
