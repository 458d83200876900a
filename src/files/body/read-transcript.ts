/**
 * The transcript: one JSON object a line, append-only. Invariant 1: a line holds no line break of any kind, so no reader
 * splits it. Invariant 2: what a crash leaves (a torn last line, NUL bytes, half a character) costs that line and no
 * other.
 */
export const TRANSCRIPT_TYPES = [
  'start',
  'user',
  'assistant',
  'tool_call',
  'tool_result',
  'action',
  'usage',
  'compaction',
  'ask',
  'verify',
  'error',
  'end',
] as const
export type TranscriptType = (typeof TRANSCRIPT_TYPES)[number]

export interface TranscriptEntry {
  readonly v: number
  readonly id: string
  readonly parent: string | null
  readonly ts: string
  readonly session: string
  readonly room: string
  readonly task: string
  /** One of TRANSCRIPT_TYPES, or one that a newer version writes. */
  readonly type: string
  readonly [more: string]: unknown
}

export interface Transcript {
  readonly entries: readonly TranscriptEntry[]
  /** The last line if it is not whole; null if it is. */
  readonly torn: string | null
  /** Lines in between that are no entries, by 1-based number. */
  readonly skipped: readonly number[]
}

/** One line with its line break. */
export function transcriptLine(entry: { readonly type: string; readonly [key: string]: unknown }): string {
  const json = JSON.stringify(entry)
  return `${json.replaceAll(/[\u2028\u2029\u0085]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Reads what is whole. A line that a merge has doubled counts once, at its first place. */
export function readTranscript(file: Buffer | string): Transcript {
  const text = (typeof file === 'string' ? file : file.toString('utf8')).replace(/^\ufeff/, '')
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const entries: TranscriptEntry[] = []
  const skipped: number[] = []
  const seen = new Set<string>()
  for (const [at, line] of lines.entries()) {
    const plain = clean(line)
    if (plain === '' || seen.has(plain)) continue
    seen.add(plain)
    const entry = parseEntry(plain)
    if (entry === null) skipped.push(at + 1)
    else entries.push(entry)
  }
  return withLast(clean(last), { entries, torn: null, skipped }, seen)
}

/** The line that no line break ends: whole if it parses, else torn. */
function withLast(last: string, read: Transcript, seen: ReadonlySet<string>): Transcript {
  if (last === '' || seen.has(last)) return read
  const entry = parseEntry(last)
  return entry === null ? { ...read, torn: last } : { ...read, entries: [...read.entries, entry] }
}

/** Without what file systems fill holes with after a crash. */
function clean(line: string): string {
  return line.replaceAll('\0', '').trim()
}

function parseEntry(line: string): TranscriptEntry | null {
  try {
    const value: unknown = JSON.parse(line)
    const isEntry =
      typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    return isEntry ? (value as TranscriptEntry) : null
  } catch {
    return null
  }
}
