/**
 * The lines of a file of ours with their numbers, one after the other: a long file is never whole in memory. Invariant
 * 1: numbers are those that an editor shows. Invariant 2: others have their turn between parts. Invariant 3: a line that
 * is too long for memory is counted and passed over.
 */
import type { Files } from '../../ports/world.ts'

const PART_BYTES = 256 * 1024
/** No entry of ours is longer: results are cut long before. */
const MOST_LINE = 8 * 1024 * 1024
const PARTS_A_TURN = 16
const NEWLINE = 10

export interface Reading {
  readonly files: Pick<Files, 'readPart'>
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>
}

/** Gives how many bytes were read. The last line may have no end; it is given as it is. */
export async function eachLine(
  { files, pause }: Reading,
  path: string,
  take: (line: string, number: number) => void,
): Promise<number> {
  let [rest, number, offset]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0]
  for (let parts = 1; ; parts++) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part === null || part.length === 0) break
    offset += part.length
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    let begin = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
      number += 1
      if (end - begin < MOST_LINE) take(bytes.toString('utf8', begin, end), number)
      begin = end + 1
    }
    // Of what is too long, only that it is too long is kept.
    rest = Buffer.from(bytes.subarray(begin, begin + MOST_LINE))
    if (parts % PARTS_A_TURN === 0) await pause()
  }
  if (rest.length > 0 && rest.length < MOST_LINE) take(rest.toString('utf8'), number + 1)
  return offset
}

/** The first line, where it is whole and short. */
export function firstLine(files: Pick<Files, 'readPart'>, path: string): string | null {
  const part = files.readPart(path, 0, FIRST_BYTES)
  const end = part?.indexOf(NEWLINE) ?? -1
  return part === null || end === -1 ? null : part.toString('utf8', 0, end)
}

const FIRST_BYTES = 32 * 1024
