/**
 * An agent session's own lines in its transcript, each under a key: what has a key there was done, and is not done
 * again. Invariants: 1. a line outlives the program when it is written, and a power cut when it or a later one was
 * `put`: once a step, before a tool runs, is enough; 2. one line a key; 3. what looks like a secret is masked before it
 * is written, also inside values.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { maskJson } from './runtime/mask-json.ts'
import type { JsonObject } from '../domain/agent/model-message.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { type TranscriptEntry, type TranscriptType, transcriptLine } from '../files/body/read-transcript.ts'
import type { SessionDeps } from '../runner/deps.ts'
import { eachEntry } from '../runner/entries.ts'

export interface AgentLog {
  has(key: string): boolean
  /** On the disk when it returns, with all that was noted before it. */
  put(type: TranscriptType, key: string, fields: JsonObject): void
  /** The same without waiting for the disk: a kill of the program loses nothing, a power cut what came after the last `put`. */
  note(type: TranscriptType, key: string, fields: JsonObject): void
}

/** @param take is given the entries from before this process, in order, one by one */
export function openLog(
  record: SessionRecord,
  deps: Pick<SessionDeps, 'world' | 'dirs'>,
  take: (entry: TranscriptEntry) => void = () => {},
): AgentLog {
  const { files, clock } = deps.world
  const path = join(deps.dirs.session, '..', '..', 'transcripts', `${record.id}.jsonl`)
  const keys = new Set<string>()
  let parent: string | null = null
  eachEntry(files, path, (entry) => {
    if (typeof entry['key'] !== 'string' || keys.has(entry['key'])) return
    keys.add(entry['key'])
    parent = entry.id
    take(entry)
  })
  const write = (
    sync: 'now' | 'later',
    { type, key, fields }: { type: TranscriptType; key: string; fields: JsonObject },
  ) => {
    if (keys.has(key)) return
    keys.add(key)
    const id = entryId(record.id, key)
    const ts = new Date(clock.now()).toISOString()
    const place = { session: record.id, room: record.room, task: record.taskId }
    const base = { v: 1, id, parent, ts, ...place, type, key }
    parent = id
    files.append(path, transcriptLine({ ...base, ...(maskJson(fields) as JsonObject) }), sync)
  }
  return {
    has: (key) => keys.has(key),
    put: (type, key, fields) => write('now', { type, key, fields }),
    note: (type, key, fields) => write('later', { type, key, fields }),
  }
}

function entryId(session: string, key: string): string {
  return createHash('sha256').update(`${session}\n${key}`).digest('hex').slice(0, 26)
}
