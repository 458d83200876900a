/**
 * One conversation on disk. Invariant 1: an entry is on disk when `put` returns. Invariant 2: secrets are masked before
 * that. Invariant 3: the saved state is only a shortcut: the transcripts give the same state.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { JsonObject } from '../domain/agent/model-message.ts'
import { dayOf } from '../domain/budget/usage-sum.ts'
import { maskJson } from '../domain/secrets/redact.ts'
import type { ClosedFile } from '../engine/agents/orchestrator.ts'
import { type TranscriptEntry, type TranscriptType, transcriptLine } from '../files/body/read-transcript.ts'
import type { Files } from '../ports/files-port.ts'
import type { Clock } from '../ports/world.ts'
import { applied, type Conversation, emptyConversation } from './orchestrator-conversation.ts'
import {
  bytesOf,
  entriesOf,
  fileHere,
  isAfter,
  isClosed,
  liveTranscripts,
  savedConversation,
  type TranscriptFile,
  transcriptsOf,
} from './transcript-files.ts'

export interface StoreOptions {
  readonly files: Files
  readonly clock: Pick<Clock, 'now'>
  readonly dir: string
  readonly home: string
  readonly timezone: () => string
  /** Folder of a scope's closed transcripts, absolute; absent: it is a room's conversation. */
  readonly moved?: string
}

export interface Store {
  state(): Conversation
  /** Appends an entry. */
  put(type: TranscriptType, fields: JsonObject): Conversation
  /** Closes the file if its day is over or it is large. Only between turns. */
  rotate(): void
  /** Saves the state, so that opening it is quick. */
  save(): void
}

const CLOSE_BYTES = 256 * 1024
/** Files that a rebuild reads: more conversation than any window holds. */
const REBUILD_FILES = 12

/** Opens the conversation of a room. */
export function openStore(options: StoreOptions, room: string): Store {
  const { files, clock, dir } = options
  const kept = join(dir, 'context', `${room}.json`)
  let state = load(options, room, savedConversation(files.readJson(kept), room))
  let file = currentFile(options, room)
  const put = (type: TranscriptType, fields: JsonObject): Conversation => {
    file ??= nextFile(options, room)
    const whose = options.moved === undefined ? 'room' : 'scope'
    const entry = entryOf({ state, whose, type, fields, ts: new Date(clock.now()).toISOString() })
    files.append(file.path, transcriptLine(entry))
    state = applied(state, entry, file.name)
    if (isClosed([entry])) file = null
    return state
  }
  return {
    state: () => state,
    put,
    rotate() {
      if (file !== null && isOver(options, file)) put('end', { of: 'file' })
    },
    // A power cut may lose it: it is rebuilt from the transcripts.
    save: () => files.writeJson(kept, state, 'later'),
  }
}

/** Transcripts that are complete and may move. Closes files whose day is over, but not during a turn. */
export function closedTranscripts(
  options: StoreOptions,
  conversationOf: (name: string) => { readonly store: Store; readonly busy: number },
): readonly ClosedFile[] {
  const live = liveTranscripts(options)
  for (const name of new Set(live.map(({ room }) => room))) {
    const { store, busy } = conversationOf(name)
    if (busy === 0) store.rotate()
  }
  return live.flatMap((file) => {
    const isNewest = !live.some((other) => other.room === file.room && isAfter(other, file.name))
    if (isNewest && !isClosed(entriesOf(options, file))) return []
    return [{ room: file.room, path: file.path, name: file.name }]
  })
}

/** The current file; null if the next entry begins one. */
function currentFile(options: StoreOptions, room: string): TranscriptFile | null {
  const newest = transcriptsOf(options, room).findLast(({ at }) => at === 'here')
  if (newest === undefined || isClosed(entriesOf(options, newest))) return null
  return newest
}

function nextFile(options: StoreOptions, room: string): TranscriptFile {
  const today = dayOf(options.clock.now(), options.timezone())
  const newest = transcriptsOf(options, room).at(-1)
  // A clock that went back, or another zone, must not put a file before the newest one.
  const date = newest !== undefined && newest.date > today ? newest.date : today
  const n = newest?.date === date ? newest.n + 1 : 1
  return fileHere(options.dir, { room, date, n })
}

function isOver(options: StoreOptions, file: TranscriptFile): boolean {
  return file.date < dayOf(options.clock.now(), options.timezone()) || bytesOf(options, file) >= CLOSE_BYTES
}

function load(options: StoreOptions, room: string, kept: Conversation | null): Conversation {
  const all = transcriptsOf(options, room)
  if (kept !== null) {
    const since = sinceKept(options, all, kept)
    if (since !== null) return since.reduce((state, { entry, file }) => applied(state, entry, file), kept)
  }
  const entries = entriesSince(options, all.slice(-REBUILD_FILES), null) ?? []
  return entries.reduce((state, { entry, file }) => applied(state, entry, file), emptyConversation(room))
}

/** Entries after the saved state; if its file is gone, those of later files; null if it does not match its file. */
function sinceKept(
  options: StoreOptions,
  all: readonly TranscriptFile[],
  { file, last }: Conversation,
): readonly Placed[] | null {
  const from = file === null ? 0 : all.findIndex(({ name }) => name === file)
  if (from >= 0) return entriesSince(options, all.slice(from), last)
  return entriesSince(
    options,
    all.filter((one) => isAfter(one, file ?? '')),
    null,
  )
}

interface Placed {
  readonly entry: TranscriptEntry
  readonly file: string
}

/** Entries after `last`; null if it is not in the first file. */
function entriesSince(
  options: StoreOptions,
  files: readonly TranscriptFile[],
  last: string | null,
): readonly Placed[] | null {
  const placed = files.flatMap((file) =>
    entriesOf(options, file).map((entry): Placed => ({ entry, file: file.name })),
  )
  if (last === null) return placed
  const at = placed.findIndex(({ entry }) => entry.id === last)
  return at < 0 ? null : placed.slice(at + 1)
}

/** Ids are a chain: each follows from the one before, the time and what is said, so none comes twice. */
function entryOf(of: {
  readonly state: Conversation
  readonly whose: 'room' | 'scope'
  readonly type: TranscriptType
  readonly fields: JsonObject
  readonly ts: string
}): TranscriptEntry {
  const { state, type, ts } = of
  const fields = maskJson(of.fields) as JsonObject
  const seed = JSON.stringify([state.room, state.last, ts, type, fields])
  const id = createHash('sha256').update(seed).digest('hex').slice(0, 26)
  const base = {
    v: 1,
    id,
    parent: state.last,
    ts,
    session: `neo-${state.room}`,
    room: of.whose === 'room' ? state.room : '',
    task: '',
    type,
  }
  return { ...base, ...fields }
}
