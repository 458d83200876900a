/**
 * The files of Neo's conversations: their saved states, and the transcripts: `<git dir>/neo/transcripts/neo-<room>-<date>-<n>.jsonl` while they are live, then
 * `rooms/<room>/transcripts/neo-<date>-<n>.jsonl`. Those of a scope are in its own folders under the same names, with
 * the scope instead of the room. Invariant 1: a number is used once a day and room, also after the file has moved.
 * Invariant 2: a saved state of a conversation that is read back has its shape, all the way down.
 */
import { hasTexts, isMap } from '../domain/text/is-map.ts'
import { join } from 'node:path'
import type { Message } from '../domain/agent/model-message.ts'
import { readTranscript, type TranscriptEntry } from '../files/body/read-transcript.ts'
import type { Files } from '../ports/files-port.ts'
import type { Conversation, Handled, Item, OpenTurn } from './orchestrator-conversation.ts'

export interface TranscriptFile {
  readonly room: string
  readonly date: string
  readonly n: number
  readonly path: string
  /** Name that it has, or will have, in the room. */
  readonly name: string
  readonly at: 'here' | 'moved'
}

interface TranscriptPlaces {
  readonly files: Pick<Files, 'names' | 'read'>
  /** `<git dir>/neo`. */
  readonly dir: string
  readonly home: string
  /** Folder of closed ones, absolute; absent: in the room. */
  readonly moved?: string
}

/** Files are closed at 256 KiB, plus one turn; a longer one was not written here. */
const MOST_BYTES = 64 * 1024 * 1024
const HERE = /^neo-(.+)-(\d{4}-\d{2}-\d{2})-(\d+)\.jsonl$/
const MOVED = /^neo-(\d{4}-\d{2}-\d{2})-(\d+)\.jsonl$/

/** All of a room, oldest first; one that is in both places is taken from here. */
export function transcriptsOf(places: TranscriptPlaces, room: string): readonly TranscriptFile[] {
  const here = liveTranscripts(places).filter((file) => file.room === room)
  const names = new Set(here.map(({ name }) => name))
  const folder = places.moved ?? join(places.home, 'rooms', room, 'transcripts')
  const moved = places.files.names(folder).flatMap((name): readonly TranscriptFile[] => {
    const [, date, n] = MOVED.exec(name) ?? []
    if (date === undefined || n === undefined || names.has(name)) return []
    return [{ room, date, n: Number(n), path: join(folder, name), name, at: 'moved' }]
  })
  return [...here, ...moved].sort(inOrder)
}

/** Those of all rooms that have not moved, oldest first. */
export function liveTranscripts({ files, dir }: TranscriptPlaces): readonly TranscriptFile[] {
  return files
    .names(join(dir, 'transcripts'))
    .flatMap((file): readonly TranscriptFile[] => {
      const [, room, date, n] = HERE.exec(file) ?? []
      if (room === undefined || date === undefined || n === undefined) return []
      return [fileHere(dir, { room, date, n: Number(n) })]
    })
    .sort(inOrder)
}

export function fileHere(
  dir: string,
  { room, date, n }: { readonly room: string; readonly date: string; readonly n: number },
): TranscriptFile {
  const path = join(dir, 'transcripts', `neo-${room}-${date}-${n}.jsonl`)
  return { room, date, n, path, name: `neo-${date}-${n}.jsonl`, at: 'here' }
}

function inOrder(a: TranscriptFile, b: TranscriptFile): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1
  return a.n - b.n
}

/** Whether a file was begun after the one of this name. */
export function isAfter(file: TranscriptFile, name: string): boolean {
  const [, date, n] = MOVED.exec(name) ?? []
  return date === undefined || file.date > date || (file.date === date && file.n > Number(n))
}

export function entriesOf({ files }: TranscriptPlaces, { path }: TranscriptFile): readonly TranscriptEntry[] {
  const read = files.read(path, MOST_BYTES)
  return read.kind === 'file' ? readTranscript(read.bytes).entries.filter(isEntry) : []
}

/** What the rest relies on; another line of JSON is passed over. */
function isEntry(entry: TranscriptEntry): boolean {
  return typeof entry.id === 'string' && typeof entry.ts === 'string' && !Number.isNaN(Date.parse(entry.ts))
}

export function bytesOf({ files }: TranscriptPlaces, { path }: TranscriptFile): number {
  const read = files.read(path, MOST_BYTES)
  return read.kind === 'file' ? read.stat.size : 0
}

/** True if its last entry says that nothing follows. */
export function isClosed(entries: readonly TranscriptEntry[]): boolean {
  const last = entries.at(-1)
  return last?.type === 'end' && (last['of'] === 'conversation' || last['of'] === 'file')
}

type Loose = Readonly<Record<string, unknown>>

export function savedConversation(value: unknown, room: string): Conversation | null {
  if (!isMap(value) || value['v'] !== 1 || value['room'] !== room) return null
  const isWhole =
    isTextOrNull(value['file']) &&
    isTextOrNull(value['last']) &&
    typeof value['summary'] === 'string' &&
    isTextOrNull(value['compactedAt']) &&
    isListOf(value['items'], isItem) &&
    (value['open'] === null || isOpen(value['open'])) &&
    isListOf(value['handled'], isHandled) &&
    isListOf(value['wakes'], (one): one is number => typeof one === 'number')
  return isWhole ? (value as unknown as Conversation) : null
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function isItem(value: unknown): value is Item {
  return hasTexts(value, 'id', 'at', 'turn') && isMessage(value['message'])
}

function isMessage(value: unknown): value is Message {
  if (!isMap(value) || (value['role'] !== 'user' && value['role'] !== 'assistant')) return false
  const kinds = value['role'] === 'user' ? ['result', 'text', 'image'] : ['call', 'text']
  return isListOf(
    value['parts'],
    (part): part is Loose => isPart(part) && kinds.includes(String(part['kind'])),
  )
}

function isPart(value: unknown): value is Loose {
  if (!isMap(value)) return false
  switch (value['kind']) {
    case 'text':
      return hasTexts(value, 'text')
    case 'image':
      return hasTexts(value, 'type', 'path')
    case 'call':
      return hasTexts(value, 'id', 'name') && isMap(value['input'])
    case 'result':
      return hasTexts(value, 'call', 'name', 'text') && typeof value['isError'] === 'boolean'
    default:
      return false
  }
}

function isOpen(value: unknown): value is OpenTurn {
  if (!hasTexts(value, 'id', 'asked')) return false
  const { keys, modelCalls, actions, begun } = value
  const counts = typeof modelCalls === 'number' && typeof actions === 'number'
  return counts && isListOf(keys, isText) && isMap(begun) && Object.values(begun).every(isText)
}

function isHandled(value: unknown): value is Handled {
  return hasTexts(value, 'key', 'reply')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
