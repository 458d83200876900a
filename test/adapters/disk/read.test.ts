import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { faultyFs } from './faulty-fs.ts'
import { OLD, tempFolder } from './folder.ts'

const files = openFiles()

test('read() gives bytes and stat of a file', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  expect(files.read(path, 100)).toMatchObject({
    kind: 'file',
    bytes: Buffer.from(OLD),
    stat: { size: OLD.length },
  })
})

test('read() tells a missing file, and one below a file', () => {
  const dir = tempFolder()
  writeFileSync(join(dir, 'a.md'), OLD)
  expect(files.read(join(dir, 'b.md'), 100)).toEqual({ kind: 'missing' })
  expect(files.read(join(dir, 'a.md', 'b.md'), 100)).toEqual({ kind: 'missing' })
})

const ODD: readonly (readonly [string, RegExp, (path: string) => void])[] = [
  ['FIFO', /is a FIFO/, (path) => execFileSync('mkfifo', [path])],
  ['folder', /is a folder/, (path) => mkdirSync(path)],
  ['link to itself', /is a link/, (path) => symlinkSync(path, path)],
  ['link to nowhere', /is a link/, (path) => symlinkSync('nowhere', path)],
  ['link that leads out', /is a link/, (path) => symlinkSync('/etc/hostname', path)],
  [
    'larger file than allowed',
    /is too large, want at most 100 bytes/,
    (path) => writeFileSync(path, 'x'.repeat(101)),
  ],
  ['huge hollow file', /is too large/, hollow],
]

function hollow(path: string): void {
  writeFileSync(path, '')
  truncateSync(path, 2 ** 40)
}

test.each(ODD)('read() refuses a %s', (_name, why, make) => {
  const path = join(tempFolder(), 'a.md')
  make(path)
  expect(files.read(path, 100)).toEqual({ kind: 'refused', why: expect.stringMatching(why) })
})

test('read() refuses a socket', async () => {
  const path = join(tempFolder(), 'a.md')
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(path, resolve))
  expect(files.read(path, 100)).toEqual({ kind: 'refused', why: expect.stringMatching(/is a socket/) })
})

test('read() refuses a device without opening it', () => {
  const { fs, calls } = faultyFs(() => null)
  expect(openFiles({ fs }).read('/dev/zero', 100)).toMatchObject({ kind: 'refused' })
  expect(calls).not.toContain('openSync')
})

test('read() refuses a file that it may not open', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  const { fs } = faultyFs((_n, name) => (name === 'openSync' ? 'EACCES' : null))
  expect(openFiles({ fs }).read(path, 100)).toEqual({ kind: 'refused', why: 'may not be read by you' })
})

test('read() refuses a name with a NUL', () => {
  expect(files.read(join(tempFolder(), 'a\0b'), 100)).toMatchObject({ kind: 'refused' })
})

test('read() reads a file that grows meanwhile, up to the limit', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, 'x')
  let grown = false
  const { fs } = faultyFs((_n, name) => {
    if (name === 'readSync' && !grown) writeFileSync(path, 'x'.repeat(5_000))
    grown ||= name === 'readSync'
    return null
  })
  expect(openFiles({ fs }).read(path, 10_000)).toMatchObject({ kind: 'file', stat: { size: 1 } })
})

test('read() takes a file of exactly the limit', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, 'x'.repeat(100))
  expect(files.read(path, 100)).toMatchObject({ kind: 'file' })
})
