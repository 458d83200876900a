/** How a session's phases end, and the Outcome that follows. Pure. */

import { redact } from '../domain/secrets/redact.ts'
import type { CommandResult, Outcome } from '../domain/session/session.ts'
import type { Committed } from './commit-work.ts'
import { successText } from './failure-words.ts'
import type { Command } from './step-command.ts'

export type FailedWhy = Extract<Outcome, { kind: 'failed' }>['why']

/** How a session can end. */
export type Ending =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly why: FailedWhy; readonly error: string; readonly tail: string }
  | {
      readonly kind: 'parked'
      readonly by: 'budget' | 'model' | 'filter'
      readonly error: string
      readonly retryAt?: string
    }
  | { readonly kind: 'unknown'; readonly step: string; readonly error: string }
  | { readonly kind: 'stopped'; readonly why: string }

/** What a session has gathered by its end. */
export interface Gathered {
  readonly from: string
  readonly committed: Committed | null
  readonly steps: readonly CommandResult[]
  readonly checks: readonly CommandResult[]
  readonly warnings: readonly string[]
  /** Why checks or hooks did not run, though the room wants them. */
  readonly unchecked?: string
  /** What an agent said when it finished; absent for runbooks. */
  readonly said?: { readonly result: string; readonly report: string }
}

export const NOTHING_GATHERED: Gathered = { from: '', committed: null, steps: [], checks: [], warnings: [] }

/** @param endedAt ISO time */
export function outcomeOf(ending: Ending, gathered: Gathered, endedAt: string): Outcome {
  const { from, committed, checks } = gathered
  const commit = committed?.kind === 'ok' ? committed.commit : ''
  switch (ending.kind) {
    case 'passed': {
      const changed = committed?.kind === 'ok' && committed.changed ? 'yes' : 'no'
      const { said, unchecked } = gathered
      const notes = unchecked === undefined ? gathered.warnings : [...gathered.warnings, unchecked]
      const result = oneLine(said?.result ?? successText(gathered.steps, checks), notes)
      const report = said === undefined || said.report === '' ? {} : { report: redact(said.report) }
      const held = unchecked === undefined ? {} : { unchecked: oneLine(unchecked, []) }
      return { kind: 'done', commit, from, changed, checks, result, endedAt, ...report, ...held }
    }
    case 'failed': {
      const error = oneLine(ending.error, gathered.warnings)
      const tail = ending.tail === '' ? {} : { tail: ending.tail }
      return { kind: 'failed', why: ending.why, error, commit, from, checks, endedAt, ...tail }
    }
    case 'parked': {
      const { by, error, retryAt } = ending
      const again = retryAt === undefined ? {} : { retryAt }
      return { kind: 'parked', by, error: oneLine(error, gathered.warnings), commit, from, endedAt, ...again }
    }
    case 'unknown':
      return { kind: 'unknown', step: ending.step, error: oneLine(ending.error, []), endedAt }
    case 'stopped':
      return { kind: 'stopped', why: oneLine(ending.why, []), endedAt }
  }
}

/** The ending of a command that nobody saw the end of. */
export function unknownEnding(command: Command): Ending {
  const error = `${command.title} was interrupted: it started, and it is unknown how it ended`
  return { kind: 'unknown', step: command.name, error }
}

function oneLine(text: string, warnings: readonly string[]): string {
  return redact([text, ...warnings].join('; ').replace(/\s+/g, ' ').trim())
}
