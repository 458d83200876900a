/** What a session's run needs from outside, and the folders that it works in. */

import type { CountedCall } from '../agent/runtime/ask-model.ts'
import type { Usage } from '../domain/agent/model-message.ts'
import type { SessionRecord, SessionStatus } from '../domain/session/session.ts'
import { isoSecond } from '../files/values/times.ts'
import type { Provider } from '../ports/model-port.ts'
import type { AgentWorld, World } from '../ports/world.ts'

/** Absolute paths. */
export interface SessionDirs {
  /** `<git dir>/neo/sessions/<id>`: record, place, steps, outcome. */
  readonly session: string
  readonly worktree: string
  readonly home: string
}

export interface SessionProgress {
  readonly kind: 'step' | 'verify' | 'setup'
  /** From 0. */
  readonly index: number
  readonly of: number
  readonly name: string
}

export interface SessionDeps {
  readonly world: Pick<World, 'git' | 'processes' | 'files' | 'clock'>
  readonly dirs: SessionDirs
  /** The daemon's own environment. Only what environment.ts takes from it reaches a step. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly on: {
    progress(event: SessionProgress): void
    /** One line for a person who looks on. */
    line?(text: string): void
    /** An agent's words as they stream. */
    text?(delta: string): void
    status?(status: SessionStatus): void
  }
  /** What agents need; absent if this process runs none. */
  readonly agent?: AgentDeps
  /** Agents of other homes; absent if the agent protocol is off. */
  readonly peer?: PeerWork
  /** Reason `leave`: let a running step run and return; any other reason: stop. */
  readonly signal: AbortSignal
}

/** True when the run is asked to return and let everything be. */
export function leaving(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === 'leave'
}

/** How a session ends whose signal was aborted. */
export function abortedEnd(
  signal: AbortSignal,
): { readonly kind: 'left' } | { readonly kind: 'stopped'; readonly why: string } {
  return leaving(signal) ? { kind: 'left' } : { kind: 'stopped', why: String(signal.reason) }
}

/** The time for outcomes, which people read in task files: ISO 8601, UTC, whole seconds. */
export function secondsNow({ clock }: Pick<World, 'clock'>): string {
  return isoSecond(clock.now())
}

/** What an agent session needs beside files and processes. */
export interface AgentDeps
  extends Pick<AgentWorld, 'models' | 'sandbox' | 'tree' | 'web' | 'search' | 'mcp'> {
  /** As configured now; keys in them never reach a record or a transcript. */
  providers(): readonly Provider[]
  /** Null: within budget. Else why not, and when it may continue. */
  budget(record: SessionRecord): { readonly error: string; readonly retryAt?: string } | null
  /** Counts a call by an estimate before it is made; what is said of it later takes the estimate's place. */
  calling(
    record: SessionRecord,
    of: { readonly key: string; readonly model: string; readonly estimate: Usage },
  ): CountedCall
  /** Of a program that told what it used when it had ended. */
  used(
    record: SessionRecord,
    of: { readonly key: string; readonly usage: Usage; readonly model: string; readonly usd?: number | null },
  ): void
  /** A want was written: look. */
  wanted(): void
  /** Resolves when something may have come for the session, or the signal aborts. */
  mail(session: string, signal: AbortSignal): Promise<void>
  recall(room: string, query: string, limit: number): Promise<string>
  /** Files of the room's workspace that are about something; null if none are known. */
  files?(
    room: string,
    query: string,
    limit: number,
  ): Promise<readonly { readonly path: string; readonly about: string }[] | null>
  /** Names of the home's personas. */
  personas?(): readonly string[]
  /** Of the home, or of the repository that is worked on. */
  skill(of: {
    readonly name: string
    /** A file beside its text; null: the text itself. */
    readonly file: string | null
    readonly place: SessionRecord['place']
  }): Promise<{ readonly text: string } | { readonly wrong: string }>
}

/** Agents of other homes, for tasks with `worker: peer:ID`. */
export interface PeerWork {
  /** Why this agent can't get tasks now; null if it can. */
  hindrance(agentId: string): string | null
  /** Asks for the task, or how far it is. `trouble`: try again later. */
  execute(of: PeerAsk, signal: AbortSignal): Promise<PeerState>
  /** Kept until the other home has taken it. Of a request whose answer was lost, only its id is known. */
  cancel(agentId: string, of: { readonly taskId: string } | { readonly requestId: string }): void
  /** Resolves when the agent has said something, after the time, or when the signal aborts. */
  news(agentId: string, ms: number, signal: AbortSignal): Promise<void>
}

export interface PeerAsk extends NonNullable<SessionRecord['peer']> {
  readonly requestId: string
}

export type PeerState =
  | {
      readonly kind: 'task'
      readonly taskId: string
      readonly status: 'pending' | 'completed' | 'failed'
      readonly state: string
      readonly text: string
    }
  | { readonly kind: 'trouble'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
