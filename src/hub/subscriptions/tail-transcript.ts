/**
 * The end of a session's transcript, followed: the last entries, then each whole line that is added. Invariant 1: each
 * line is given once, in order, also when the file moves from the git dir into its room. Invariant 2: a line that is not
 * whole yet is given when it is; a long file costs no more than its end.
 */
import { basename, dirname } from 'node:path'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { Files } from '../../ports/files-port.ts'

export interface Tail {
  /** The last ones that were given. */
  last(): readonly TranscriptEntry[]
  /** What was added since. */
  read(): readonly TranscriptEntry[]
}

/** Entries that are kept for who comes later. */
const LAST_ENTRIES = 100
const FIRST_BYTES = 1024 * 1024
const PART_BYTES = 256 * 1024
/** Of one look, so that others have their turn. */
const MOST_BYTES = 4 * 1024 * 1024
const NEWLINE = 10

/** @param paths in the order in which they are looked at */
export function openTail(files: Pick<Files, 'scan' | 'readPart'>, paths: readonly string[]): Tail {
  const size = sizeOf(files, paths)
  const begin = Math.max(0, size - FIRST_BYTES)
  let offset = begin
  // What begins in the middle of a line is no line.
  let rest: Buffer | null = begin === 0 ? Buffer.alloc(0) : null
  let last: readonly TranscriptEntry[] = []

  function more(): Buffer[] {
    const parts: Buffer[] = []
    for (let bytes = 0; bytes < MOST_BYTES; ) {
      const part = partAt(files, paths, offset)
      if (part === null || part.length === 0) break
      offset += part.length
      bytes += part.length
      parts.push(part)
    }
    return parts
  }

  function read(): readonly TranscriptEntry[] {
    const parts = more()
    if (parts.length === 0) return []
    const bytes = Buffer.concat(rest === null ? parts : [rest, ...parts])
    const from = rest === null ? bytes.indexOf(NEWLINE) + 1 : 0
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end === 0) {
      if (rest !== null) rest = bytes
      return []
    }
    rest = Buffer.from(bytes.subarray(end))
    const { entries } = readTranscript(bytes.subarray(from, end))
    last = [...last, ...entries].slice(-LAST_ENTRIES)
    return entries
  }

  read()
  return { last: () => last, read }
}

function sizeOf(files: Pick<Files, 'scan'>, paths: readonly string[]): number {
  for (const path of paths) {
    const name = basename(path)
    const [found] = files.scan(dirname(path), (one, kind) => kind === 'file' && one === name)
    if (found !== undefined) return found.size
  }
  return 0
}

function partAt(files: Pick<Files, 'readPart'>, paths: readonly string[], offset: number): Buffer | null {
  for (const path of paths) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part !== null) return part
  }
  return null
}
