/**
 * Runs one command of a session as a step of the port Processes, with its lines in the transcript before and after.
 * Invariant 1: `tool_call` is on disk before the command starts, `tool_result` before the next one does, or the outcome.
 * Invariant 2: a command's limit counts from its start, as its folder says it, so that a replay holds the same limit.
 */
import { join } from 'node:path'
import type { CommandResult, SessionRecord } from '../domain/session/session.ts'
import type { StepRequest, StepResult } from '../ports/process-port.ts'
import { leaving, type SessionDeps } from './deps.ts'
import { type Transcript, transcriptPath } from './live-transcript.ts'
import type { Place } from './prepare-worktree.ts'
import { differences, type GitConfigState, gitConfigState } from './repository-watch.ts'
import { stepEnvironment } from './session-environment.ts'
import { argvOf, type Command } from './step-command.ts'
import type { Waited } from './waiting-time.ts'

/** One session's run in this process. */
export interface Run {
  readonly record: SessionRecord
  readonly deps: SessionDeps
  readonly transcript: Transcript
  readonly place: Place
  /** Epoch ms at which the whole task times out; later by what it has waited for people and subagents. */
  readonly deadline: number
  readonly waited: Waited
  /** For the outcome's text: what a person should know though it failed nothing. */
  readonly warnings: string[]
  git: GitConfigState
}

export type Ran =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'left' }

/** A runbook's log; what writes more is a flood. */
export const OUTPUT_BYTES = 10 * 1024 * 1024
/** Cleanup also follows a timeout, so it has a time of its own. */
const CLEANUP_MS = 2 * 60_000

/** Runs a command, or picks it up, or reads how it ended. */
export async function runCommand(run: Run, command: Command): Promise<Ran> {
  const { deps, transcript } = run
  if (leaving(deps.signal)) return { kind: 'left' }
  const dir = join(deps.dirs.session, 'steps', command.key)
  const script = join(dir, 'script')
  if (command.shell !== 'line') writeScript(deps, script, Buffer.from(`${command.text}\n`))
  transcript.note('tool_call', `${command.key}:call`, callFields(command))
  await deps.world.files.sync([deps.dirs.session, transcriptPath(run.record, deps)])
  tellProgress(run, command)
  const step = await runProcess(run, {
    dir,
    argv: command.confine?.wrap(argvOf(command, script)) ?? argvOf(command, script),
    env: command.confine?.env ?? stepEnvironment(run.record, deps.dirs.home, deps.env),
    deadline: deadlineOf(run, command, dir),
    ...(command.timeoutMs === null ? {} : { limitMs: command.timeoutMs }),
  })
  if (step.kind === 'unknown') return { kind: leaving(deps.signal) ? 'left' : 'unknown' }
  const result = { ...step.result, command: command.name }
  const type = command.kind === 'verify' ? 'verify' : 'tool_result'
  const fields = { call: command.key, ...resultFields(result) }
  transcript.note(type, `${command.key}:result`, fields)
  noticeGit(run, command)
  return { kind: 'ended', result }
}

/** Starts a process of the session in its worktree, or picks it up. */
export function runProcess(
  { record, place, deps }: Run,
  of: Pick<StepRequest, 'dir' | 'argv' | 'env' | 'deadline' | 'limitMs'>,
): Promise<StepResult> {
  const own = { cwd: place.cwd, session: record.id, outputLimit: OUTPUT_BYTES }
  return deps.world.processes.step({ ...of, ...own }, deps.signal)
}

/** What it has printed; null if that can't be read. `dir`: its folder. */
export function outputIn({ deps }: Run, dir: string): string | null {
  const read = deps.world.files.read(join(dir, 'out'), OUTPUT_BYTES)
  return read.kind === 'file' ? read.bytes.toString('utf8') : null
}

/** What a power cut has torn, before the step was claimed, is written again. */
function writeScript({ world: { files, git } }: SessionDeps, path: string, bytes: Buffer): void {
  const saved = files.saveLater(path, bytes, null)
  if (saved.kind === 'changed' && saved.hash !== null && saved.hash !== git.blobId(bytes))
    files.save(path, bytes, saved.hash)
}

function tellProgress({ deps }: Run, { kind, index, of, name }: Command): void {
  if (kind !== 'cleanup' && kind !== 'hook') deps.on.progress({ kind, index, of, name })
}

/** The task's, but for cleanup and for what a person was asked about first: their time counts from their claim on. */
function deadlineOf(run: Run, command: Command, dir: string): number {
  if (command.kind !== 'cleanup' && command.ownTime === undefined) return run.deadline
  const { files, clock } = run.deps.world
  const claim = files.read(join(dir, 'claim'), 4096)
  const own = command.kind === 'cleanup' ? CLEANUP_MS : run.record.timeoutMs
  return (claim.kind === 'file' ? claim.stat.mtimeMs : clock.now()) + own
}

function callFields(command: Command): Record<string, string> {
  return { tool: 'shell', call: command.key, name: command.name, command: command.text }
}

function resultFields(result: CommandResult): Record<string, string | number | boolean | null> {
  const { exitCode, ended, ms, tail } = result
  return { is_error: exitCode !== 0, exit_code: exitCode, ended, ms, output: tail }
}

/** Git acts on these files later, with the caller's rights: a change is reported. */
function noticeGit(run: Run, command: Command): void {
  const now = gitConfigState(run.deps.world, run.deps.dirs.worktree)
  const changed = differences(run.git, now)
  run.git = now
  if (changed.length === 0) return
  const warning = `${command.title} changed ${changed.map((name) => `.git/${name}`).join(', ')}`
  run.warnings.push(warning)
  run.deps.on.line?.(warning)
}
