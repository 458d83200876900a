import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { tempName } from '../../../src/adapters/disk/replace-file.ts'
import { faultyFs } from './faulty-fs.ts'
import { tempFolder } from './folder.ts'

const files = openFiles()
const everything = () => true

test('scan() gives all files with their stat', () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'rooms', 'x'), { recursive: true })
  writeFileSync(join(dir, 'neo.yaml'), 'a')
  writeFileSync(join(dir, 'rooms', 'x', 'ROOM.md'), 'bb')
  const found = files.scan(dir, everything).map(({ path, kind, size }) => ({ path, kind, size }))
  expect(found).toEqual([
    { path: 'neo.yaml', kind: 'file', size: 1 },
    { path: 'rooms/x/ROOM.md', kind: 'file', size: 2 },
  ])
})

test('scan() asks for folders and files and leaves out what is not wanted', () => {
  const dir = tempFolder()
  for (const name of ['a', 'b']) mkdirSync(join(dir, name))
  for (const path of ['a/x.md', 'a/y.txt', 'b/x.md']) writeFileSync(join(dir, path), '')
  const wanted = (path: string, kind: string) => (kind === 'folder' ? path === 'a' : path.endsWith('.md'))
  expect(files.scan(dir, wanted).map(({ path }) => path)).toEqual(['a/x.md'])
})

test('scan() reports links and other things and follows none', () => {
  const dir = tempFolder()
  symlinkSync(dir, join(dir, 'loop'))
  execFileSync('mkfifo', [join(dir, 'pipe')])
  expect(files.scan(dir, everything).map(({ path, kind }) => [path, kind])).toEqual([
    ['loop', 'link'],
    ['pipe', 'other'],
  ])
})

test('scan() gives names with line ends, and those that are not UTF-8 as other', () => {
  const dir = tempFolder()
  writeFileSync(join(dir, 'a\nb.md'), '')
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/x`), Buffer.from([0xff]), Buffer.from('.md')]), '')
  const found = files.scan(dir, everything).map(({ path, kind }) => [path, kind])
  expect(found).toEqual([
    ['a\nb.md', 'file'],
    ['x\uFFFD.md', 'other'],
  ])
})

test('scan() reports a folder that may not be listed', () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'closed'))
  const { fs } = faultyFs((n, name) => (name === 'readdirSync' && n > 1 ? 'EACCES' : null))
  const found = openFiles({ fs }).scan(dir, everything)
  expect(found).toMatchObject([{ path: 'closed', kind: 'other' }])
})

test('scan() leaves our temp files out', () => {
  const dir = tempFolder()
  writeFileSync(join(dir, tempName('a.md')), '')
  expect(files.scan(dir, everything)).toEqual([])
})

test('scan() is empty when the root is missing', () => {
  expect(files.scan(join(tempFolder(), 'rooms'), everything)).toEqual([])
})

test('scan() takes at most 200 ms for 10,000 files', () => {
  const dir = tempFolder()
  for (let room = 0; room < 20; room += 1) {
    mkdirSync(join(dir, `r${room}`))
    for (let file = 0; file < 500; file += 1) writeFileSync(join(dir, `r${room}`, `t${file}.md`), '')
  }
  const times = [1, 2, 3].map(() => {
    // Time of the processor: other programs of this machine do not count.
    const start = process.cpuUsage()
    expect(files.scan(dir, everything)).toHaveLength(10_000)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  })
  expect(Math.min(...times)).toBeLessThan(200)
})
