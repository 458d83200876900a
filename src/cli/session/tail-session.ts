/**
 * `neo session tail`: the end of a transcript, and with `-f` new entries until the session ends. A running session's
 * transcript is in the git dir, an ended one's in its room; it keeps its entries when it moves.
 */
import { join } from 'node:path'
import {
  isFailure,
  readTranscript,
  saidBy,
  saysOf,
  textOf,
  type TranscriptEntry,
} from '../../files/body/read-transcript.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { countOption } from '../option-values.ts'
import { type Cell, dim, type Style } from '../output.ts'
import { clockText } from '../shown-text.ts'
import { onInterrupt, pause } from '../signals.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { findSession, type Session } from './open-sessions.ts'

const DEFAULT_LINES = 20
const LOOK_MS = 200

export function tail(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const lines = countOption(call, 'lines') ?? DEFAULT_LINES
    const session = await findSession(call, opened, firstOf(call))
    const follows = call.isSet('follow')
    const all = entriesOf(opened, session)
    const first = all.slice(-lines)
    if (call.out.mode === 'json' && !follows) {
      call.out.data('session.tail', first)
      return 0
    }
    const printed = new Set(all.slice(0, -lines).map(({ id }) => id))
    print(call, first, printed)
    if (!follows) {
      if (first.length === 0)
        call.out.note(
          'No transcript here: the session ran on another machine, or before transcripts were stored.',
        )
      return 0
    }
    const interrupt = onInterrupt(call, '')
    try {
      let hasEnded = isEnd(first)
      while (!hasEnded && session.file.endedAt === undefined) {
        await pause(LOOK_MS, interrupt.signal)
        if (interrupt.signal.aborted) return INTERRUPTED
        const entries = entriesOf(opened, session)
        print(call, entries, printed)
        hasEnded = isEnd(entries)
      }
      return 0
    } finally {
      interrupt.release()
    }
  })
}

function isEnd(entries: readonly TranscriptEntry[]): boolean {
  return entries.at(-1)?.type === 'end'
}

/** Prints each entry once. */
function print({ out }: Call, entries: readonly TranscriptEntry[], printed: Set<string>): void {
  for (const entry of entries) {
    if (printed.has(entry.id)) continue
    printed.add(entry.id)
    if (out.mode === 'json') {
      out.event(entry)
      continue
    }
    const { cells, after } = entryCells(entry)
    out.line(...cells)
    if (after.trim() !== '') out.block(after.trimEnd().replaceAll(/^/gm, '    '))
  }
}

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
      dim(clockText(entry.ts)),
      { text: entry.type.padEnd(11), style },
      isLong ? '' : said || saysOf(entry),
    ],
    after: isLong ? said : textOf(entry, 'output'),
  }
}
