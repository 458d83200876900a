/** Transcripts: a running session's is in the git dir, an ended one's in its room. */
import { join } from 'node:path'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import { isFailure, saidBy, saysOf, textOf } from '../../files/body/transcript-words.ts'
import type { Cell, Style } from '../output.ts'
import { clockText } from '../time.ts'
import type { Opened } from '../with-world.ts'
import type { Session } from './open-sessions.ts'

/** Neo's own are cut much earlier. */
const MAX_BYTES = 128 * 1024 * 1024

/** Absolute; the running session's first. `null` without a transcript. */
export function transcriptPath(
  { home, world, dir }: Opened,
  { id, room }: Pick<Session, 'id' | 'room'>,
): string | null {
  const places = [
    join(dir, 'transcripts', `${id}.jsonl`),
    join(home, 'rooms', room, 'transcripts', `${id}.jsonl`),
  ]
  return places.find((path) => world.files.read(path, 0).kind !== 'missing') ?? null
}

export function entriesOf(opened: Opened, session: Pick<Session, 'id' | 'room'>): readonly TranscriptEntry[] {
  const path = transcriptPath(opened, session)
  const read = path === null ? null : opened.world.files.read(path, MAX_BYTES)
  return read?.kind === 'file' ? readTranscript(read.bytes).entries : []
}

/** One entry as cells: time, type and text; `after` has output of several lines. */
export function entryCells(entry: TranscriptEntry): {
  readonly cells: readonly Cell[]
  readonly after: string
} {
  const said = saidBy(entry)
  const isLong = said.includes('\n')
  const style: Style = isFailure(entry) ? 'red' : entry.type === 'end' ? 'bold' : 'cyan'
  return {
    cells: [
      { text: clockText(entry.ts), style: 'dim' },
      { text: entry.type.padEnd(11), style },
      isLong ? '' : said || saysOf(entry),
    ],
    after: isLong ? said : textOf(entry, 'output'),
  }
}
