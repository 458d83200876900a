/**
 * Reading a file that anybody may have put there: a FIFO must not block, a device must not be touched, a link is
 * not followed, and a huge file is refused by its size.
 * Invariant 1: the stat belongs to a moment before the bytes were read, so a change during the read shows as a
 * different stat at the next look, and never hides.
 * Invariant 2: nothing here throws; what cannot be read is `refused` with a reason that completes `"x" …`.
 */
import type { ReadResult } from '../../ports/files-port.ts'
import { codeOf, type DiskFs, isMissing, quietly } from './fs.ts'

export interface Reading {
  readonly maxBytes: number
  /** `scanned`: a scan has just seen a plain file there. */
  readonly kind?: 'scanned' | undefined
}

export function read(fs: DiskFs, path: string, { maxBytes, kind }: Reading): ReadResult {
  try {
    const no = kind === 'scanned' ? null : notAFile(fs, path)
    if (no !== null) return no
    const fd = openFile(fs, path)
    try {
      return readOpen(fs, fd, maxBytes)
    } finally {
      quietly(() => fs.closeSync(fd))
    }
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' }
    return { kind: 'refused', why: reason(error) }
  }
}

/** Asked before the open: opening a FIFO lets a waiting writer go, opening a device may do anything. */
function notAFile(fs: DiskFs, path: string): ReadResult | null {
  const before = fs.lstatSync(path, { throwIfNoEntry: false })
  if (before === undefined) return { kind: 'missing' }
  const wrong = unreadable(before)
  return wrong === null ? null : { kind: 'refused', why: wrong }
}

/** A part of a file, so that a long one is never whole in memory. Null if it is missing or no plain file. */
export function readPart(
  fs: DiskFs,
  path: string,
  of: { readonly offset: number; readonly bytes: number },
): Buffer | null {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || unreadable(stat) !== null) return null
  const fd = openFile(fs, path)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(of.bytes, Math.max(0, stat.size - of.offset)))
    return buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, of.offset))
  } finally {
    quietly(() => fs.closeSync(fd))
  }
}

/** Opens for reading, without following a link and without waiting for anybody. */
export function openFile(fs: DiskFs, path: string): number {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants
  return fs.openSync(path, O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0))
}

/** All bytes of an open file, at most `maxBytes`; null if there are more. `size` is a first guess. */
export function readAll(fs: DiskFs, fd: number, limit: { size: number; maxBytes: number }): Buffer | null {
  let buffer = Buffer.allocUnsafe(Math.min(limit.size, limit.maxBytes) + 1)
  let length = 0
  for (;;) {
    const got = fs.readSync(fd, buffer, length, buffer.length - length, length)
    if (got === 0) return buffer.subarray(0, length)
    length += got
    if (length > limit.maxBytes) return null
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(length * 2, limit.maxBytes + 1))
      buffer.copy(larger)
      buffer = larger
    }
  }
}

function readOpen(fs: DiskFs, fd: number, maxBytes: number): ReadResult {
  const stat = fs.fstatSync(fd)
  const wrong = unreadable(stat)
  if (wrong !== null) return { kind: 'refused', why: wrong }
  const tooLarge = `is too large, want at most ${maxBytes} bytes`
  if (stat.size > maxBytes) return { kind: 'refused', why: tooLarge }
  const bytes = readAll(fs, fd, { size: stat.size, maxBytes })
  if (bytes === null) return { kind: 'refused', why: tooLarge }
  const { size, mtimeMs, ino, ctimeMs } = stat
  return { kind: 'file', bytes, stat: { size, mtimeMs, ino, ctimeMs } }
}

interface Kind {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

function unreadable(stat: Kind): string | null {
  if (stat.isFile()) return null
  if (stat.isDirectory()) return 'is a folder, want a file'
  if (stat.isSymbolicLink()) return 'is a link, want a file'
  if (stat.isFIFO()) return 'is a FIFO, want a file'
  if (stat.isSocket()) return 'is a socket, want a file'
  return 'is a device, want a file'
}

function reason(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'is a link, want a file'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by you'
  if (code === 'ENAMETOOLONG') return 'has a name that is too long'
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
}
