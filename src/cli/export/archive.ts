/**
 * The file of an export: a first line, a header, entries, an end. Each entry is a line, its bytes, and their hash; the end
 * has the hash of everything before it. It is read without trusting it. Invariants: 1. if all entries and the end were
 * read, the file is complete and unchanged; 2. every error is a NeoError that says what is wrong and where; 3. no size in
 * the file can exceed the length of the file; 4. if a file changes its size while it is written, the export stops.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { mapIn } from '../../domain/text/is-map.ts'
import { NeoError } from '../../domain/home/error.ts'

const MOST_LINE = 64 * 1024
const CHUNK = 1024 * 1024

export interface Entry {
  readonly head: EntryHead
  readonly size: number
  /** Its bytes, readable once; throws at the end if they don't match their hash. */
  body(): AsyncGenerator<Buffer>
}

export interface ArchiveReader {
  /** The header. */
  readonly about: Readonly<Record<string, unknown>>
  entries(): AsyncGenerator<Entry>
}

interface OpenArchive {
  readonly fd: number
  readonly size: number
  /** Its name in messages. */
  readonly name: string
}

export function openArchiveReader(of: OpenArchive): ArchiveReader {
  const bytes = new Bytes(of)
  const first = bytes.take(Math.min(MAGIC.length, of.size)).toString('latin1')
  if (first !== MAGIC) throw refused(of.name, whyNot(first))
  const about = bytes.json('the header')
  return { about, entries: () => entriesOf(bytes) }
}

function whyNot(first: string): string {
  if (MAGIC.startsWith(first) && first !== '') return 'the file is incomplete'
  return first.startsWith('NEO-EXPORT ')
    ? 'a newer version of Neo made it'
    : 'it is not a file from neo export'
}

export function refused(name: string, why: string): NeoError {
  return new NeoError('failed', `Cannot import "${name}": ${why}`, { why: 'nothing was imported' })
}

async function* entriesOf(bytes: Bytes): AsyncGenerator<Entry> {
  for (let count = 0; ; count++) {
    const before = bytes.hashSoFar()
    const head = bytes.json(`entry ${count + 1}`)
    if (head['kind'] === 'end') {
      if (head['entries'] !== count || head['sha256'] !== before)
        throw bytes.refuse('its end does not match: the file was changed')
      if (!bytes.isAtEnd()) throw bytes.refuse('there is more data after its end')
      return
    }
    const { kind, path, mode, size, seal } = head
    if (typeof kind !== 'string' || typeof path !== 'string' || !isSize(size) || size > bytes.left())
      throw bytes.refuse(`entry ${count + 1} is incomplete or changed`)
    let state: 'unread' | 'read' = 'unread'
    const body = async function* () {
      yield* bodyOf(bytes, { path, size })
      state = 'read'
    }
    const kept = mode === '755' ? '755' : '644'
    yield { head: { kind: kind as EntryHead['kind'], path, mode: kept, seal }, size, body }
    if (state === 'unread') throw new NeoError('internal', `Cannot import: ${path} was skipped`)
  }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

async function* bodyOf(bytes: Bytes, { path, size }: { path: string; size: number }): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for (let left = size; left > 0; ) {
    const chunk = bytes.take(Math.min(CHUNK, left))
    left -= chunk.length
    hash.update(chunk)
    yield chunk
    await rest()
  }
  bytes.take(1)
  const { sha256 } = bytes.json(`the hash of "${path}"`)
  if (sha256 !== hash.digest('hex'))
    throw bytes.refuse(`"${path}" does not match its hash: the file was changed`)
}

class Bytes {
  private readonly all = createHash('sha256')
  private at = 0

  constructor(private readonly of: OpenArchive) {}

  refuse(why: string): NeoError {
    return refused(this.of.name, why)
  }

  left(): number {
    return this.of.size - this.at
  }

  isAtEnd(): boolean {
    return this.left() === 0
  }

  hashSoFar(): string {
    return this.all.copy().digest('hex')
  }

  /** Exactly this number of bytes. */
  take(count: number): Buffer {
    const bytes = this.peek(count)
    if (bytes.length < count) throw this.refuse(`the file is incomplete: it ends at byte ${this.of.size}`)
    this.at += count
    this.all.update(bytes)
    return bytes
  }

  json(what: string): Readonly<Record<string, unknown>> {
    const bytes = this.peek(Math.min(MOST_LINE, this.left()))
    const end = bytes.indexOf(10)
    if (end < 0) throw this.refuse(`${what} is missing or incomplete`)
    const value = mapIn(this.take(end + 1).toString('utf8'))
    if (value === null) throw this.refuse(`${what} can't be read: the file was changed`)
    return value
  }

  private peek(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count)
    let done = 0
    while (done < count) {
      const read = readSync(this.of.fd, bytes, done, count - done, this.at + done)
      if (read === 0) break
      done += read
    }
    return bytes.subarray(0, done)
  }
}

const MAGIC = 'NEO-EXPORT 1\n'

type EntryKind = 'bundle' | 'file' | 'link' | 'state' | 'private'

interface EntryHead {
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
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
