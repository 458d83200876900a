/** Somebody edits a file while save() replaces it, at every call that save() makes: each interleaving once. */
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { faultyFs } from './faulty-fs.ts'
import { OLD, OLD_ID, tempFolder } from './folder.ts'

const OURS = 'ours\n'
const THEIRS = 'theirs\n'

/** Saves while `act` is called directly before each call, with the calls so far. */
function saveWhile(path: string, act: (calls: readonly string[]) => void) {
  const faulty = faultyFs(() => {
    act(faulty.calls)
    return null
  })
  return openFiles({ fs: faulty.fs }).save(path, Buffer.from(OURS), OLD_ID)
}

/** The calls of a save that nobody disturbs. */
function callsOf(path: string): readonly string[] {
  writeFileSync(path, OLD)
  let calls: readonly string[] = []
  saveWhile(path, (so) => {
    calls = [...so]
  })
  return calls
}

const EDITS: readonly (readonly [string, (path: string) => void])[] = [
  ['written over', (path) => writeFileSync(path, THEIRS)],
  ['appended to', (path) => appendFileSync(path, THEIRS)],
  [
    'replaced by rename',
    (path) => {
      writeFileSync(`${path}~`, THEIRS)
      renameSync(`${path}~`, path)
    },
  ],
  [
    'removed and made again',
    (path) => {
      rmSync(path)
      writeFileSync(path, THEIRS)
    },
  ],
]
/** Edits that put another file in the old one's place: see the last test. */
const BY_ANOTHER_FILE = ['replaced by rename', 'removed and made again']

describe('save() lets both texts survive', () => {
  test.each(EDITS)('when the file is %s before any one call', (name, edit) => {
    const path = join(tempFolder(), 'task.md')
    const calls = callsOf(path)
    calls.forEach((call, index) => {
      if (call === 'renameSync' && isFirst(calls, index) && BY_ANOTHER_FILE.includes(name)) return
      writeFileSync(path, OLD)
      const result = saveWhile(path, (so) => {
        if (so.length === index + 1) edit(path)
      })
      const stands = readFileSync(path, 'utf8')
      expect(stands, `${call} ${index + 1}`).toContain(THEIRS)
      // Refused, or ours was whole before theirs came.
      if (result.kind === 'changed') expect(stands, `${call} ${index + 1}`).not.toContain(OURS)
    })
  })

  test('when the file is opened anew before any one call and written before any later one, or after the end', () => {
    const path = join(tempFolder(), 'task.md')
    const { length } = callsOf(path)
    for (let open = 1; open <= length; open += 1) {
      for (let write = open; write <= length + 1; write += 3) {
        writeFileSync(path, OLD)
        let fd = -1
        let written = 0
        saveWhile(path, ({ length: now }) => {
          if (now === open) fd = openSync(path, 'w')
          if (now === write) written = writeSync(fd, THEIRS)
        })
        if (written === 0) writeSync(fd, THEIRS)
        closeSync(fd)
        expect(readFileSync(path, 'utf8'), `opened at ${open}, written at ${write}`).toContain(THEIRS)
      }
    }
  })

  test('when somebody has made a temp file and renames it a moment later', () => {
    const path = join(tempFolder(), 'task.md')
    const { length } = callsOf(path)
    for (let made = 1; made <= length; made += 1) {
      writeFileSync(path, OLD)
      let renamed = 'no'
      saveWhile(path, ({ length: now }) => {
        if (now === made) writeFileSync(`${path}~`, THEIRS)
        if (now !== made + 2) return
        renameSync(`${path}~`, path)
        renamed = 'yes'
      })
      if (renamed === 'no') renameSync(`${path}~`, path)
      expect(readFileSync(path, 'utf8'), `made at ${made}`).toBe(THEIRS)
    }
  })
})

/** So that nobody believes more than is true: node offers no call that compares and replaces in one. */
test('save() replaces a file that another program puts there between the last look and the rename', () => {
  const path = join(tempFolder(), 'task.md')
  const calls = callsOf(path)
  writeFileSync(path, OLD)
  writeFileSync(`${path}~`, THEIRS)
  const result = saveWhile(path, (so) => {
    if (so.length === calls.indexOf('renameSync') + 1) renameSync(`${path}~`, path)
  })
  expect([result.kind, readFileSync(path, 'utf8')]).toEqual(['saved', OURS])
})

function isFirst(calls: readonly string[], index: number): boolean {
  return calls.indexOf(calls[index] ?? '') === index
}
