/**
 * `neo session tail`: the end of a transcript, and with `-f` new entries until the session ends. A transcript keeps its
 * entries when it moves into its room.
 */
import type { TranscriptEntry } from '../../files/body/read-transcript.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { countOption } from '../option-values.ts'
import { onInterrupt, pause } from '../signals.ts'
import { type Call, firstOf } from '../spec.ts'
import { withWorld } from '../with-world.ts'
import { findSession } from './open-sessions.ts'
import { entriesOf, entryCells } from './transcript-path.ts'

const DEFAULT_LINES = 20
const LOOK_MS = 200

export function tail(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const lines = countOption(call, 'lines') ?? DEFAULT_LINES
    const session = await findSession(call, opened, firstOf(call))
    const follows = call.isSet('follow')
    const first = entriesOf(opened, session).slice(-lines)
    if (call.out.mode === 'json' && !follows) {
      call.out.data('session.tail', first)
      return 0
    }
    const printed = new Set<string>()
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
