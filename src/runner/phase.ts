/**
 * The phases of a session as lists of commands: setup and steps stop at the first failure, checks all run, cleanup
 * decides nothing. Invariant 1: no command starts after the session was asked to stop or to detach.
 */
import type { CommandResult } from '../domain/session/session.ts'
import { abortedEnd } from './deps.ts'
import {
  checksText,
  durationText,
  type Ending,
  type FailedWhy,
  failureText,
  unknownEnding,
} from './ending.ts'
import { OUTPUT_BYTES, type Run, runCommand } from './run-step.ts'
import { type Command, type LineOptions, lineCommands } from './step-command.ts'

export interface Phase {
  readonly ending: Ending | { readonly kind: 'left' }
  readonly results: readonly CommandResult[]
}

/** Setup, then nothing more than the first failure. */
export async function runSetup(run: Run, of: LineOptions = {}): Promise<Phase> {
  return await inOrder(run, lineCommands(run.record, 'setup', of), 'setup')
}

/**
 * All checks, so that a person sees every red one at once.
 * @param of for work of an agent: which round, and what confines what it may have changed
 */
export async function runChecks(run: Run, of: LineOptions = {}): Promise<Phase> {
  const results: CommandResult[] = []
  let first: Extract<Ending, { kind: 'failed' }> | null = null
  for (const command of lineCommands(run.record, 'verify', of)) {
    const { ending, results: ran } = await one(run, command, 'verify')
    results.push(...ran)
    if (ending.kind === 'failed' && ending.why === 'verify') first ??= ending
    else if (ending.kind !== 'passed') return { ending, results }
  }
  if (first === null) return { ending: { kind: 'passed' }, results }
  return { ending: { ...first, error: checksText(results, first.error) }, results }
}

/** What cleanup leaves undone is said and changes nothing. */
export async function runCleanup(run: Run, of: LineOptions = {}): Promise<'over' | 'left'> {
  for (const command of lineCommands(run.record, 'cleanup', of)) {
    const ran = await runCommand(run, command)
    if (ran.kind === 'left') return 'left'
    if (ran.kind === 'ended' && ran.result.exitCode === 0) continue
    const text =
      ran.kind === 'ended' ? failureText(command, ran.result, LIMITS) : `${command.title} was interrupted`
    run.warnings.push(text)
    run.deps.on.line?.(text)
  }
  return 'over'
}

const LIMITS = { output: OUTPUT_BYTES }

/** Up to the first failure that is not allowed. */
export async function inOrder(run: Run, commands: readonly Command[], why: FailedWhy): Promise<Phase> {
  const results: CommandResult[] = []
  for (const command of commands) {
    const { ending, results: ran } = await one(run, command, why)
    results.push(...ran)
    if (ending.kind !== 'passed') return { ending, results }
  }
  return { ending: { kind: 'passed' }, results }
}

async function one(run: Run, command: Command, why: FailedWhy): Promise<Phase> {
  const { signal } = run.deps
  if (signal.aborted) return { ending: abortedEnd(signal), results: [] }
  const ran = await runCommand(run, command)
  if (ran.kind === 'left') return { ending: ran, results: [] }
  if (ran.kind === 'unknown') return { ending: unknownEnding(command), results: [] }
  return { ending: endingOf(run, command, { result: ran.result, why }), results: [ran.result] }
}

function endingOf(run: Run, command: Command, ran: { result: CommandResult; why: FailedWhy }): Ending {
  const { result } = ran
  if (result.ended === 'stopped') {
    const { signal } = run.deps
    return { kind: 'stopped', why: signal.aborted ? String(signal.reason) : 'stopped from outside' }
  }
  if (result.exitCode === 0) return { kind: 'passed' }
  if (result.ended === 'timeout' && taskIsOver(run, command)) {
    const error = `Timed out after ${durationText(run.record.timeoutMs)} in ${command.title}`
    return { kind: 'failed', why: 'timeout', error, tail: result.tail }
  }
  if (command.continueOnError === 'yes') return { kind: 'passed' }
  return { kind: 'failed', why: ran.why, error: failureText(command, result, LIMITS), tail: result.tail }
}

/** A command without a limit of its own can only have met the task's. */
function taskIsOver(run: Run, command: Command): boolean {
  return command.timeoutMs === null || run.deps.world.clock.now() >= run.deadline
}
