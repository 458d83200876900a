/**
 * Transcripts as passages, from a watermark on. Invariant 1: a torn last line is left for the next time; a broken line is
 * skipped alone. Invariant 2: results of tools and system prompts are left out.
 */
import { piecesOf } from '../../domain/memory/recall-texts.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { Passage } from '../../ports/index-port.ts'
import { nameOf, type Source, TALK_WEIGHT } from './passages.ts'

export interface TalkRead {
  readonly passages: readonly Passage[]
  /** Bytes of whole lines. */
  readonly bytes: number
  readonly lines: number
}

/** @param before lines that come before these bytes */
export function talkOf(source: Source, bytes: Buffer, before: number): TalkRead {
  const end = bytes.lastIndexOf(10) + 1
  const text = bytes.toString('utf8', 0, end)
  const lines = text === '' ? [] : text.slice(0, -1).split('\n')
  const passages = lines.flatMap((line, index) => {
    const [entry] = readTranscript(`${line}\n`).entries
    return entry === undefined ? [] : said(source, entry, before + index + 1)
  })
  return { passages, bytes: end, lines: lines.length }
}

function said(source: Source, entry: TranscriptEntry, line: number): readonly Passage[] {
  const text = textOf(entry)
  if (text === '') return []
  const who = entry.type === 'user' ? 'member' : 'neo'
  const at = typeof entry.ts === 'string' ? entry.ts : ''
  return piecesOf(redact(text)).map((piece) => ({
    source: source.path,
    part: source.part,
    kind: 'talk',
    type: 'conversation',
    id: nameOf(source.path),
    tags: [who],
    at,
    line,
    weight: TALK_WEIGHT,
    text: piece.text,
  }))
}

/** What a person or a model said in an entry. A session's own brief is no conversation. */
export function textOf(entry: TranscriptEntry): string {
  if (entry.type === 'user') return String(entry.session).startsWith('neo-') ? string(entry['text']) : ''
  if (entry.type === 'end') return ''
  if (entry.type !== 'assistant') return ''
  const parts: unknown = entry['parts'] ?? entry['content']
  if (!Array.isArray(parts)) return string(entry['text'])
  return parts
    .map((part: unknown) => string((part as Readonly<Record<string, unknown>> | null)?.['text']))
    .filter((text) => text.trim() !== '')
    .join('\n\n')
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
