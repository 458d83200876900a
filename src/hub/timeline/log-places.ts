/**
 * The events that files of lines hold: transcripts of sessions and of Neo, and the audit log. Invariant 1: a line that
 * is torn or no entry costs itself alone, and keeps its number. Invariant 2: a clock that went back does not turn the
 * lines of a file around. Invariant 3: only the owner learns for whom Neo acted, nor who talks in which
 * conversation. Invariant 4: at most MOST_BYTES are read for one question; files that were left out are named.
 */
import { join, relative } from 'node:path'
import { mapIn } from '../../domain/text/is-map.ts'
import type { Act } from '../../domain/policy/policy-acts.ts'
import { isScopeAct } from '../../domain/policy/policy-scope.ts'
import { oneLine } from '../../engine/effects/commit-words.ts'
import { readTranscript, saysOf } from '../../files/body/read-transcript.ts'
import type { Files } from '../../ports/files-port.ts'
import {
  AUDITED,
  isWanted,
  type Key,
  LOOKS,
  type Newest,
  rankOf,
  type TimelineEvent,
  type Wanted,
  wantsMoreThan,
} from './event.ts'

const PART_BYTES = 256 * 1024
/** No entry of Neo is longer: results are cut long before. */
const MOST_LINE = 8 * 1024 * 1024
const PARTS_A_TURN = 16
const NEWLINE = 10

interface Reading {
  readonly files: Pick<Files, 'readPart'>
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>
}

/** Gives how many bytes were read. The last line may have no end; it is given as it is. */
async function eachLine(
  { files, pause }: Reading,
  path: string,
  take: (line: string, number: number) => void,
): Promise<number> {
  let [rest, number, offset]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0]
  for (let parts = 1; ; parts++) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part === null || part.length === 0) break
    offset += part.length
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    let begin = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
      number += 1
      if (end - begin < MOST_LINE) take(bytes.toString('utf8', begin, end), number)
      begin = end + 1
    }
    // Of what is too long, only that it is too long is kept.
    rest = Buffer.from(bytes.subarray(begin, begin + MOST_LINE))
    if (parts % PARTS_A_TURN === 0) await pause()
  }
  if (rest.length > 0 && rest.length < MOST_LINE) take(rest.toString('utf8'), number + 1)
  return offset
}

/** The first line, if it is whole and short. */
function firstLine(files: Pick<Files, 'readPart'>, path: string): string | null {
  const part = files.readPart(path, 0, FIRST_BYTES)
  const end = part?.indexOf(NEWLINE) ?? -1
  return part === null || end === -1 ? null : part.toString('utf8', 0, end)
}

const FIRST_BYTES = 32 * 1024

export interface LogPlaces {
  readonly files: Pick<Files, 'scan' | 'names' | 'readPart'>
  readonly home: string
  /** `<git dir>/neo`. */
  readonly dir: string
  readonly pause: Reading['pause']
}

interface LogFile {
  readonly source: 'audit' | 'transcript'
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** Null for the audit log, and for a live session's until its first line is read. */
  readonly room: string | null
  readonly session: string | null
}

const MOST_BYTES = 512 * 1024 * 1024
/** Times of files may be a little before those of their last lines. */
const SLACK_MS = 2_000

/** Gives the files that were not read, as they are shown. */
export async function fromFiles(
  places: LogPlaces,
  wanted: Wanted,
  newest: Newest,
): Promise<readonly string[]> {
  const unread: string[] = []
  let bytes = 0
  for (const file of logFiles(places, wanted).toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    const floor = Math.max(
      newest.floor() ?? Number.NEGATIVE_INFINITY,
      wanted.since ?? Number.NEGATIVE_INFINITY,
    )
    if (file.mtimeMs + SLACK_MS < floor) break
    if (!mayHold(places, wanted, file)) continue
    if (bytes + file.size > MOST_BYTES) unread.push(shownPath(places, file.path))
    else bytes += await readInto(places, { file, wanted, newest })
  }
  return unread
}

/** As an editor in the home opens it; absolute if the git dir is not in the home. */
function shownPath({ home, dir }: LogPlaces, path: string): string {
  const way = relative(home, path)
  return way.startsWith('..') ? join('neo', relative(dir, path)) : way
}

function logFiles(places: LogPlaces, wanted: Wanted): readonly LogFile[] {
  const named = wanted.kinds === null || AUDITED.some((kind) => wanted.kinds?.has(kind))
  const audit = named ? auditFiles(places) : []
  if (!wantsMoreThan(wanted, [...AUDITED, 'git', 'commit'])) return audit
  const live = filesIn(places, join(places.dir, 'transcripts')).map((file) => liveFile(file))
  const names = new Set(live.map(({ session }) => session))
  const rooms = places.files.names(join(places.home, 'rooms'))
  const moved = rooms
    .filter((room) => (wanted.room === null || room === wanted.room) && wanted.sees(room))
    .flatMap((room) =>
      filesIn(places, join(places.home, 'rooms', room, 'transcripts')).map((file) => movedFile(room, file)),
    )
    .filter(({ session }) => session === null || !names.has(session))
  return [...audit, ...live, ...moved]
}

