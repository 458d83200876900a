import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { blobId } from '../../../src/adapters/disk/replace-file.ts'
import { tempFolder } from './folder.ts'

const files = openFiles()

/** A disk of 64 KiB; null where this machine lets nobody mount one. */
function smallDisk(): string | null {
  const dir = tempFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'pipe' })
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', [dir]))
  return dir
}

test('save() keeps the good file and leaves no temp file when the disk is full', (context) => {
  const dir = smallDisk() ?? context.skip('needs the right to mount a small disk')
  const path = join(dir, 'neo.yaml')
  const good = Buffer.alloc(20_480, 'g')
  writeFileSync(path, good)
  writeFileSync(join(dir, 'filler'), Buffer.alloc(20_480))
  expect(() => files.save(path, Buffer.alloc(40_960, 'n'), blobId(good))).toThrow(
    /Cannot save ".*neo.yaml": ENOSPC/,
  )
  expect(readFileSync(path).equals(good)).toBe(true)
  expect(readdirSync(dir).sort()).toEqual(['filler', 'neo.yaml'])
})

test('append() keeps every line and goes on when the disk was full', (context) => {
  const dir = smallDisk() ?? context.skip('needs the right to mount a small disk')
  const path = join(dir, 'log.jsonl')
  const line = (n: number) => JSON.stringify({ n, text: 'x'.repeat(3_000) })
  let written = 0
  expect(() => {
    for (; written < 100; written += 1) files.append(path, line(written))
  }).toThrow(/Cannot append to ".*log.jsonl": ENOSPC/)
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(written)
  execFileSync('mount', ['-o', 'remount,size=128k', dir])
  files.append(path, line(written))
  expect(
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text).n)
      .at(-1),
  ).toBe(written)
})
