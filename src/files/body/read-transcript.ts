/**
 * The transcript: one JSON object a line, append-only, and each entry as text. Invariant 1: a line contains no line
 * break of any kind, so that no reader splits it. Invariant 2: a crash (a torn last line, NUL bytes, half a
 * character) costs only the line itself.
 */

import { mapIn } from '../../domain/text/is-map.ts'

const TRANSCRIPT_TYPES = [
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

interface Transcript {
  readonly entries: readonly TranscriptEntry[]
  /** The last line if it is not whole; null if it is. */
  readonly torn: string | null
  /** 1-based numbers of lines in between that are not entries. */
  readonly skipped: readonly number[]
}

/** One line with its line break. */
export function transcriptLine(entry: { readonly type: string; readonly [key: string]: unknown }): string {
  const json = JSON.stringify(entry)
  return `${json.replaceAll(/[\u2028\u2029\u0085]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Reads complete lines. A line that a merge has doubled counts once, at its first place. */
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

/** The line without a line break at its end: complete if it parses, else torn. */
function withLast(last: string, read: Transcript, seen: ReadonlySet<string>): Transcript {
  if (last === '' || seen.has(last)) return read
  const entry = parseEntry(last)
  return entry === null ? { ...read, torn: last } : { ...read, entries: [...read.entries, entry] }
}

/** Without the NUL bytes that file systems leave after a crash. */
function clean(line: string): string {
  return line.replaceAll('\0', '').trim()
}

function parseEntry(line: string): TranscriptEntry | null {
  const value = mapIn(line)
  return typeof value?.['type'] === 'string' ? (value as unknown as TranscriptEntry) : null
}

/** Letters of a message or result in a line. */
const LINE = 160

export function saysOf(entry: TranscriptEntry): string {
  switch (entry.type) {
    case 'start':
      return `${textOf(entry, 'title')} (${textOf(entry, 'worker')}, ${textOf(entry, 'branch')})`
    case 'tool_call':
      return entry['command'] === undefined ? agentCall(entry) : stepCall(entry)
    case 'assistant':
      // Lines of other programs can have text instead of parts.
      return firstLine(saidBy(entry) || textOf(entry, 'text')) || callsOf(entry)
    case 'tool_result':
    case 'verify':
      return entry['result'] === undefined
        ? `${endedOf(entry)} after ${textOf(entry, 'ms')} ms`
        : firstLine(textIn(entry['result'], 'text'))
    default:
      return firstLine(
        textOf(entry, 'message') ||
          textOf(entry, 'text') ||
          textOf(entry, 'error') ||
          textOf(entry, 'outcome'),
      )
  }
}

/** The text of an answer, without thinking and calls; '' if it only calls tools. */
export function saidBy(entry: TranscriptEntry): string {
  return partsOf(entry, 'text')
    .map((part) => textIn(part, 'text'))
    .join('\n')
    .trim()
}

/** The input of a call in short: its first text. */
export function callWords(tool: string, input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : []
  const text = values.find((value) => typeof value === 'string') ?? ''
  const [line = ''] = String(text).split('\n')
  const letters = [...line]
  return `${tool} ${letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : line}`.trim()
}

/** True for a failure of a step, a tool or the session. */
export function isFailure(entry: TranscriptEntry): boolean {
  return entry['is_error'] === true || entry.type === 'error' || textIn(entry['result'], 'isError') === 'yes'
}

function agentCall(entry: TranscriptEntry): string {
  return callWords(textOf(entry, 'tool'), entry['input'])
}

function stepCall(entry: TranscriptEntry): string {
  const name = textOf(entry, 'name')
  const first = firstLine(textOf(entry, 'command'))
  return name === '' || name === first ? first : `${name}: ${first}`
}

function callsOf(entry: TranscriptEntry): string {
  const names = partsOf(entry, 'call').map((part) => textIn(part, 'name'))
  return names.length === 0 ? '' : `calls ${names.join(', ')}`
}

function partsOf(entry: TranscriptEntry, kind: string): readonly unknown[] {
  const parts = entry['parts']
  return Array.isArray(parts) ? parts.filter((part) => textIn(part, 'kind') === kind) : []
}

function textIn(value: unknown, key: string): string {
  const found: unknown =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : ''
  return typeof found === 'string' ? found : ''
}

function firstLine(text: string): string {
  const lines = text.trim().split(/\r?\n/)
  const [first = ''] = lines
  const letters = [...first]
  const cut = letters.length > LINE ? `${letters.slice(0, LINE - 1).join('')}…` : first
  return lines.length > 1 && cut === first ? `${first} …` : cut
}

function endedOf(entry: TranscriptEntry): string {
  const ended = textOf(entry, 'ended')
  return ended === 'exit' || ended === '' ? `exit code ${textOf(entry, 'exit_code')}` : ended
}

/** The text of a key; '' without one. */
export function textOf(entry: TranscriptEntry, key: string): string {
  const value = entry[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
