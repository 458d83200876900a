/**
 * The journal: what is about to be done to files and history, written down before. A killed daemon finds in
 * `unfinished()` everything that it may have done in part, with all that it needs to finish it. Invariants: 1. `begin`
 * returns after its line is on disk; the lines of `note` and `done` get there with the next `begin`, or a moment later,
 * so that a power cut may repeat an intent, which changes nothing. If they throw, nothing is remembered; 2. a seq is
 * never used twice in one file; 3. compaction keeps what is unfinished.
 */
import type { Person } from '../../ports/git-port.ts'
import { KeyedLog, type LogFiles, type LogFormat } from '../../store/keyed-log.ts'

/** Larger files are refused: no task file that a person writes comes near it. */
export const MAX_BYTES = 1024 * 1024

export interface FileChange {
  /** Relative to the home. */
  readonly path: string
  /** Git blob id of the present bytes; null: the file must not exist. */
  readonly before: string | null
  /** The new text; null removes the file. */
  readonly after: string | null
}

interface JournalCommit {
  readonly subject: string
  readonly body: string
  readonly trailers: readonly (readonly [key: string, value: string])[]
  readonly author: Person
}

/** `key` makes it idempotent; `kind` says who finishes it. */
export interface JournalStart {
  readonly key: string
  readonly kind: string
  readonly changes: readonly FileChange[]
  readonly commit: JournalCommit | null
  readonly branch: string
}

export interface JournalEntry extends JournalStart {
  readonly seq: number
  /** Newest last. */
  readonly notes: readonly { readonly state: string; readonly data?: unknown }[]
}

interface JournalOptions {
  /** Called after the n-th line (from 1) is on the disk; crash tests stop there. */
  readonly onAppend?: (n: number) => void
  readonly compactBytes?: number
}

type Line =
  | { readonly op: 'begin'; readonly seq: number; readonly entry: JournalStart }
  | { readonly op: 'note'; readonly seq: number; readonly state: string; readonly data?: unknown }
  | { readonly op: 'done'; readonly seq: number }

const COMPACT_BYTES = 1024 * 1024

/** Opens or creates it; throws NeoError `disk` if it can't be read. */
export function openJournal(files: LogFiles, path: string, options: JournalOptions = {}): Journal {
  return new Journal(files, path, options)
}

export class Journal {
  /** Lines that could not be read when the journal was opened. */
  readonly broken: number
  readonly #log: KeyedLog<Line, JournalEntry>
  #last = 0

  constructor(files: LogFiles, path: string, { onAppend, compactBytes = COMPACT_BYTES }: JournalOptions) {
    const format: LogFormat<Line, JournalEntry> = {
      read: (value) => (isLine(value) ? value : null),
      apply: (state, line) => {
        this.#last = Math.max(this.#last, line.seq)
        apply(state.open, line)
      },
      lines: ({ open }) => shortest(this.#last, [...open.values()]),
    }
    this.#log = new KeyedLog(files, path, { format, onAppend, compactBytes, keptKeys: 0 })
    this.broken = this.#log.broken
  }

  begin(entry: JournalStart): number {
    const seq = this.#last + 1
    // Also after a failure: the line may be on the disk all the same (invariant 2).
    this.#last = seq
    this.#log.write({ op: 'begin', seq, entry })
    return seq
  }

  /** Writes down how far an entry has come. Unknown and done entries are ignored. */
  note(seq: number, state: string, data?: unknown): void {
    if (!this.#log.has(String(seq))) return
    this.#log.write({ op: 'note', seq, state, ...(data === undefined ? {} : { data }) }, 'later')
  }

  done(seq: number): void {
    if (this.#log.has(String(seq))) this.#log.write({ op: 'done', seq }, 'later')
  }

  /** Drops the text of everything that is finished, as a purge needs it. */
  shrink(): void {
    this.#log.compact()
  }

  /** Oldest first. */
  unfinished(): readonly JournalEntry[] {
    return [...this.#log.open.values()]
  }
}

/** The last seq comes first: so it is known, and an entry of that seq that is unfinished stays. */
function shortest(last: number, entries: readonly JournalEntry[]): readonly Line[] {
  const open = entries.flatMap(({ seq, notes, ...entry }): Line[] => [
    { op: 'begin', seq, entry },
    ...notes.map((note) => ({ op: 'note', seq, ...note }) as const),
  ])
  return [{ op: 'done', seq: last }, ...open]
}

function apply(open: Map<string, JournalEntry>, line: Line): void {
  const key = String(line.seq)
  if (line.op === 'begin') open.set(key, { ...line.entry, seq: line.seq, notes: [] })
  if (line.op === 'done') open.delete(key)
  const entry = open.get(key)
  if (line.op !== 'note' || entry === undefined) return
  const note = { state: line.state, ...(line.data === undefined ? {} : { data: line.data }) }
  open.set(key, { ...entry, notes: [...entry.notes, note] })
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null || !('op' in value) || !('seq' in value)) return false
  if (typeof value.seq !== 'number') return false
  if (value.op === 'begin') return 'entry' in value && isStart(value.entry)
  if (value.op === 'note') return 'state' in value && typeof value.state === 'string'
  return value.op === 'done'
}

function isStart(value: unknown): value is JournalStart {
  if (typeof value !== 'object' || value === null) return false
  return (
    'key' in value &&
    'kind' in value &&
    'branch' in value &&
    'changes' in value &&
    Array.isArray(value.changes)
  )
}
