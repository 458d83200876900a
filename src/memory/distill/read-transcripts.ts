/**
 * Messages of a conversation after a watermark, and what is known of how far it was read: `<git
 * dir>/neo/memory/<room>.json`, by a model `memory/by-model/<room>.json`. Invariants: 1. a transcript counts once,
 * whether it is under the git dir or in the room; 2. text that did not come from a person is marked, and never counts as
 * the user's; 3. a torn line is not read yet; 4. a lost or broken watermark starts from the beginning, and lines that
 * exist already are not duplicated; 5. places that were forgotten (`neo-2026-03-01-1:12`) are listed without their
 * words; a damaged list counts as empty.
 */
import { join } from 'node:path'
import { jsonIn } from '../../domain/text/is-map.ts'
import { whyOf } from '../../domain/home/error.ts'
import type { Said } from '../../domain/memory/distill-rules.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import type { Context } from '../../engine/context.ts'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { Files } from '../../ports/files-port.ts'
import { textOf } from '../index/passages.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'

export interface RoomMark extends Watermark {
  /** Attempts of tasks that have their memory: `t-7f3k2q@2`. */
  readonly results: readonly string[]
  /** Sources of messages that were heard while they waited. */
  readonly waited: readonly string[]
  readonly failures: number
  /** Epoch ms before which it is not tried again; 0 for any time. */
  readonly retryAt: number
  readonly error: string
}

/** Of a scope, or how far a model has summarised a conversation. */
export type Mark = Omit<RoomMark, 'results' | 'waited'>

export const NO_FAILURE = { failures: 0, retryAt: 0, error: '' } as const
const NEW: RoomMark = { file: '', line: 0, results: [], waited: [], ...NO_FAILURE }
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 600_000

type Where = Pick<Context, 'dir'> & { readonly world: Pick<Context['world'], 'files'> }

/** What a mark says after one more failure. */
export function failedAgain({ world: { clock } }: Context, mark: Mark, error: unknown) {
  const failures = mark.failures + 1
  const wait = grownWait({ first: FIRST_WAIT_MS, most: LONGEST_WAIT_MS }, failures)
  return { failures, retryAt: clock.now() + wait, error: whyOf(error) }
}

export function markOf({ dir, world }: Where, room: string): RoomMark {
  return read(world.files.readJson(pathOf(dir, room)))
}

export function markAt({ world }: Pick<Where, 'world'>, path: string): Mark {
  const { results: _, waited: __, ...mark } = read(world.files.readJson(path))
  return mark
}

export function saveMarkAt({ world }: Pick<Where, 'world'>, path: string, mark: Mark): void {
  world.files.writeJson(path, mark)
}

function read(kept: unknown): RoomMark {
  if (typeof kept !== 'object' || kept === null) return NEW
  const { file, line, results, waited, failures, retryAt, error } = kept as Readonly<Record<string, unknown>>
  return {
    file: typeof file === 'string' ? file : '',
    line: typeof line === 'number' ? line : 0,
    results: Array.isArray(results) ? results.map(String) : [],
    waited: Array.isArray(waited) ? waited.map(String) : [],
    failures: typeof failures === 'number' ? failures : 0,
    retryAt: typeof retryAt === 'number' ? retryAt : 0,
    error: typeof error === 'string' ? error : '',
  }
}

export function saveMark({ dir, world }: Where, room: string, mark: RoomMark): void {
  world.files.writeJson(pathOf(dir, room), mark)
}

function pathOf(dir: string, room: string): string {
  return join(dir, 'memory', `${room}.json`)
}

export function modelPathOf(dir: string, room: string): string {
  return join(dir, 'memory', 'by-model', `${room}.json`)
}

export interface Watermark {
  /** `neo-2026-03-01-1`; '' before the first. */
  readonly file: string
  /** Lines of it that are done. */
  readonly line: number
}

export interface Heard {
  readonly said: readonly Said[]
  readonly watermark: Watermark
  /** The conversation was closed in the meantime, by `/new`. */
  readonly closed: 'yes' | 'no'
}

interface Room {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly files: Pick<Files, 'names' | 'read'>
  /** Or a scope: then `dir` is its own folder, and `moved` says where its closed transcripts lie. */
  readonly room: string
  readonly moved?: string
  readonly timezone: string
}

const MOVED = /^neo-(\d{4}-\d{2}-\d{2})-(\d+)\.jsonl$/
const MOST_BYTES = 16 * 1024 * 1024
/** Of one run; what is left comes with the next. */
const MOST_SAID = 2_000

export function heardSince(at: Room, since: Watermark): Heard {
  const said: Said[] = []
  let watermark = since
  let closed: 'yes' | 'no' = 'no'
  const { dir, files, room, moved } = at
  const forgotten = forgottenIn(files, moved === undefined ? forgottenPath(dir, room) : forgottenInScope(dir))
  for (const { name, path } of transcripts(at)) {
    if (since.file !== '' && isBefore(name, since.file)) continue
    if (said.length >= MOST_SAID) break
    const done = name === since.file ? since.line : 0
    const lines = wholeLines(at.files, path)
    for (const [index, line] of lines.entries()) {
      const [entry] = index < done ? [] : readTranscript(`${line}\n`).entries
      if (entry === undefined) continue
      if (entry.type === 'end' && entry['of'] === 'conversation') closed = 'yes'
      const source = `${name}:${index + 1}`
      if (!forgotten.has(source)) said.push(...saidIn(entry, source, at.timezone))
    }
    watermark = { file: name, line: Math.max(done, lines.length) }
  }
  return { said, watermark, closed }
}

