import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import type { DiskFs } from '../../../src/adapters/disk/fs.ts'
import { blobId } from '../../../src/adapters/disk/replace-file.ts'
import { faultyFs } from './faulty-fs.ts'
import { OLD, OLD_ID, tempFolder } from './folder.ts'

const files = openFiles()
const bytes = (text: string) => Buffer.from(text)

test('save() gives the id that git gives', () => {
  const dir = tempFolder()
  const result = files.save(join(dir, 'a.md'), bytes('# Grüße\n'), null)
  const git = execFileSync('git', ['hash-object', '--no-filters', join(dir, 'a.md')], { encoding: 'utf8' })
  expect(result).toEqual({ kind: 'saved', hash: git.trim() })
})

test('save() replaces the file when it is what was expected', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  files.save(path, bytes('new'), OLD_ID)
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('save() writes nothing and tells the present hash when the file is another', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, 'mine')
  const result = files.save(path, bytes('new'), OLD_ID)
  expect(result).toEqual({ kind: 'changed', hash: blobId(bytes('mine')) })
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('save() tells a missing file by null when one was expected', () => {
  expect(files.save(join(tempFolder(), 'a.md'), bytes('new'), OLD_ID)).toEqual({
    kind: 'changed',
    hash: null,
  })
})

test('save() refuses to replace anything when the file must not exist', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  expect(files.save(path, bytes('new'), null)).toEqual({ kind: 'changed', hash: OLD_ID })
})

test.each([
  ['folder', (path: string) => mkdirSync(path)],
  ['link', (path: string) => symlinkSync('nowhere', path)],
  ['FIFO', (path: string) => execFileSync('mkfifo', [path])],
])('save() leaves a %s alone when it stands at the path', (_name, make) => {
  const path = join(tempFolder(), 'a.md')
  make(path)
  const before = lstatSync(path).ino
  expect(files.save(path, bytes('new'), null)).toEqual({ kind: 'changed', hash: '' })
  expect(lstatSync(path).ino).toBe(before)
})

test('save() keeps the mode of an existing file', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  chmodSync(path, 0o640)
  files.save(path, bytes('new'), OLD_ID)
  expect(statSync(path).mode & 0o7777).toBe(0o640)
})

test('save() makes missing folders', () => {
  const path = join(tempFolder(), 'rooms', 'shop', 'tasks', 'a.md')
  files.save(path, bytes('new'), null)
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('save() leaves no other name in the folder', () => {
  const dir = tempFolder()
  files.save(join(dir, 'a.md'), bytes('one'), null)
  files.save(join(dir, 'a.md'), bytes('two'), blobId(bytes('one')))
  expect(readdirSync(dir)).toEqual(['a.md'])
})

test.each([
  ['255 bytes of ASCII', `${'x'.repeat(252)}.md`],
  ['84 characters of three bytes', `${'漢'.repeat(84)}.md`],
  ['a line end', 'a\nb.md'],
  ['quotes and a tab', '"a"\t\'b\'.md'],
  ['a dash first', '--help.md'],
])('save() takes a name with %s', (_name, name) => {
  const path = join(tempFolder(), name)
  files.save(path, bytes('one'), null)
  files.save(path, bytes('two'), blobId(bytes('one')))
  expect(readFileSync(path, 'utf8')).toBe('two')
})

test('save() throws with the path when the name is longer than the disk allows', () => {
  const path = join(tempFolder(), 'x'.repeat(300))
  expect(() => files.save(path, bytes('new'), null)).toThrow(/Cannot save ".*x+": ENAMETOOLONG/)
})

test('save() writes any bytes as they are', () => {
  const path = join(tempFolder(), 'a.md')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (data) => {
      const now = existsSync(path) ? blobId(readFileSync(path)) : null
      files.save(path, Buffer.from(data), now)
      expect(readFileSync(path).equals(Buffer.from(data))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

/** Lets somebody act directly before the n-th call of this name. */
function meanwhile(name: string, act: () => void) {
  let done = false
  return faultyFs((_n, call) => {
    if (call === name && !done) {
      done = true
      act()
    }
    return null
  }).fs
}

const EDITS: readonly (readonly [string, (path: string) => void])[] = [
  ['written over', (path) => writeFileSync(path, 'theirs')],
  ['appended to', (path) => appendFileSync(path, 'theirs')],
  [
    'replaced by rename',
    (path) => {
      writeFileSync(`${path}~`, 'theirs')
      renameSync(`${path}~`, path)
    },
  ],
]

for (const call of ['openSync', 'writeSync', 'fsyncSync', 'linkSync']) {
  test.each(EDITS)(`save() keeps a file that is %s before our ${call}`, (_name, edit) => {
    const path = join(tempFolder(), 'a.md')
    writeFileSync(path, OLD)
    const racing = openFiles({ fs: meanwhile(call, () => edit(path)) })
    expect(racing.save(path, bytes('ours'), OLD_ID).kind).toBe('changed')
    expect(readFileSync(path, 'utf8')).toContain('theirs')
  })
}

test('save() puts a file back when it was written to in the instant before the rename', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  const racing = openFiles({ fs: meanwhile('renameSync', () => writeFileSync(path, 'theirs')) })
  expect(racing.save(path, bytes('ours'), OLD_ID)).toEqual({ kind: 'changed', hash: blobId(bytes('theirs')) })
  expect(readFileSync(path, 'utf8')).toBe('theirs')
})

test('save() lets one of two win when both make the same file', () => {
  const path = join(tempFolder(), 'a.md')
  const racing = openFiles({ fs: meanwhile('linkSync', () => files.save(path, bytes('theirs'), null)) })
  expect(racing.save(path, bytes('ours'), null)).toEqual({ kind: 'changed', hash: blobId(bytes('theirs')) })
})

test('save() replaces all the same when the file system has no links', () => {
  const path = join(tempFolder(), 'a.md')
  const { fs } = faultyFs((_n, name) => (name === 'linkSync' ? 'ENOTSUP' : null))
  const plain = openFiles({ fs })
  plain.save(path, bytes('one'), null)
  expect(plain.save(path, bytes('two'), blobId(bytes('one'))).kind).toBe('saved')
})

test('save() is refused by the size when the disk takes less than it says', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  const { fs } = faultyFs(() => null)
  const cut = (fd: number, data: Buffer) => {
    fs.ftruncateSync(fd, 3)
    return data.length
  }
  const short = new Proxy(fs, {
    get: (target, key: keyof DiskFs) => (key === 'writeSync' ? cut : target[key]),
  })
  expect(() => openFiles({ fs: short }).save(path, bytes('ours'), OLD_ID)).toThrow(/wrote 3 bytes, want 4/)
  expect(readFileSync(path, 'utf8')).toBe(OLD)
})

test('remove() removes only what was expected', () => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  expect(files.remove(path, blobId(bytes('x')))).toEqual({ kind: 'changed', hash: OLD_ID })
  expect(files.remove(path, OLD_ID)).toEqual({ kind: 'saved', hash: OLD_ID })
  expect(files.remove(path, OLD_ID)).toEqual({ kind: 'changed', hash: null })
})

test.each(EDITS)('remove() keeps a file that is %s in the instant before', (_name, edit) => {
  const path = join(tempFolder(), 'a.md')
  writeFileSync(path, OLD)
  const racing = openFiles({ fs: meanwhile('renameSync', () => edit(path)) })
  expect(racing.remove(path, OLD_ID).kind).toBe('changed')
  expect(readFileSync(path, 'utf8')).toContain('theirs')
})
