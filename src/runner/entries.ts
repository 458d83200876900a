/**
 * The entries of a transcript, one after the other: a long one is never whole in memory. Invariant 1: a torn last line
 * is passed over, as it is by every reader.
 */
import { readTranscript, type TranscriptEntry } from '../files/body/read-transcript.ts'
import type { Files } from '../ports/files-port.ts'

const PART_BYTES = 256 * 1024
const NEWLINE = 10

export function eachEntry(
  files: Pick<Files, 'readPart'>,
  path: string,
  take: (entry: TranscriptEntry) => void,
): void {
  let rest: Buffer = Buffer.alloc(0)
  for (let offset = 0; ; ) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part === null || part.length === 0) break
    offset += part.length
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    for (const entry of readTranscript(bytes.subarray(0, end)).entries) take(entry)
    rest = Buffer.from(bytes.subarray(end))
  }
  for (const entry of readTranscript(rest).entries) take(entry)
}
