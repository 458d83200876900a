/**
 * Lines of a stream as texts. Invariant 1: of a line longer than `most` bytes only that many and one are kept, so that
 * whoever reads it sees that it is too long.
 */
import type { Readable } from 'node:stream'

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
