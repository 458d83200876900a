/**
 * Sessions for subscribers: their status with the last event, and each line of their transcripts. Invariant 1: a subscriber
 * gets the last lines, then each new one once, in order, also when the file moves from the git dir into its room; a line
 * that is not whole yet comes when it is. Invariant 2: files are read only while somebody subscribes; a long file costs no
 * more than its end.
 */
import { join } from 'node:path'
import type { SessionFact, Snapshot } from '../../domain/plan/snapshot.ts'
import { readTranscript, type TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { Files } from '../../ports/files-port.ts'
import type { HubEnv } from '../env.ts'
import { findSession, roomNames } from '../views/find-in-home.ts'

/** What `session:<id>:state` carries: its status, and what was last said of it. */
export type SessionState = { readonly status: string } & Readonly<Record<string, unknown>>

export interface SessionStates {
  /** Somebody listens to it from now on. */
  follow(id: string, room: string): void
  state(snapshot: Snapshot, id: string): SessionState
  /** The last lines that were sent. */
  transcript(id: string): readonly TranscriptEntry[]
  /** News of a session from elsewhere: `{event, question?, summary?}`. */
  say(id: string, event: unknown): void
  close(): void
}

/** Delay of a line. */
const LOOK_MS = 150
/** Sessions whose last event is kept for latecomers. */
const MOST_EVENTS = 500

type Said = Readonly<Record<string, unknown>>

/** @param changed is called with a channel whose state is another one now */
export function openSessionStates(env: HubEnv, changed: (channel: string) => void): SessionStates {
  return new FollowedSessions(env, changed)
}

class FollowedSessions implements SessionStates {
  private readonly tails = new Map<string, Tail>()
  private readonly events = new Map<string, Said>()
  private readonly env: HubEnv
  private readonly changed: (channel: string) => void
  private cancel: (() => void) | null = null

  constructor(env: HubEnv, changed: (channel: string) => void) {
    this.env = env
    this.changed = changed
  }

  follow(id: string, room: string): void {
    const known = this.tails.get(id)
    if (known !== undefined) this.tell(id, known.read())
    else this.begin(id, openTail(this.env.context.world.files, transcriptPaths(this.env, { id, room })))
    this.again()
  }

  state(snapshot: Snapshot, id: string): SessionState {
    const fact = this.env.context.sessions.facts().get(id)
    const status = statusOf(this.env, snapshot, { id, fact })
    return { ...this.events.get(id), ...questionOf(fact), status }
  }

  transcript(id: string): readonly TranscriptEntry[] {
    return this.tails.get(id)?.last() ?? []
  }

  say(id: string, event: unknown): void {
    this.remember(id, typeof event === 'object' && event !== null ? (event as Said) : {})
    this.changed(`session:${id}:state`)
  }

  close(): void {
    this.cancel?.()
    this.tails.clear()
  }

  private begin(id: string, tail: Tail): void {
    this.tails.set(id, tail)
    const said = tail
      .last()
      .map(eventOf)
      .findLast((one) => one !== null)
    if (said !== undefined && said !== null && !this.events.has(id)) this.remember(id, said)
  }

  private tell(id: string, entries: readonly TranscriptEntry[]): void {
    for (const entry of entries) {
      this.env.channels.publish(`session:${id}:transcript`, entry)
      const said = eventOf(entry)
      if (said !== null) this.say(id, said)
    }
  }

  private look(): void {
    this.cancel = null
    const known = new Set(this.env.channels.names())
    for (const [id, tail] of this.tails) {
      const isKnown = known.has(`session:${id}:transcript`) || known.has(`session:${id}:state`)
      if (!isKnown) this.tails.delete(id)
      else if (isHeard(this.env, id)) this.tell(id, tail.read())
    }
    if ([...this.tails.keys()].some((id) => isHeard(this.env, id))) this.again()
  }

  private again(): void {
    this.cancel ??= this.env.context.world.clock.after(LOOK_MS, () => this.look())
  }

  private remember(id: string, said: Said): void {
    this.events.delete(id)
    this.events.set(id, said)
    for (const oldest of this.events.keys()) {
      if (this.events.size <= MOST_EVENTS) return
      this.events.delete(oldest)
    }
  }
}

function isHeard({ channels }: HubEnv, id: string): boolean {
  return channels.listens(`session:${id}:transcript`) || channels.listens(`session:${id}:state`)
}

/** The live one, and the one that it becomes. */
export function transcriptPaths(
  { context: { dir, home } }: HubEnv,
  { id, room }: { readonly id: string; readonly room: string },
): readonly string[] {
  const name = `${id}.jsonl`
  return [join(dir, 'transcripts', name), join(home, 'rooms', room, 'transcripts', name)]
}

/** What a line means for those who follow the state; null: nothing. */
function eventOf({ type, ts, message, text }: TranscriptEntry): Said | null {
  const summary = [message, text].find((one) => typeof one === 'string' && one !== '')
  const more = { at: ts, ...(summary === undefined ? {} : { summary }) }
  if (type === 'assistant') return { event: 'turn_completed', ...more }
  if (type === 'error') return { event: 'error', ...more }
  return type === 'end' ? { event: 'ended', ...more } : null
}

/** What it waits for a person with. */
function questionOf(fact: SessionFact | undefined): Said {
  const want = fact?.outcome === null ? fact.wants?.find(({ kind }) => isAsking(kind)) : undefined
  return want === undefined ? {} : { event: 'waiting_for_input', question: want.text }
}

function isAsking(kind: string): boolean {
  return kind === 'question' || kind === 'approval'
}

interface Known {
  readonly id: string
  readonly fact: SessionFact | undefined
}

/** What runs here is known before its file is; what has ended says so in its file. */
function statusOf(env: HubEnv, snapshot: Snapshot, { id, fact }: Known): string {
  if (fact === undefined) return findSession(env, roomNames(snapshot), id).status
  if (fact.outcome !== null) return ENDED_AS[fact.outcome.kind] ?? 'stopped'
  if (fact.stopping) return 'stopped'
  return fact.wants?.some(({ kind }) => isAsking(kind)) ? 'waiting_for_input' : 'running'
}

const ENDED_AS: Readonly<Record<string, string>> = { done: 'completed', failed: 'failed' }

interface Tail {
  /** The last ones that were given. */
  last(): readonly TranscriptEntry[]
  /** What was added since. */
  read(): readonly TranscriptEntry[]
}

/** Entries that later subscribers get. */
const LAST_ENTRIES = 100
const FIRST_BYTES = 1024 * 1024
const PART_BYTES = 256 * 1024
/** Of one look, so that others have their turn. */
const MOST_BYTES = 4 * 1024 * 1024
const NEWLINE = 10

/** @param paths in the order in which they are looked at */
export function openTail(files: Pick<Files, 'stat' | 'readPart'>, paths: readonly string[]): Tail {
  const [size = 0] = paths.flatMap((path) => files.stat(path, 'file')?.size ?? [])
  const begin = Math.max(0, size - FIRST_BYTES)
  let offset = begin
  // What begins in the middle of a line is no line.
  let rest: Buffer | null = begin === 0 ? Buffer.alloc(0) : null
  let last: readonly TranscriptEntry[] = []

  function more(): Buffer[] {
    const parts: Buffer[] = []
    for (let bytes = 0; bytes < MOST_BYTES; ) {
      const part = partAt(files, paths, offset)
      if (part === null || part.length === 0) break
      offset += part.length
      bytes += part.length
      parts.push(part)
    }
    return parts
  }

  function read(): readonly TranscriptEntry[] {
    const parts = more()
    if (parts.length === 0) return []
    const bytes = Buffer.concat(rest === null ? parts : [rest, ...parts])
    const from = rest === null ? bytes.indexOf(NEWLINE) + 1 : 0
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end === 0) {
      if (rest !== null) rest = bytes
      return []
    }
    rest = Buffer.from(bytes.subarray(end))
    const { entries } = readTranscript(bytes.subarray(from, end))
    last = [...last, ...entries].slice(-LAST_ENTRIES)
    return entries
  }

  read()
  return { last: () => last, read }
}

function partAt(files: Pick<Files, 'readPart'>, paths: readonly string[], offset: number): Buffer | null {
  for (const path of paths) {
    const part = files.readPart(path, offset, PART_BYTES)
    if (part !== null) return part
  }
  return null
}
