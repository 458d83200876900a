/**
 * Appending to files of lines (journal, outbox, transcripts, audit). Reading them is their owners' work.
 * Invariant 1: after an append that returned, every line of the file is whole and the new one is on the disk, unless
 * its sync may wait (later.ts): then it is there for every reader, and on the disk soon.
 * Invariant 2: a torn last line (a crash in the middle of a write) is cut off before the next append and set aside in
 * `<path>.torn`; one that only lacks its line end is whole JSON and gets the line end instead.
 * Invariant 3: after a failure the file ends where it ended before, or in a torn line that the next append repairs.
 */
import { basename, dirname } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { diskError, type DiskFs, isMissing, quietly } from './fs.ts'
import type { Later } from './later.ts'
import { ensureFolder, syncFolder } from './later.ts'
import { writeAll } from './save.ts'

const NEWLINE = 0x0a
/** The end of a file is looked through backwards in pieces of this size. */
const PIECE = 64 * 1024
/** What is set aside is for a person to look at; a longer one is cut. */
const ASIDE_BYTES = 1024 * 1024
/** A longer line counts as torn, also if it is whole: no log has one. */
const LINE_BYTES = 64 * 1024 * 1024

export interface Line {
  /** Without or with its line end; a line end inside is refused, for it would be two lines. */
  readonly line: string
  /** Takes the sync; absent: the line is on the disk when `append` returns. */
  readonly later?: Later | undefined
}

export function append(fs: DiskFs, path: string, { line, later }: Line): void {
  const text = line.endsWith('\n') ? line : `${line}\n`
  if (text.indexOf('\n') !== text.length - 1) {
    throw new NeoError('internal', `Cannot append to "${path}": the text has more than one line`)
  }
  const opened: number[] = []
  try {
    const fd = openForAppend(fs, path, { opened, later })
    const size = repair(fs, fd, path)
    try {
      writeAll(fs, fd, Buffer.from(text))
      if (later === undefined) fs.fdatasyncSync(fd)
      else later.add(path)
    } catch (error) {
      quietly(() => fs.ftruncateSync(fd, size))
      throw error
    }
  } catch (error) {
    throw diskError('append to', path, error)
  } finally {
    for (const fd of opened) quietly(() => fs.closeSync(fd))
  }
}

function openForAppend(
  fs: DiskFs,
  path: string,
  { opened, later }: { readonly opened: number[]; readonly later: Later | undefined },
): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const flags = O_RDWR | O_APPEND | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)
  try {
    return openFile(fs, { path, flags, opened })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const folder = ensureFolder(fs, dirname(path), { mode: 0o700, later })
  if (folder !== null) opened.push(folder)
  // Another process may have made it in the meantime: the audit log has two that begin it.
  const fd = openFile(fs, { path, flags: flags | O_CREAT, opened })
  if (later === undefined) syncFolder(fs, folder, path)
  else later.add(dirname(path))
  return fd
}

function openFile(
  fs: DiskFs,
  { path, flags, opened }: { readonly path: string; readonly flags: number; readonly opened: number[] },
): number {
  const fd = fs.openSync(path, flags, 0o600)
  opened.push(fd)
  if (!fs.fstatSync(fd).isFile()) throw new Error(`"${basename(path)}" is not a file`)
  return fd
}

/** Gives the size after the repair. */
function repair(fs: DiskFs, fd: number, path: string): number {
  const size = fs.fstatSync(fd).size
  if (size === 0 || byteAt(fs, fd, size - 1) === NEWLINE) return size
  const start = lineStart(fs, fd, size)
  const torn = bytesAt(fs, fd, { from: start, to: Math.min(size, start + LINE_BYTES) })
  if (start + torn.length === size && isJson(torn)) {
    writeAll(fs, fd, Buffer.from('\n'))
    return size + 1
  }
  quietly(() => setAside(fs, `${path}.torn`, torn.subarray(0, ASIDE_BYTES)))
  fs.ftruncateSync(fd, start)
  return start
}

function lineStart(fs: DiskFs, fd: number, size: number): number {
  for (let to = size; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE)
    const at = bytesAt(fs, fd, { from, to }).lastIndexOf(NEWLINE)
    if (at >= 0) return from + at + 1
  }
  return 0
}

function setAside(fs: DiskFs, path: string, torn: Buffer): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants
  const fd = fs.openSync(path, O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0), 0o600)
  try {
    writeAll(fs, fd, Buffer.concat([torn, Buffer.from('\n')]))
  } finally {
    quietly(() => fs.closeSync(fd))
  }
}

function byteAt(fs: DiskFs, fd: number, at: number): number | undefined {
  return bytesAt(fs, fd, { from: at, to: at + 1 })[0]
}

function bytesAt(fs: DiskFs, fd: number, range: { from: number; to: number }): Buffer {
  const buffer = Buffer.alloc(range.to - range.from)
  let length = 0
  while (length < buffer.length) {
    const got = fs.readSync(fd, buffer, length, buffer.length - length, range.from + length)
    if (got === 0) break
    length += got
  }
  return buffer.subarray(0, length)
}

function isJson(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
