/**
 * One event of the timeline, the order of all of them, and which ones a query wants. Pure. Invariant 1: the order is total
 * and the same for every query: a page continues exactly where the last one ended. Invariant 2: within one file and one
 * second of commits, the order is that of the file and of git. Invariant 3: an event of a room that the caller does not see
 * is never wanted.
 */

import { jsonIn } from '../../domain/text/is-map.ts'

export interface TimelineEvent {
  /** ISO 8601 UTC, as the source says it. */
  readonly at: string
  readonly source: Source
  /** `start`, `complete`, … of a commit's `Neo-Event`, else `commit`; `decision` or `read`; a transcript's type. */
  readonly kind: string
  /** `human`, `neo`, `neo:<room>`, `member:<id>`, `session:<id>`, `peer:<id>`. */
  readonly actor: string
  /** As git knows them. */
  readonly name: string | null
  readonly room: string | null
  readonly task: string | null
  readonly session: string | null
  /** The agent of another home that did it, or that it is about. */
  readonly agent: string | null
  readonly says: string
  /** Of a call that was decided about; null for commits and transcripts. */
  readonly decision: Decided | null
  readonly file: string | null
  readonly line: number | null
  readonly commit: string | null
}

export interface Decided {
  readonly method: string
  readonly effect: 'allow' | 'ask' | 'deny'
  /** Id of the request that it became. */
  readonly ask: string | null
}

export const SOURCES = ['audit', 'git', 'transcript'] as const
type Source = (typeof SOURCES)[number]

/** Position of an event: time in ms, source, file, line. */
export type Key = readonly [at: number, rank: number, file: string, line: number]

interface Placed {
  readonly key: Key
  readonly event: TimelineEvent
}

export function rankOf(source: Source): number {
  return SOURCES.indexOf(source)
}

function compareKeys(a: Key, b: Key): number {
  if (a[0] !== b[0]) return a[0] - b[0]
  if (a[1] !== b[1]) return a[1] - b[1]
  if (a[2] !== b[2]) return a[2] < b[2] ? -1 : 1
  return a[3] - b[3]
}

/** Keeps the newest `most` of what it is given, in bounded room. */
export class Newest {
  private readonly most: number
  private kept: Placed[] = []
  private readonly seen = new Set<string>()

  constructor(most: number) {
    this.most = most
  }

  /** @param once what a merge may have doubled has one name; the first one counts */
  add(placed: Placed, once?: string): void {
    if (once !== undefined && this.seen.has(once)) return
    if (once !== undefined) this.seen.add(once)
    this.kept.push(placed)
    if (this.kept.length >= 2 * this.most + SLACK) this.cut()
  }

  /** The time before which nothing more is wanted; null while there is room. */
  floor(): number | null {
    this.cut()
    return this.kept.length < this.most ? null : (this.kept[0]?.key[0] ?? null)
  }

  /** Oldest first. */
  all(): readonly Placed[] {
    this.cut()
    return this.kept
  }

  private cut(): void {
    this.kept = this.kept.toSorted((a, b) => compareKeys(a.key, b.key)).slice(-this.most)
    if (this.seen.size > MOST_SEEN) this.seen.clear()
  }
}

const SLACK = 1_000
const MOST_SEEN = 100_000

export function cursorOf(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Of a Date, in ms. */
const MOST_TIME = 8.64e15

/** Null for an invalid cursor. */
export function keyOf(cursor: string): Key | null {
  const key = jsonIn(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!Array.isArray(key) || key.length !== 4) return null
  const [at, rank, file, line] = key as readonly unknown[]
  const isKey =
    typeof at === 'number' &&
    Math.abs(at) <= MOST_TIME &&
    typeof rank === 'number' &&
    typeof file === 'string' &&
    typeof line === 'number'
  return isKey ? [at, rank, file, line] : null
}

export interface Wanted {
  readonly room: string | null
  readonly task: TaskWanted | null
  readonly session: string | null
  /** Of another home. */
  readonly agent: string | null
  /** Tasks that agents of other homes do: the agent by the id of the task. */
  readonly handedOver: ReadonlyMap<string, string>
  readonly actor: string | null
  /** Null: all but `read`. */
  readonly kinds: ReadonlySet<string> | null
  /** In small letters; null: any. */
  readonly text: string | null
  /** Epoch ms, both included. */
  readonly since: number | null
  readonly until: number | null
  /** Only what is before it. */
  readonly before: Key | null
  /** Null is the home as a whole. */
  readonly sees: (room: string | null) => boolean
  /** Who asks, as the audit log names them; null: the owner, who alone learns who talks where. */
  readonly viewer: string | null
}

export interface TaskWanted {
  /** Its id first, then the other names that calls may have used. */
  readonly names: ReadonlySet<string>
  /** Null for a task whose file is gone. */
  readonly path: string | null
  readonly sessions: ReadonlySet<string>
}

export function isWanted(wanted: Wanted, event: TimelineEvent, key: Key): boolean {
  const at = Date.parse(event.at)
  if (wanted.since !== null && at < wanted.since) return false
  if (wanted.until !== null && at > wanted.until) return false
  if (wanted.before !== null && compareKeys(key, wanted.before) >= 0) return false
  return isAbout(wanted, event) && isOfKind(wanted, event) && isBy(wanted, event) && says(wanted, event)
}

function says({ text }: Wanted, { says, name, task, session, commit }: TimelineEvent): boolean {
  if (text === null) return true
  return [says, name, task, session, commit].some((one) => one?.toLowerCase().includes(text) === true)
}

function isAbout({ room, task, session, agent, sees }: Wanted, event: TimelineEvent): boolean {
  if (!sees(event.room)) return false
  if (room !== null && event.room !== room) return false
  if (session !== null && event.session !== session) return false
  if (agent !== null && event.agent !== agent) return false
  if (task === null) return true
  if (event.task !== null) return task.names.has(event.task)
  return event.session !== null && task.sessions.has(event.session)
}

function isOfKind({ kinds }: Wanted, event: TimelineEvent): boolean {
  const { kind, source, decision } = event
  if (kinds === null) return kind !== 'read'
  if (kinds.has('refusal') && decision?.effect === 'deny') return true
  if (kinds.has('peer') && kind !== 'read' && isOfAgents(event)) return true
  return (
    kinds.has(kind) || (kinds.has(source) && kind !== 'read') || (source === 'git' && kinds.has('commit'))
  )
}

/** With agents of other homes: what they did, and what was done about them. */
function isOfAgents({ agent, decision }: TimelineEvent): boolean {
  return agent !== null || /^(?:agent|aoi)\./.test(decision?.method ?? '')
}

/** `neo` is Neo of every room; a name is that of git. */
function isBy({ actor }: Wanted, event: TimelineEvent): boolean {
  if (actor === null || event.actor === actor) return true
  return event.actor.startsWith(`${actor}:`) || event.name?.toLowerCase() === actor.toLowerCase()
}

/** Acts that only look. An agent of another home says hello every minute. */
export const LOOKS: ReadonlySet<string> = new Set(['see', 'see-home', 'peer-hello'])

/** Kinds of the audit log. */
export const AUDITED: readonly string[] = ['audit', 'decision', 'read', 'refusal', 'peer']

/** Whether anything else than these kinds is wanted. */
export function wantsMoreThan({ kinds, agent }: Wanted, others: readonly string[]): boolean {
  // Besides the audit log, only commits of tasks that were handed over are about agents.
  if (agent !== null) return false
  return kinds === null || [...kinds].some((kind) => !others.includes(kind))
}
