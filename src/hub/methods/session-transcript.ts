/** session.transcript: what a session said and did, a page at a time from its end. */
import { z } from 'zod'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { Files } from '../../ports/files-port.ts'
import { type HubEnv, method } from '../env.ts'
import { aboutSession, sessionNamed } from '../views/about.ts'
import { badParams } from '../hub.ts'
import { transcriptPaths } from '../subscriptions/session-states.ts'
import { limit, sessionId } from '../views/shapes.ts'

const PART_BYTES = 256 * 1024
/** Of one page, so that one call doesn't hold up others. */
const MOST_BYTES = 8 * 1024 * 1024
const NEWLINE = 10

export const sessionTranscript = method({
  name: 'session.transcript',
  summary: 'Get the transcript of a session',
  details:
    'The first page holds the newest entries; in each page, the oldest comes first. New entries come on the channel `session:ID:transcript`.',
  params: z.strictObject({
    sessionId,
    limit: limit(1_000, 200),
    cursor: z.string().max(20).optional().describe('`cursor` of the page that came before this one'),
  }),
  result: z.strictObject({
    entries: z.array(z.looseObject({ id: z.string(), ts: z.string(), type: z.string() })),
    cursor: z.string().nullable(),
  }),
  act: 'see',
  resource: aboutSession,
  run: async (env, { sessionId, limit: most, cursor }) => {
    const session = await sessionNamed(env, sessionId)
    const before = cursor === undefined ? null : Number(cursor)
    if (before !== null && !(Number.isSafeInteger(before) && before > 0))
      throw badParams(['cursor'], 'want the cursor that a page of this method returned')
    const { entries, from } = readBack(env.context.world.files, transcriptPaths(env, session), {
      before,
      most,
    })
    return { entries: entries.filter(isWhole).map(shown), cursor: from === 0 ? null : String(from) }
  },
})

/** The newest entries of a session, at most `most`, the oldest first; empty if its transcript is gone. */
export function lastEntries(
  env: HubEnv,
  of: { readonly id: string; readonly room: string },
  most: number,
): readonly TranscriptEntry[] {
  return readBack(env.context.world.files, transcriptPaths(env, of), { before: null, most }).entries.filter(
    isWhole,
  )
}

interface Back {
  /** In bytes; null: the end. */
  readonly before: number | null
  readonly most: number
}

/** Reads towards the beginning until there are enough entries. `from`: byte at which they begin. */
function readBack(
  files: Pick<Files, 'readPart' | 'stat'>,
  paths: readonly string[],
  { before, most }: Back,
): { readonly entries: readonly TranscriptEntry[]; readonly from: number } {
  const path = paths.find((one) => files.stat(one, 'file') !== null)
  const size = path === undefined ? 0 : (files.stat(path, 'file')?.size ?? 0)
  if (path === undefined || size === 0) return { entries: [], from: 0 }
  const end = Math.min(before ?? size, size)
  let begin = end
  let bytes: Buffer = Buffer.alloc(0)
  while (begin > 0 && end - begin < MOST_BYTES && linesIn(bytes) <= most) {
    const start = Math.max(0, begin - PART_BYTES)
    const part = files.readPart(path, start, begin - start) ?? Buffer.alloc(0)
    bytes = Buffer.concat([part, bytes])
    begin = start
  }
  const from = lastLines(bytes, { most, isWhole: begin === 0 })
  return { entries: readTranscript(bytes.subarray(from)).entries, from: begin + from }
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

/** Where the last `most` lines begin; the first line counts only if it is whole. */
function lastLines(bytes: Buffer, { most, isWhole }: { most: number; isWhole: boolean }): number {
  let at = bytes.length - 1
  for (let lines = 0; lines < most; lines++) {
    const end = at <= 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    if (end === -1) return isWhole ? 0 : bytes.indexOf(NEWLINE) + 1
    at = end
  }
  return at + 1
}

function isWhole({ id, ts }: TranscriptEntry): boolean {
  return typeof id === 'string' && typeof ts === 'string'
}

/** Without the provider's own blocks, which repeat the parts. */
function shown({ raw: _, ...entry }: TranscriptEntry): TranscriptEntry {
  return entry as TranscriptEntry
}
