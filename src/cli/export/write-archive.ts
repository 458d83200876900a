/**
 * Writes the file of an export: a first line, a header, entries, an end. Each entry is a line, its bytes, and their hash;
 * the end has the hash of everything before it. Invariant 1: if a file changes its size while it is read, the export
 * stops.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { NeoError } from '../../domain/home/error.ts'

export const MAGIC = 'NEO-EXPORT 1\n'
const CHUNK = 1024 * 1024

export type EntryKind = 'bundle' | 'file' | 'link' | 'state' | 'private'

export interface EntryHead {
  readonly kind: EntryKind
  readonly path: string
  readonly mode?: '644' | '755'
  readonly seal?: unknown
}

export interface ArchiveWriter {
  begin(about: unknown): void
  bytes(head: EntryHead, bytes: Buffer): Promise<void>
  /** The file as it is now. */
  file(head: EntryHead, path: string): Promise<void>
  end(): void
}

export function openArchiveWriter(put: (bytes: Buffer) => void): ArchiveWriter {
  const all = createHash('sha256')
  let entries = 0
  const add = (bytes: Buffer) => {
    all.update(bytes)
    put(bytes)
  }
  const line = (value: unknown) => add(Buffer.from(`${JSON.stringify(value)}\n`))
  const entry = async (head: EntryHead, size: number, chunks: Iterable<Buffer>) => {
    entries++
    line({ ...head, size })
    const hash = createHash('sha256')
    for (const chunk of chunks) {
      hash.update(chunk)
      add(chunk)
      await rest()
    }
    add(Buffer.from('\n'))
    line({ sha256: hash.digest('hex') })
  }
  return {
    begin(about) {
      add(Buffer.from(MAGIC))
      line(about)
    },
    bytes: (head, bytes) => entry(head, bytes.length, [bytes]),
    async file(head, path) {
      const fd = openSync(path, 'r')
      try {
        const { size } = fstatSync(fd)
        await entry(head, size, chunksOf(fd, { size, path }))
      } finally {
        closeSync(fd)
      }
    },
    end() {
      const sha256 = all.copy().digest('hex')
      put(Buffer.from(`${JSON.stringify({ kind: 'end', entries, sha256 })}\n`))
    },
  }
}

function* chunksOf(fd: number, { size, path }: { size: number; path: string }): Generator<Buffer> {
  for (let done = 0; done < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - done))
    const read = readSync(fd, chunk, 0, chunk.length, done)
    if (read === 0) throw new NeoError('failed', `Cannot export "${path}": another program is changing it`)
    done += read
    yield chunk.subarray(0, read)
  }
}

/** Lets signals and the progress line run. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
