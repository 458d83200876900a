/**
 * What a session's run needs from outside, and the folders that it works in.
 * Leaves to flow/: making them, and what follows from an outcome.
 */
import type { World } from '../ports.ts'

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
  }
  /** Reason `leave`: let a running step run and return; any other reason: stop. */
  readonly signal: AbortSignal
}

/** True when the run is asked to return and let everything be. */
export function leaving(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === 'leave'
}

/** The time for outcomes, which people read in task files: ISO 8601, UTC, whole seconds. */
export function secondsNow({ clock }: Pick<World, 'clock'>): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`
}
