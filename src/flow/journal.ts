/**
 * Journal: what is about to be done to files and history, written down before, and what came of it after. A daemon
 * that was killed finds in `unfinished()` everything that it may have done half, with all it needs to finish it.
 * What an entry means, and how it is finished, is its writer's affair (commit, recover).
 * Invariant 1: `begin`, `note` and `done` return after the line is on the disk; if they throw, nothing is remembered.
 * Invariant 2: a seq is never used twice within one file.
 * Invariant 3: the file is only emptied when no entry is unfinished.
 */
import { parseLines, readLines, replaceLines } from './jsonl.ts'
import type { Files, Person } from '../ports.ts'

export interface JournalChange {
  /** Relative to the home. */
  readonly path: string
  /** Blob id of the bytes that the change was made from; null for a new file. */
  readonly before: string | null
  /** The new bytes: as text, or in base 64 where they are not UTF-8; null removes the file. */
  readonly after: string | null
  readonly encoding?: 'base64'
}

export interface JournalCommit {
  readonly subject: string
  readonly body: string
  readonly trailers: readonly (readonly [key: string, value: string])[]
  readonly author: Person
}

/** What is begun. `key` makes it idempotent, `kind` says who finishes it. */
export interface JournalStart {
  readonly key: string
  readonly kind: string
  readonly changes: readonly JournalChange[]
  readonly commit: JournalCommit | null
  readonly branch: string
}

export interface JournalEntry extends JournalStart {
  readonly seq: number
  /** Newest last. */
  readonly notes: readonly { readonly state: string; readonly data?: unknown }[]
}

export interface Journal {
  begin(entry: JournalStart): number
  /** Writes down how far an entry has come. Unknown and done entries are ignored. */
  note(seq: number, state: string, data?: unknown): void
  done(seq: number): void
  /** Oldest first. */
  unfinished(): readonly JournalEntry[]
  /** Lines that could not be read when the journal was opened. */
  readonly broken: number
}

export interface JournalOptions {
  /** Called after the n-th line (from 1) is on the disk; crash tests stop there. */
  readonly onAppend?: (n: number) => void
  readonly compactBytes?: number
}

type Line =
  | { readonly op: 'begin'; readonly seq: number; readonly entry: JournalStart }
  | { readonly op: 'note'; readonly seq: number; readonly state: string; readonly data?: unknown }
  | { readonly op: 'done'; readonly seq: number }

const COMPACT_BYTES = 1024 * 1024

export function openJournal(
  files: Pick<Files, 'read' | 'append' | 'save'>,
  path: string,
  options: JournalOptions = {},
): Journal {
  const found = readLines(files, path)
  const state = new Map<number, JournalEntry>()
  let last = 0
  let bytes = found.bytes
  let appended = 0
  let foreign = 0
  for (const value of found.values) {
    if (isLine(value)) {
      apply(state, value)
      last = Math.max(last, value.seq)
    } else foreign += 1
  }
  const write = (line: Line) => {
    const text = JSON.stringify(line)
    files.append(path, text)
    bytes += Buffer.byteLength(text) + 1
    apply(state, line)
    appended += 1
    options.onAppend?.(appended)
  }
  return {
    broken: found.broken + foreign,
    begin(entry) {
      last += 1
      write({ op: 'begin', seq: last, entry })
      return last
    },
    note(seq, name, data) {
      if (!state.has(seq)) return
      write({ op: 'note', seq, state: name, ...(data === undefined ? {} : { data }) })
    },
    done(seq) {
      if (!state.has(seq)) return
      write({ op: 'done', seq })
      if (state.size > 0 || bytes < (options.compactBytes ?? COMPACT_BYTES)) return
      bytes = replaceLines(files, path, [{ op: 'done', seq: last }]).bytes
    },
    unfinished: () => [...state.values()],
  }
}

/** The bytes of a change as the journal keeps them. */
export function encodeAfter(bytes: Buffer | null): Pick<JournalChange, 'after' | 'encoding'> {
  if (bytes === null) return { after: null }
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return { after: text }
  return { after: bytes.toString('base64'), encoding: 'base64' }
}

/** The bytes again. */
export function decodeAfter(change: Pick<JournalChange, 'after' | 'encoding'>): Buffer | null {
  if (change.after === null) return null
  return Buffer.from(change.after, change.encoding ?? 'utf8')
}

/** What a journal of this text would find unfinished; a torn last line and broken lines are skipped. */
export function unfinishedIn(text: string): readonly JournalEntry[] {
  const state = new Map<number, JournalEntry>()
  for (const value of parseLines(text).values) {
    if (isLine(value)) apply(state, value)
  }
  return [...state.values()]
}

function apply(state: Map<number, JournalEntry>, line: Line): void {
  if (line.op === 'begin') state.set(line.seq, { ...line.entry, seq: line.seq, notes: [] })
  if (line.op === 'done') state.delete(line.seq)
  const entry = state.get(line.seq)
  if (line.op !== 'note' || entry === undefined) return
  const note = { state: line.state, ...(line.data === undefined ? {} : { data: line.data }) }
  state.set(line.seq, { ...entry, notes: [...entry.notes, note] })
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
