/**
 * The live transcript of a session, `<git dir>/neo/transcripts/<id>.jsonl`: one JSON object a line. Invariant 1: an
 * entry's id follows from session, position and key, so a replay finds its lines there and adds none. Invariant 2: what
 * looks like a secret is redacted before it is written. Invariant 3: a long transcript is never whole in memory, and a torn
 * last line is skipped.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { redact } from '../domain/secrets/redact.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import {
  readTranscript,
  type TranscriptEntry,
  type TranscriptType,
  transcriptLine,
} from '../files/body/read-transcript.ts'
import type { Files } from '../ports/files-port.ts'
import type { SessionDeps } from './deps.ts'

type Fields = Readonly<Record<string, string | number | boolean | null>>

export interface Transcript {
  /** `key` names the entry within its session, e.g. `step-0:call`. On disk when it returns. */
  add(type: TranscriptType, key: string, fields: Fields): void
  /** As `add`, but on disk at `Files.sync`. */
  note(type: TranscriptType, key: string, fields: Fields): void
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Opens the transcript of a session, new or from before a restart. */
export function openTranscript(record: SessionRecord, { world, dirs }: SessionDeps): Transcript {
  const path = transcriptPath(record, { dirs })
  const there = new Set<string>()
  eachEntry(world.files, path, ({ id }) => there.add(id))
  let parent: string | null = null
  let count = 0
  let shown: unknown = ''
  function write(sync: 'now' | 'later', { type, key, fields }: Said): void {
    const id = entryId(record, count, key)
    const ts = new Date(world.clock.now()).toISOString()
    const base = { v: 1, id, parent, ts, session: record.id, room: record.room, task: record.taskId, type }
    parent = id
    count += 1
    // What the failed command wrote is in the entry above, and is not told twice.
    const own = type === 'error' && fields['output'] === shown ? { ...fields, output: '' } : fields
    shown = fields['output'] ?? shown
    if (!there.has(id)) world.files.append(path, transcriptLine({ ...base, ...clean(own) }), sync)
  }

  return {
    add: (type, key, fields) => write('now', { type, key, fields }),
    note: (type, key, fields) => write('later', { type, key, fields }),
  }
}

interface Said {
  readonly type: TranscriptType
  readonly key: string
  readonly fields: Fields
}

/** The live one, absolute. */
export function transcriptPath(
  record: Pick<SessionRecord, 'id'>,
  { dirs }: Pick<SessionDeps, 'dirs'>,
): string {
  return join(dirs.session, '..', '..', 'transcripts', `${record.id}.jsonl`)
}

/** 26 characters like a ULID: the session's start, the position, and a hash. They sort in the order of entries. */
function entryId(record: SessionRecord, count: number, key: string): string {
  const hash = createHash('sha256').update(`${record.id}\n${key}`).digest()
  const tail = Array.from(hash.subarray(0, 12), (byte) => CROCKFORD[byte & 31]).join('')
  return base32(Date.parse(record.startedAt), 10) + base32(count, 4) + tail
}

function base32(value: number, width: number): string {
  let text = ''
  for (let rest = Math.max(0, Math.floor(value)); text.length < width; rest = Math.floor(rest / 32))
    text = (CROCKFORD[rest % 32] ?? '0') + text
  return text
}

function clean(fields: Fields): Fields {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([k, v]) => [k, typeof v === 'string' ? redact(v) : v]))
}

const PART_BYTES = 256 * 1024
const NEWLINE = 10

export function eachEntry(
  files: Pick<Files, 'readPart'>,
  path: string,
  take: (entry: TranscriptEntry) => void,
): void {
  let rest: Buffer = Buffer.alloc(0)
  for (let offset = 0; ; ) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part === null || part.length === 0) break
    offset += part.length
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    for (const entry of readTranscript(bytes.subarray(0, end)).entries) take(entry)
    rest = Buffer.from(bytes.subarray(end))
  }
  for (const entry of readTranscript(rest).entries) take(entry)
}