interface Found {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

function filesIn({ files }: LogPlaces, folder: string): readonly Found[] {
  return files
    .scan(folder, (path, kind) => kind === 'file' && path.endsWith('.jsonl') && !path.includes('/'))
    .filter(({ kind }) => kind === 'file')
    .map(({ path, size, mtimeMs }) => ({ name: path, path: join(folder, path), size, mtimeMs }))
}

function auditFiles(places: LogPlaces): readonly LogFile[] {
  return filesIn(places, places.dir)
    .filter(({ name }) => /^audit(?:-\d{4,})?\.jsonl$/.test(name))
    .map((file) => ({ ...file, source: 'audit' as const, room: null, session: null }))
}

function liveFile(file: Found): LogFile {
  const [, room] = /^neo-(.+)-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/.exec(file.name) ?? []
  const session = room === undefined ? file.name.slice(0, -'.jsonl'.length) : null
  return { ...file, source: 'transcript', room: room ?? null, session }
}

function movedFile(room: string, file: Found): LogFile {
  const isNeo = /^neo-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/.test(file.name)
  return {
    ...file,
    source: 'transcript',
    room,
    session: isNeo ? null : file.name.slice(0, -'.jsonl'.length),
  }
}

/** By its name and its first line, so that files about something else are not read. */
function mayHold({ files }: LogPlaces, wanted: Wanted, file: LogFile): boolean {
  if (file.source === 'audit') return true
  if (wanted.session !== null && file.session !== wanted.session) return false
  const [first] = readTranscript(firstLine(files, file.path) ?? '').entries
  if (first === undefined) return true
  const began = Date.parse(first.ts)
  if (wanted.until !== null && began > wanted.until) return false
  const room = file.room ?? roomOf(first.room)
  if (!wanted.sees(room) || (wanted.room !== null && room !== wanted.room)) return false
  return wanted.task === null || file.session === null || wanted.task.names.has(first.task)
}

function roomOf(room: unknown): string | null {
  return typeof room === 'string' && room !== '' ? room : null
}

interface Into {
  readonly file: LogFile
  readonly wanted: Wanted
  readonly newest: Newest
}

async function readInto(places: LogPlaces, { file, wanted, newest }: Into): Promise<number> {
  const shown = shownPath(places, file.path)
  const rank = rankOf(file.source)
  let last = Number.NEGATIVE_INFINITY
  const take = (line: string, number: number): void => {
    const read = file.source === 'audit' ? fromAudit(line, wanted) : fromTranscript(line, file)
    const at = read === null ? Number.NaN : Date.parse(read.event.at)
    if (read === null || Number.isNaN(at)) return
    last = Math.max(last, at)
    const key: Key = [last, rank, shown, number]
    const event: TimelineEvent = { ...read.event, file: shown, line: number }
    if (isWanted(wanted, event, key)) newest.add({ key, event }, read.once)
  }
  return await eachLine(places, file.path, take)
}

interface Read {
  readonly event: TimelineEvent
  readonly once: string
}

const NOWHERE = { name: null, decision: null, file: null, line: null, commit: null } as const

function fromTranscript(line: string, file: LogFile): Read | null {
  const [entry] = readTranscript(line).entries
  if (entry === undefined || typeof entry.ts !== 'string') return null
  const room = file.room ?? roomOf(entry.room)
  const actor = file.session === null ? `neo:${room ?? ''}` : `session:${file.session}`
  const event: TimelineEvent = {
    ...NOWHERE,
    at: entry.ts,
    source: 'transcript',
    kind: entry.type,
    actor,
    room,
    task: typeof entry.task === 'string' && entry.task !== '' ? entry.task : null,
    session: file.session,
    agent: null,
    says: oneLine(saysOf(entry)),
  }
  return { event, once: `${file.path} ${typeof entry.id === 'string' ? entry.id : line}` }
}

function fromAudit(line: string, { viewer }: Wanted): Read | null {
  const said = mapIn(line) ?? {}
  const { at, who, method, act, room, about, effect, rule, reason, hash, ask } = said
  if (typeof at !== 'string' || typeof who !== 'string' || !isEffect(effect)) return null
  const ids = (typeof about === 'object' && about !== null ? about : {}) as Readonly<Record<string, unknown>>
  // Who talks in which conversation is between them and the owner.
  if (viewer !== null && who !== viewer && isScopeAct(act as Act)) return null
  const actor = viewer === null ? who : who.replace(/ for (?:human|member:).*$/s, '')
  const why = actor === who ? ` (${String(rule)}: ${String(reason)})` : ''
  const own = who.startsWith('session:') ? who.slice('session:'.length) : null
  const isRead = effect === 'allow' && LOOKS.has(String(act))
  const event: TimelineEvent = {
    ...NOWHERE,
    at,
    source: 'audit',
    kind: isRead ? 'read' : 'decision',
    actor,
    room: roomOf(room),
    task: textOf(ids['taskId']),
    session: textOf(ids['sessionId']) ?? own,
    agent: who.startsWith('peer:') ? who.slice('peer:'.length) : textOf(ids['agentId']),
    says: oneLine(`${String(method)}: ${effect}${why}`),
    decision: { method: String(method), effect, ask: textOf(ask) ?? textOf(ids['askId']) },
  }
  return { event, once: String(hash) }
}

function isEffect(value: unknown): value is 'allow' | 'ask' | 'deny' {
  return value === 'allow' || value === 'ask' || value === 'deny'
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** When the lines of a session begin, epoch ms; null if unknown. */
export function beginOf(
  { files, dir, home }: LogPlaces,
  session: string,
  room: string | null,
): number | null {
  if (!/^[\w-]+$/.test(session)) return null
  const paths = [
    join(dir, 'transcripts', `${session}.jsonl`),
    ...(room === null ? [] : [join(home, 'rooms', room, 'transcripts', `${session}.jsonl`)]),
  ]
  for (const path of paths) {
    const [first] = readTranscript(firstLine(files, path) ?? '').entries
    const at = first === undefined ? Number.NaN : Date.parse(first.ts)
    if (!Number.isNaN(at)) return at
  }
  return null
}
