/** How a session's phases end, the Outcome that follows, and one line for a person about it. Pure. */
import { stripVTControlCharacters } from 'node:util'
import { redact } from '../domain/secrets/redact.ts'
import type { CommandResult, Outcome } from '../domain/session/session.ts'
import { counted } from '../domain/text/counted.ts'
import type { Committed } from './commit-work.ts'
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

export type Ended = { readonly ending: Ending; readonly gathered: Gathered } | 'left'

export const NOTHING_GATHERED: Gathered = { from: '', committed: null, steps: [], checks: [], warnings: [] }

/** Before anything was gathered. */
export function early(ending: Ending): Ended {
  return { ending, gathered: NOTHING_GATHERED }
}

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

/** Longer last lines are noise in a result, and are cut in an error. */
const RESULT_CHARS = 80
const ERROR_CHARS = 160
const CONTROLS = /\p{Cc}+/gu

/** `Step "build" (line 12) ended with exit code 3: cannot find module x` */
export function failureText(command: Command, result: CommandResult, limits: { output: number }): string {
  const last = errorLine(result.tail)
  return `${command.title} ${howEnded(command, result, limits)}${last === '' ? '' : `: ${cut(last, ERROR_CHARS)}`}`
}

/** `3 steps and 1 check passed: deployed to staging` */
export function successText(steps: readonly CommandResult[], checks: readonly CommandResult[]): string {
  const passed = steps.filter((step) => step.exitCode === 0).length
  const all =
    steps.length === passed ? counted(passed, 'step') : `${passed} of ${counted(steps.length, 'step')}`
  const last = lastLine(steps.at(-1)?.tail ?? '')
  const also = checks.length === 0 ? '' : ` and ${counted(checks.length, 'check')}`
  return `${all}${also} passed${last === '' || last.length > RESULT_CHARS ? '' : `: ${last}`}`
}

/** `2 of 3 checks failed: Check "npm test" ended with exit code 1` */
export function checksText(checks: readonly CommandResult[], first: string): string {
  const red = checks.filter((check) => check.exitCode !== 0).length
  return red === 1 ? first : `${red} of ${counted(checks.length, 'check')} failed: ${first}`
}

/** `step 2 of 3: build`; without a name if it has no name of its own. */
export function placeText(
  kind: string,
  { at, of, name }: { readonly at: number; readonly of: number; readonly name: string },
): string {
  const where = `${kind} ${at} of ${of}`
  return name === '' || name === `step ${at}` ? where : `${where}: ${name}`
}

/** Minutes, seconds: `90s`, `30m`. */
export function durationText(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  if (ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

/** The last line with something on it, without escapes. */
export function lastLine(output: string): string {
  return linesOf(output).at(-1) ?? ''
}

/** Lines below the reason: the path of a log, the version of Node, stack frames, closing brackets, sums and durations of tests. */
const AFTERWORD =
  /^(npm (error|ERR!)( A complete log .*)?|Node\.js v\S+|at .+:\d+.*|[\])}]+[,;]?|(# |ℹ )?(tests|suites|pass|cancelled|skipped|to-?do|duration(_ms)?) .*|1\.\.\d+|\.\.\.)$/i
/** More lines of afterword than this are the output itself. */
const AFTERWORD_LINES = 60

/** What Node says of an error that nobody caught; the error's fields may follow it. */
const THROWN = /^(Uncaught )?\w*Error\b.*: /

/** The last line that can say why a command failed: npm, Node and its test runner end with others. */
export function errorLine(output: string): string {
  const lines = linesOf(output)
  const last = lines.slice(-AFTERWORD_LINES)
  const thrown = last.at(-1)?.startsWith('Node.js v') ? last.findLast((line) => THROWN.test(line)) : undefined
  return thrown ?? last.findLast((line) => !AFTERWORD.test(line)) ?? last.at(-1) ?? ''
}

function linesOf(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split(/[\r\n]+/)
  return lines.map((line) => line.replace(CONTROLS, ' ').trim()).filter((line) => line !== '')
}

function howEnded(command: Command, result: CommandResult, limits: { output: number }): string {
  switch (result.ended) {
    case 'exit':
      return `ended with exit code ${result.exitCode}`
    case 'timeout':
      return command.timeoutMs === null ? 'timed out' : `timed out after ${durationText(command.timeoutMs)}`
    case 'output-limit':
      return `wrote more than ${limits.output / 1024 / 1024} MiB of output`
    case 'stopped':
      return 'was stopped'
  }
}

function cut(text: string, chars: number): string {
  const all = Array.from(text)
  return all.length <= chars ? text : `${all.slice(0, chars - 1).join('')}…`
}
