/**
 * Files as passages: memories, MEMORY.md, HISTORY.md, daily notes, ended tasks, sessions, and transcripts from an offset
 * on. Invariants: 1. any bytes work: binary files have no passages, broken ones are indexed as plain text; 2. a torn
 * last line is left for the next time, a broken line is skipped alone; 3. results of tools and system prompts are left
 * out.
 */
import { isForgottenNote } from '../../domain/memory/distill-forget.ts'
import { type MemoryType, type Piece, piecesOf, wholeOrPieces } from '../../domain/memory/recall-texts.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import { readMemory } from '../../files/kinds/read-memory.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import type { Passage, PassageKind } from '../../ports/index-port.ts'

export interface Source {
  /** Relative to the home; `live/<name>` under the git dir. */
  readonly path: string
  /** Room; '' for the home. */
  readonly part: string
  readonly kind: PassageKind
}

type Rest = Omit<Passage, 'line' | 'text'>

/** Larger files are lists of facts or notes, not one memory: no header is looked for in them. */
const MOST_WHOLE = 256 * 1024

const WEIGHTS: Readonly<Record<PassageKind, number>> = {
  memory: 1,
  fact: 1.1,
  history: 0.75,
  daily: 0.9,
  task: 0.9,
  session: 0.9,
  talk: 0.7,
  file: 1,
}
const IMPORTANCE = { low: 0.85, normal: 1, high: 1.2 } as const

/** All passages of a file; none if it is empty, or a task that has not ended. */
export function passagesOf(source: Source, bytes: Buffer, zone: string): readonly Passage[] {
  if (isBinary(bytes)) return []
  const isLarge = bytes.length > MOST_WHOLE
  switch (source.kind) {
    case 'memory':
      return isLarge ? plain(source, bytes, 'note') : ofMemory(source, bytes)
    case 'task':
      return isLarge ? [] : ofTask(source, bytes, zone)
    case 'session':
      return isLarge ? [] : ofSession(source, bytes)
    default:
      return plain(source, bytes, 'note')
  }
}

/** As git sees it: a NUL among the first bytes. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0)
}

function ofMemory(source: Source, bytes: Buffer): readonly Passage[] {
  const read = readMemory(source.path, bytes)
  if (read.kind !== 'ok') return plain(source, bytes, 'note')
  const { type, tags, importance, neo, body } = read.value
  const rest = {
    ...baseOf(source, type),
    id: neo.id ?? nameOf(source.path),
    tags,
    at: neo.createdAt ?? '',
    weight: WEIGHTS.memory * IMPORTANCE[importance],
  }
  return made(wholeOrPieces(body, lineOfBody(bytes, body)), rest)
}

function lineOfBody(bytes: Buffer, body: string): number {
  const text = bytes.toString('utf8')
  return text.slice(0, Math.max(0, text.length - body.length)).split('\n').length
}

/** Title and result, or why it failed: one passage. */
function ofTask(source: Source, bytes: Buffer, zone: string): readonly Passage[] {
  const text = bytes.toString('utf8')
  // Cheaper than reading every task: most say nothing that is worth finding.
  if (!/^ {2,}(?:result|error):/m.test(text)) return []
  const read = readTask(source.path, text, zone)
  if (read.kind !== 'ok') return []
  const { title, labels, neo } = read.value
  const says = [neo.result, neo.error].filter((one) => one !== undefined && one !== '').join('\n')
  if (says === '') return []
  const lines = text.split('\n')
  const line = lines.findIndex((one) => /^\s+(?:result|error):/.test(one)) + 1
  const rest = { ...baseOf(source, 'task_result'), id: neo.id ?? nameOf(source.path), tags: labels }
  return [{ ...rest, at: neo.completedAt ?? '', line: Math.max(1, line), text: `${title}\n${says}` }]
}

function ofSession(source: Source, bytes: Buffer): readonly Passage[] {
  const read = readSession(source.path, bytes)
  if (read.kind !== 'ok') return []
  const { body, task, id, endedAt } = read.value
  const rest = { ...baseOf(source, 'task_result'), id, at: endedAt ?? '' }
  return made(wholeOrPieces(body, lineOfBody(bytes, body)), rest, task)
}

/** Notes and facts: each paragraph or item by itself. */
function plain(source: Source, bytes: Buffer, type: MemoryType): readonly Passage[] {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  const day = /(\d{4}-\d{2}-\d{2})\.md$/.exec(source.path)?.[1] ?? ''
  const pieces = piecesOf(text).filter((piece) => !isForgottenNote(piece.text))
  return made(pieces, { ...baseOf(source, type), at: day })
}

function made(pieces: readonly Piece[], rest: Rest, about = ''): readonly Passage[] {
  return pieces.map(({ line, text, heading }) => ({
    ...rest,
    line,
    text,
    ...(heading === '' && about === '' ? {} : { tags: [...rest.tags, ...[heading, about].filter(Boolean)] }),
  }))
}

function baseOf({ path, part, kind }: Source, type: MemoryType): Rest {
  return { source: path, part, kind, type, id: nameOf(path), tags: [], at: '', weight: WEIGHTS[kind] }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:md|jsonl)$/, '')
}

interface TalkRead {
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
    weight: WEIGHTS.talk,
    text: piece.text,
  }))
}

/** What a person or a model said in an entry. A session's own brief is no conversation. */
export function textOf(entry: TranscriptEntry): string {
  if (entry.type === 'user') return String(entry.session).startsWith('neo-') ? string(entry['text']) : ''
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