/** Oldest first. */
function transcripts({
  home,
  dir,
  files,
  room,
  moved: folder = join(home, 'rooms', room, 'transcripts'),
}: Room): readonly { readonly name: string; readonly path: string }[] {
  const live = files.names(join(dir, 'transcripts')).flatMap((name) => {
    const rest = name.startsWith(`neo-${room}-`) ? `neo-${name.slice(`neo-${room}-`.length)}` : ''
    return MOVED.test(rest) ? [{ name: rest.slice(0, -6), path: join(dir, 'transcripts', name) }] : []
  })
  const here = new Set(live.map(({ name }) => name))
  const moved = files
    .names(folder)
    .filter((name) => MOVED.test(name) && !here.has(name.slice(0, -6)))
    .map((name) => ({ name: name.slice(0, -6), path: join(folder, name) }))
  return [...live, ...moved].toSorted((a, b) => (isBefore(a.name, b.name) ? -1 : 1))
}

function isBefore(a: string, b: string): boolean {
  const [, dateA = '', numberA = '0'] = MOVED.exec(`${a}.jsonl`) ?? []
  const [, dateB = '', numberB = '0'] = MOVED.exec(`${b}.jsonl`) ?? []
  return dateA === dateB ? Number(numberA) < Number(numberB) : dateA < dateB
}

function wholeLines(files: Room['files'], path: string): readonly string[] {
  const read = files.read(path, MOST_BYTES)
  if (read.kind !== 'file') return []
  const text = read.bytes.toString('utf8', 0, read.bytes.lastIndexOf(10) + 1)
  return text === '' ? [] : text.slice(0, -1).split('\n')
}

const MARKED = /<(message|data)((?: [a-z_]+="[^"\n]*")*)>\n([\s\S]*?)\n<\/\1>/g

/** A user's entry holds what woke Neo, each in its mark (domain/agent/neo-data.ts); an assistant's is what Neo said. */
function saidIn(entry: TranscriptEntry, source: string, zone: string): readonly Said[] {
  const when = whenOf(Date.parse(String(entry.ts)), zone)
  const text = textOf(entry)
  if (when === null || text.trim() === '') return []
  if (entry.type === 'assistant') return [{ ...when, source, speaker: 'neo', isPerson: false, text }]
  const marked = [...text.matchAll(MARKED)]
  const keys: unknown = entry['keys']
  const isEach = Array.isArray(keys) && keys.length === marked.length
  return marked.map(([, kind, about = '', inner = ''], at) => {
    const from = / from="([^"]*)"/.exec(about)?.[1] ?? ''
    const isPerson = kind === 'message' && (from === 'human' || from.startsWith('member:'))
    const also = isEach ? waitingSource(keys[at]) : null
    const said = { ...when, source, speaker: from === '' ? 'somebody' : from, isPerson, text: inner } as const
    return also === null ? said : { ...said, also }
  })
}

/** Day and time in the home's zone; `null` outside of the years 1970 to 9999. */
export function whenOf(ms: number, zone: string): { readonly day: string; readonly time: string } | null {
  if (Number.isNaN(ms) || ms < 0 || ms > LAST_MS) return null
  const wall = new Date(wallOf(ms, zone)).toISOString()
  return { day: wall.slice(0, 10), time: wall.slice(11, 16) }
}

/** A day before the year 10,000, so that no zone is behind its end. */
const LAST_MS = Date.UTC(9999, 11, 31)

/** Where a message was said while it waited in an inbox; null for the key of any other trigger. */
export function waitingSource(key: unknown): string | null {
  return typeof key === 'string' && key.startsWith('inbox:') ? `${WAITED}${shortHash(key)}:1` : null
}

const WAITED = 'inbox-'

export function isWaitingSource(source: string): boolean {
  return source.startsWith(WAITED)
}

/** The oldest places go first. */
const MOST_PLACES = 5_000

const MOST_LIST_BYTES = 1024 * 1024

/** Of a room, or of a conversation in the home's index. `dir`: `<git dir>/neo`. */
export function forgottenPath(dir: string, part: string): string {
  return join(dir, 'memory', `${encodeURIComponent(part)}.forgotten.json`)
}

/** Of a conversation, in its own folder. */
export function forgottenInScope(state: string): string {
  return join(state, 'forgotten.json')
}

export function forgottenIn(files: Pick<Files, 'read'>, path: string): ReadonlySet<string> {
  const read = files.read(path, MOST_LIST_BYTES)
  const kept = read.kind === 'file' ? jsonIn(read.bytes.toString('utf8')) : []
  return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [])
}

const TALK = /^(?:.*\/)?(neo-.*\d{4}-\d{2}-\d{2}-\d+)\.jsonl$/

/** How facts name a transcript: without the room that the name of a live one holds. */
export function talkName(path: string, part: string): string {
  const name = TALK.exec(path)?.[1] ?? ''
  const room = part.replace(/^scope:/, '')
  return name.startsWith(`neo-${room}-`) ? `neo-${name.slice(`neo-${room}-`.length)}` : name
}

export function noteForgotten(
  files: Pick<Files, 'read' | 'writeJson'>,
  path: string,
  places: readonly string[],
): void {
  if (places.length === 0) return
  files.writeJson(path, [...new Set([...forgottenIn(files, path), ...places])].slice(-MOST_PLACES))
}
