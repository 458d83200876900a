/**
 * An agent session's own lines in its transcript, each under a key: what has a key there was done, and is not done again.
 * Takes entries; gives them back after a restart. Leaves to ../transcript.ts: the lines of setup and checks in the same file.
 * Invariants: 1. a line is on disk when `put` returns; 2. one line a key; 3. what looks like a secret is masked before it
 * is written, also inside values.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../core/model/message.ts'
import type { SessionRecord } from '../../core/model/session.ts'
import { redact } from '../../core/rules/redact.ts'
import {
  readTranscript,
  type TranscriptEntry,
  type TranscriptType,
  transcriptLine,
} from '../../formats/transcript.ts'
import type { SessionDeps } from '../deps.ts'

export interface AgentLog {
  /** Entries with a key from before this process, in order; given once, then forgotten. */
  take(): readonly TranscriptEntry[]
  has(key: string): boolean
  put(type: TranscriptType, key: string, fields: JsonObject): void
}

/** More than any session writes; a longer one is read as far as this. */
const MOST_BYTES = 512 * 1024 * 1024

export function openLog(record: SessionRecord, deps: Pick<SessionDeps, 'world' | 'dirs'>): AgentLog {
  const { files, clock } = deps.world
  const path = join(deps.dirs.session, '..', '..', 'transcripts', `${record.id}.jsonl`)
  let old = keyed(files.read(path, MOST_BYTES))
  const keys = new Set(old.map((entry) => String(entry['key'])))
  let parent: string | null = old.at(-1)?.id ?? null
  return {
    take() {
      const taken = old
      old = []
      return taken
    },
    has: (key) => keys.has(key),
    put(type, key, fields) {
      if (keys.has(key)) return
      keys.add(key)
      const id = entryId(record.id, key)
      const ts = new Date(clock.now()).toISOString()
      const base = {
        v: 1,
        id,
        parent,
        ts,
        session: record.id,
        room: record.room,
        task: record.taskId,
        type,
        key,
      }
      parent = id
      files.append(path, transcriptLine({ ...base, ...(masked(fields) as JsonObject) }))
    },
  }
}

function keyed(read: { readonly kind: string; readonly bytes?: Buffer }): readonly TranscriptEntry[] {
  if (read.bytes === undefined) return []
  return readTranscript(read.bytes).entries.filter((entry) => typeof entry['key'] === 'string')
}

function entryId(session: string, key: string): string {
  return createHash('sha256').update(`${session}\n${key}`).digest('hex').slice(0, 26)
}

/** The same value with every text in it masked. */
export function masked(value: Json): Json {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one)]))
}
