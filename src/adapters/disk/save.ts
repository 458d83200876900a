/**
 * The atomic writer. Takes whole bytes and what must stand there now; leaves the whole new file or the old one.
 * Deciding what to write is the caller's; sweeping what a crash leaves is temp.ts.
 * Invariant 1: at every instant, also after a crash, the path holds the old bytes or the new ones, whole.
 * Invariant 2: bytes that somebody else saved are never replaced: looked at again directly before the rename, and
 * once more through the kept handle directly after it, with a second link to the old file to put it back by.
 * What stays open: a foreign rename in the few microseconds between the last look and our own rename.
 * Invariant 3: after a failure the old bytes stand and our temp files are gone. One exception: where only the last
 * step fails (fsync of the folder), the new bytes stand and may not survive a power cut; the error says so.
 */
import { basename, dirname, join } from 'node:path'
import type { SaveResult } from '../../ports.ts'
import { blobId } from './blob.ts'
import { ensureFolder, syncFolder } from './folder.ts'
import type { DiskFs } from './fs.ts'
import { codeOf, diskError, isMissing, quietly } from './fs.ts'
import { openFile, readAll } from './read.ts'
import { tempName } from './temp.ts'

export interface Save {
  readonly bytes: Buffer
  /** Blob id that must stand there, null for nothing, `any` for whatever stands there. */
  readonly expect: string | null | { readonly any: true }
  /** Mode of a new file; an existing one keeps its own. */
  readonly mode: number
  /** Mode of folders that have to be made. */
  readonly folderMode: number
}

/** What stands at a path. `hash` is `''` for a folder, link, FIFO, …: it equals no blob id. */
interface Standing {
  readonly fd: number | null
  readonly hash: string | null
  readonly ino: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export function save(fs: DiskFs, path: string, request: Save): SaveResult {
  const opened = new Set<number>()
  const temps = new Set<string>()
  try {
    const old = look(fs, path, opened)
    if (!fits(old, request.expect)) return { kind: 'changed', hash: old.hash }
    const folder = ensureFolder(fs, dirname(path), request.folderMode)
    if (folder !== null) opened.add(folder)
    const temp = join(dirname(path), tempName(basename(path)))
    temps.add(temp)
    writeTemp(fs, temp, { ...request, old, opened })
    const result = swap(fs, { path, temp, old, expect: request.expect, temps, opened })
    if (result !== null) return result
    for (const left of temps) quietly(() => fs.unlinkSync(left))
    syncFolder(fs, folder, path)
    return { kind: 'saved', hash: blobId(request.bytes) }
  } catch (error) {
    throw diskError('save', path, error)
  } finally {
    for (const left of temps) quietly(() => fs.unlinkSync(left))
    for (const fd of opened) quietly(() => fs.closeSync(fd))
  }
}

/** Removes a file if its blob id is `expect`. Bytes that came in between are put back and reported as `changed`. */
export function remove(fs: DiskFs, path: string, expect: string): SaveResult {
  const opened = new Set<number>()
  try {
    const old = look(fs, path, opened)
    if (old.fd === null || old.hash !== expect) return { kind: 'changed', hash: old.hash }
    const folder = ensureFolder(fs, dirname(path), 0o777)
    if (folder !== null) opened.add(folder)
    const temp = join(dirname(path), tempName(basename(path)))
    fs.renameSync(path, temp)
    if (!isStill(fs, temp, old)) {
      putBack(fs, temp, path)
      return { kind: 'changed', hash: look(fs, path, opened).hash }
    }
    quietly(() => fs.unlinkSync(temp))
    syncFolder(fs, folder, path)
    return { kind: 'saved', hash: expect }
  } catch (error) {
    throw diskError('remove', path, error)
  } finally {
    for (const fd of opened) quietly(() => fs.closeSync(fd))
  }
}

function fits(old: Standing, expect: Save['expect']): boolean {
  if (expect !== null && typeof expect === 'object') return old.hash !== ''
  return old.hash === expect
}

/** Opens and hashes what stands there; the handle stays open (in `opened`), so that its inode is not used again. */
function look(fs: DiskFs, path: string, opened: Set<number>): Standing {
  const nothing = { fd: null, ino: 0, mode: 0, uid: -1, gid: -1 }
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return { ...nothing, hash: null }
  if (!stat.isFile()) return { ...nothing, hash: '' }
  try {
    const fd = openFile(fs, path)
    opened.add(fd)
    const { ino, mode, uid, gid } = fs.fstatSync(fd)
    return { fd, hash: hashOf(fs, fd), ino, mode: mode & 0o7777, uid, gid }
  } catch (error) {
    if (isMissing(error)) return { ...nothing, hash: null }
    if (codeOf(error) === 'ELOOP') return { ...nothing, hash: '' }
    throw error
  }
}

function hashOf(fs: DiskFs, fd: number): string {
  const bytes = readAll(fs, fd, { size: fs.fstatSync(fd).size, maxBytes: Number.MAX_SAFE_INTEGER })
  return blobId(bytes ?? Buffer.alloc(0))
}

interface TempRequest extends Save {
  readonly old: Standing
  readonly opened: Set<number>
}

function writeTemp(fs: DiskFs, temp: string, { bytes, mode, old, opened }: TempRequest): void {
  const fd = fs.openSync(temp, 'wx', old.fd === null ? mode : 0o600)
  opened.add(fd)
  writeAll(fs, fd, bytes)
  if (old.fd !== null) {
    const stat = fs.fstatSync(fd)
    // Only root may give a file away; for everybody else the owner stays who writes.
    if (stat.uid !== old.uid || stat.gid !== old.gid) quietly(() => fs.fchownSync(fd, old.uid, old.gid))
    fs.fchmodSync(fd, old.mode)
  }
  fs.fsyncSync(fd)
  const size = fs.fstatSync(fd).size
  if (size !== bytes.length) throw new Error(`wrote ${size} bytes, want ${bytes.length}`)
  opened.delete(fd)
  fs.closeSync(fd)
}

/** Writes until all is written; a write that takes nothing is a failure, not a loop. */
export function writeAll(fs: DiskFs, fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const wrote = fs.writeSync(fd, bytes, done, bytes.length - done)
    if (wrote <= 0) throw new Error(`wrote ${done} bytes, want ${bytes.length}`)
    done += wrote
  }
}

