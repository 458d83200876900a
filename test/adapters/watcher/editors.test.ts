import {
  appendFileSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { blobId } from '../../../src/adapters/disk/replace-file.ts'
import { BACKENDS, listen, makeHome } from './listen.ts'

const TASK = 'rooms/shop/tasks/a.md'
const ROUNDS = 5

type SaveStyle = (path: string, text: string, before: string) => void

/** As the editors were seen to do it. */
const STYLES: readonly (readonly [string, SaveStyle])[] = [
  ['written in place (nano, VS Code)', (path, text) => writeFileSync(path, text)],
  [
    'emptied, then written (old editors)',
    (path, text) => {
      truncateSync(path)
      appendFileSync(path, text)
    },
  ],
  [
    'vim with backup: probe, rename away, write anew',
    (path, text) => {
      const probe = join(dirname(path), '4913')
      writeFileSync(probe, '')
      unlinkSync(probe)
      writeFileSync(join(dirname(path), '.a.md.swp'), 'b0VIM')
      renameSync(path, `${path}~`)
      writeFileSync(path, text)
      unlinkSync(`${path}~`)
      unlinkSync(join(dirname(path), '.a.md.swp'))
    },
  ],
  [
    'emacs: lock, autosave, backup',
    (path, text) => {
      const lock = join(dirname(path), '.#a.md')
      symlinkSync('user@host.1:2', lock)
      writeFileSync(join(dirname(path), '#a.md#'), text)
      rmSync(`${path}~`, { force: true })
      linkSync(path, `${path}~`)
      unlinkSync(path)
      writeFileSync(path, text)
      unlinkSync(join(dirname(path), '#a.md#'))
      unlinkSync(lock)
      unlinkSync(`${path}~`)
    },
  ],
  ['gedit: stream beside it, then rename', byRename((path) => join(dirname(path), '.goutputstream-K3X1Z2'))],
  [
    'JetBrains: two temp names',
    (path, text) => {
      writeFileSync(`${path}___jb_tmp___`, text)
      renameSync(path, `${path}___jb_old___`)
      renameSync(`${path}___jb_tmp___`, path)
      unlinkSync(`${path}___jb_old___`)
    },
  ],
  ['a temp file with pid, then rename', byRename((path) => `${path}.tmp.4711.17`)],
  ['write-file-atomic', byRename((path) => `${path}.427992699`)],
  ['sed -i', byRename((path) => join(dirname(path), 'sedQ1w2E3'))],
  [
    'removed and written anew',
    (path, text) => {
      unlinkSync(path)
      writeFileSync(path, text)
    },
  ],
  [
    'written in two pieces with fsync between',
    (path, text) => {
      const fd = openSync(path, 'w')
      writeSync(fd, text.slice(0, 3))
      fsyncSync(fd)
      writeSync(fd, text.slice(3))
      closeSync(fd)
    },
  ],
  [
    'our own writer',
    (path, text, before) => {
      openFiles().save(path, Buffer.from(text), blobId(Buffer.from(before)))
    },
  ],
]

function byRename(temp: (path: string) => string): SaveStyle {
  return (path, text) => {
    writeFileSync(temp(path), text)
    renameSync(temp(path), path)
  }
}

describe.each(BACKENDS)('watch() by %s', (_name, options) => {
  test.each(STYLES)('hints at the real name alone when it is %s', async (_style, save) => {
    const home = makeHome([TASK])
    const { hints, heard, quiet } = await listen(home.root, options)
    let before = '# x\n'
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `# round ${round}\n`
      save(join(home.root, TASK), text, before)
      before = text
      await heard(TASK)
      expect(new Set(hints)).toEqual(new Set([TASK]))
      await quiet()
    }
  })

  test('hints at no other name when a file is touched', async () => {
    const home = makeHome([TASK])
    const { hints, quiet } = await listen(home.root, options)
    utimesSync(join(home.root, TASK), 1, 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(hints.filter((hint) => hint !== TASK)).toEqual([])
    await quiet()
  })
})
