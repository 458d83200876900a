/**
 * What sessions are and say, for those who listen: their status with the last event, and each line of their transcripts.
 * Invariant 1: a subscriber gets the last lines, then each new one once, in order. Invariant 2: files are looked at only
 * while somebody listens.
 */
import { join } from 'node:path'
import type { SessionFact, Snapshot } from '../../domain/plan/snapshot.ts'
import type { TranscriptEntry } from '../../files/body/read-transcript.ts'
import type { HubEnv } from '../env.ts'
import { roomNames } from '../views/find-in-home.ts'
import { findSession } from '../views/sessions-at.ts'
import { openTail, type Tail } from './tail-transcript.ts'

/** What `session:<id>:state` carries: its status, and what was last said of it. */
export type SessionState = { readonly status: string } & Readonly<Record<string, unknown>>

export interface SessionStates {
  /** Somebody listens to it from now on. */
  follow(id: string, room: string): void
  state(snapshot: Snapshot, id: string): SessionState
  /** The last lines that were told. */
  transcript(id: string): readonly TranscriptEntry[]
  /** What is told of a session from elsewhere: `{event, question?, summary?}`. */
  say(id: string, event: unknown): void
  close(): void
}

/** How soon a line is told. */
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
    else this.begin(id, tailOf(this.env, id, room))
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

function tailOf({ context }: HubEnv, id: string, room: string): Tail {
  const live = join(context.dir, 'transcripts', `${id}.jsonl`)
  const moved = join(context.home, 'rooms', room, 'transcripts', `${id}.jsonl`)
  return openTail(context.world.files, [live, moved])
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