interface Swap {
  readonly path: string
  readonly temp: string
  readonly old: Standing
  readonly expect: Save['expect']
  readonly temps: Set<string>
  readonly opened: Set<number>
}

/** Puts the temp file in place; null where it now stands there, else why not. */
function swap(fs: DiskFs, step: Swap): SaveResult | null {
  const { path, temp, old, temps } = step
  if (step.expect !== null && typeof step.expect === 'object') {
    fs.renameSync(temp, path)
    temps.delete(temp)
    return null
  }
  if (old.fd === null) return create(fs, step)
  const second = join(dirname(path), tempName(basename(path)))
  temps.add(second)
  // Not every file system has links; then invariant 2 rests on the look before the rename alone.
  quietly(() => fs.linkSync(path, second))
  if (!isStill(fs, path, old)) return { kind: 'changed', hash: look(fs, path, step.opened).hash }
  fs.renameSync(temp, path)
  temps.delete(temp)
  if (!wasChanged(fs, old)) return null
  return putOldBack(fs, step, second)
}

/** A link cannot replace anything, so of two that create the same file one gets `changed`. */
function create(fs: DiskFs, { path, temp, temps, opened }: Swap): SaveResult | null {
  try {
    fs.linkSync(temp, path)
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EEXIST' && !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
  }
  const now = look(fs, path, opened)
  if (now.hash !== null) return { kind: 'changed', hash: now.hash }
  fs.renameSync(temp, path)
  temps.delete(temp)
  return null
}

/** The path still names the file that was looked at, with the same bytes. */
function isStill(fs: DiskFs, path: string, old: Standing): boolean {
  if (old.fd === null || hashOf(fs, old.fd) !== old.hash) return false
  return fs.lstatSync(path, { throwIfNoEntry: false })?.ino === old.ino
}

/** Somebody opened the old file before our rename and wrote into it. Unknown counts as no. */
function wasChanged(fs: DiskFs, old: Standing): boolean {
  try {
    return old.fd !== null && hashOf(fs, old.fd) !== old.hash
  } catch {
    return false
  }
}

function putOldBack(fs: DiskFs, { path, temps, opened }: Swap, second: string): SaveResult | null {
  try {
    fs.renameSync(second, path)
    temps.delete(second)
    return { kind: 'changed', hash: look(fs, path, opened).hash }
  } catch {
    return null
  }
}

function putBack(fs: DiskFs, temp: string, path: string): void {
  try {
    fs.linkSync(temp, path)
    quietly(() => fs.unlinkSync(temp))
  } catch (error) {
    // A newer file stands there: it wins. No links on this file system: a rename does as well.
    if (codeOf(error) === 'EEXIST') quietly(() => fs.unlinkSync(temp))
    else fs.renameSync(temp, path)
  }
}
