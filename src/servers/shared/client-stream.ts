/**
 * Streams of a client: what waits for it to read, and the lines that it sends. Invariant 1: a sender that waits before each
 * text keeps at most HIGH_BYTES and one text in memory, however slow the client is. Invariant 2: when the client is gone,
 * every wait rejects. Invariant 3: of a line longer than `most` bytes only that many and one are kept, so that its reader
 * sees that it is too long.
 */
import type { Readable, Writable } from 'node:stream'

export interface Backlog {
  /** Resolves when there is room; rejects when the client is gone. */
  room(): Promise<void>
  free(): boolean
  /** True if nothing was read for too long. */
  stalled(): boolean
  close(): void
}

/** What may wait for one client to read it. */
export const HIGH_BYTES = 256 * 1024

export function backlogOf(stream: Writable, stalledMs: number): Backlog {
  let waiting: { go(): void; gone(why: Error): void }[] = []
  let fullSince: number | null = null
  let closed = false
  const free = (): boolean => stream.writableLength < HIGH_BYTES
  const drained = (): void => {
    fullSince = null
    const now = waiting
    waiting = []
    for (const { go } of now) go()
  }
  stream.on('drain', drained)
  return {
    async room() {
      while (!free() && !closed) {
        fullSince ??= Date.now()
        await new Promise<void>((go, gone) => waiting.push({ go, gone }))
      }
      if (closed) throw new Error('the client is gone')
    },
    free,
    stalled: () => fullSince !== null && Date.now() - fullSince > stalledMs,
    close() {
      closed = true
      stream.off('drain', drained)
      for (const { gone } of waiting.splice(0)) gone(new Error('the client is gone'))
    },
  }
}

const NEWLINE = 0x0a

export async function* linesOf(input: Readable, most: number): AsyncGenerator<string, void> {
  let parts: Buffer[] = []
  let length = 0
  const add = (bytes: Buffer): void => {
    const taken = bytes.subarray(0, Math.max(0, most + 1 - length))
    length += taken.length
    if (taken.length > 0) parts.push(taken)
  }
  const take = (): string => {
    const line = Buffer.concat(parts).toString('utf8')
    parts = []
    length = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  for await (const chunk of input) {
    let rest: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      add(rest.subarray(0, at))
      yield take()
      rest = rest.subarray(at + 1)
    }
    add(rest)
  }
  if (length > 0) yield take()
}
