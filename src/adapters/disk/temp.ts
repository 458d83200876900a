/**
 * Names of temp files: `.<name>.neo-<pid>-<random>.tmp` beside the file, both numbers in base 36. The dot in front
 * keeps them out of `git add` globs, editors and watchers; the pid tells whether the writer still lives.
 * Invariant 1: a temp name is never longer than 255 bytes, whatever the name.
 * Invariant 2: sweeping removes only what no living process can still be writing.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DiskFs } from './fs.ts'
import { quietly } from './fs.ts'

/** Limit of a file name on every common file system. */
const NAME_BYTES = 255
const TEMP = /^\..*\.neo-([0-9a-z]+)-[0-9a-z]+\.tmp$/s
/** A temp file of an unknown process (another machine, a pid used again) is left over after this. */
const OLD_MS = 60 * 60_000

/** A fresh temp name for `name`; cut at a character edge where it would be too long. */
export function tempName(name: string): string {
  const random = BigInt(`0x${randomBytes(6).toString('hex')}`).toString(36)
  const tail = `.neo-${process.pid.toString(36)}-${random}.tmp`
  return `.${cut(name, NAME_BYTES - 1 - tail.length)}${tail}`
}

/** True for names that `tempName` gives, of any process. */
export function isTemp(name: string): boolean {
  return name.startsWith('.') && TEMP.test(name)
}

/**
 * Removes left temp files below `root`, in folders that `enter` lets in (asked with `/`-separated relative paths).
 * Gives how many it removed. To be called when this process writes nothing, e.g. at its start.
 */
export function sweep(fs: DiskFs, root: string, enter: (folder: string) => boolean): number {
  let removed = 0
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of list(fs, join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && enter(path)) folders.push(path)
      if (entry.isFile() && isTemp(entry.name) && isLeft(fs, join(root, path))) {
        quietly(() => {
          fs.unlinkSync(join(root, path))
          removed += 1
        })
      }
    }
  }
  return removed
}

function list(fs: DiskFs, dir: string) {
  try {
    return fs.readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

function isLeft(fs: DiskFs, path: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  const pid = Number.parseInt(TEMP.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? '', 36)
  return pid === process.pid || !runs(pid) || Date.now() - stat.mtimeMs > OLD_MS
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function cut(name: string, bytes: number): string {
  if (Buffer.byteLength(name) <= bytes) return name
  let kept = ''
  let size = 0
  for (const character of name) {
    size += Buffer.byteLength(character)
    if (size > bytes) break
    kept += character
  }
  return kept
}
