/**
 * What is at a path, looked at in a way that cannot be fooled later: the handle stays open, so the inode cannot be
 * used again, and the bytes can be asked for again after somebody else renamed or removed the path.
 */
import { blobId } from './blob.ts'
import type { DiskFs } from './fs.ts'
import { codeOf, isMissing } from './fs.ts'
import { openFile, readAll } from './read-disk.ts'

export interface Standing {
  readonly fd: number | null
  /** Null if nothing is there; `''` for a folder, link, FIFO, …: it equals no blob id. */
  readonly hash: string | null
  readonly ino: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Opens and hashes what is there; the handle is added to `opened`, which the caller closes. */
export function look(fs: DiskFs, path: string, opened: Set<number>): Standing {
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

/** The file that was looked at still has its bytes, whatever its name is now. */
export function hasBytes(fs: DiskFs, old: Standing): boolean {
  return old.fd !== null && hashOf(fs, old.fd) === old.hash
}

/** The path names the very file that was looked at. */
export function isAt(fs: DiskFs, path: string, old: Standing): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.ino === old.ino
}

function hashOf(fs: DiskFs, fd: number): string {
  const bytes = readAll(fs, fd, { size: fs.fstatSync(fd).size, maxBytes: Number.MAX_SAFE_INTEGER })
  return blobId(bytes ?? Buffer.alloc(0))
}
