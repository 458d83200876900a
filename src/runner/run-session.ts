/**
 * The session runner for runbooks, and stopping a session without it: worktree, setup, steps, one commit, checks, cleanup, outcome. Invariant 1: it may be
 * run again from the start at any time: what has ended is read, what runs is picked up. Invariant 2: an outcome is
 * written once (a power cut right after it has it made again, from what the steps left); a run that finds it gives it
 * and does nothing else. Invariant 3: a stop or failure loses no work: what a step has changed is committed on the
 * session's branch. Invariant 4: when it resolves with an outcome, no process of the session is left. Invariant 5:
 * a stop without the runner writes its outcome before processes end, so a daemon that starts in the meantime does not
 * continue the session; an existing outcome is not replaced.
 */
import { join } from 'node:path'
import {
  approveRunbook,
  cleanUp,
  commitOrAsk,
  type Over,
  overAgent,
  overRunbook,
  refusedEnding,
  setUp,
} from '../agent/approvals/over-model.ts'
import { agentWork, judge } from '../agent/rounds.ts'
import type { Outcome, SessionRecord } from '../domain/session/session.ts'
import type { Files } from '../ports/files-port.ts'
import { commitWork } from './commit-work.ts'
import { leaving, type SessionDeps, secondsNow } from './deps.ts'
import { early, type Ended, type Ending, type Gathered, NOTHING_GATHERED, outcomeOf } from './ending.ts'
import { openTranscript, type Transcript } from './live-transcript.ts'
import { runPeerSession } from './peer-session.ts'
import { inOrder, type Phase } from './phase.ts'
import { makePlace, type Place } from './prepare-worktree.ts'
import type { Run } from './run-step.ts'
import { stepCommands } from './step-command.ts'
import { openWaited } from './waiting-time.ts'

/** One run of the runner over one record. */
interface Runner {
  readonly record: SessionRecord
  readonly deps: SessionDeps
  readonly transcript: Transcript
}

const SECOND_MS = 1000

/** Runs a session to its outcome. Throws NeoError for errors that are not the session's fault; then it can be retried. */
export async function runSession(record: SessionRecord, deps: SessionDeps): Promise<Outcome | 'left'> {
  const before = readOutcome(deps)
  if (before !== null) return await release(before, record, deps)
  if (leaving(deps.signal)) return 'left'
  const runner = { record, deps, transcript: openTranscript(record, deps) }
  const { worker, title, branch } = record
  runner.transcript.note('start', 'start', { worker, title, branch, steps: record.steps.length })
  const ended = await toTheEnd(runner)
  return ended === 'left' ? 'left' : await close(runner, ended.ending, ended.gathered)
}

async function toTheEnd(runner: Runner): Promise<Ended> {
  const { record, deps } = runner
  // Stopped or not, it may have a task in another home.
  if (record.peer !== undefined) return await runPeerSession(runner)
  if (deps.signal.aborted) return early({ kind: 'stopped', why: String(deps.signal.reason) })
  const made = await makePlace(record, deps)
  switch (made.kind) {
    case 'vanished':
      return early({ kind: 'unknown', step: '', error: 'The worktree was deleted while the session ran' })
    case 'wrong':
      return early({ kind: 'failed', why: 'place', error: made.why, tail: '' })
    case 'ready':
      return await work(openRun(runner, made.place))
  }
}

function openRun({ record, deps, transcript }: Runner, place: Place): Run {
  // The start is noted in whole seconds, rounded down: a task never ends before its time is up.
  const limit = Date.parse(record.startedAt) + SECOND_MS + record.timeoutMs
  const waited = openWaited(deps.world, deps.dirs.session)
  return {
    record,
    deps,
    transcript,
    place,
    waited,
    get deadline() {
      return limit + waited.total()
    },
    warnings: [...storedWarning(place), ...skippedWarning(record)],
    git: place.git,
  }
}

function skippedWarning({ skipped = [] }: SessionRecord): string[] {
  return skipped.length === 0 ? [] : [`not run: ${skipped.join(', ')} (only sh, shell and bash blocks run)`]
}

/** As many as a person reads in one line. */
const MOST_NAMED = 5

function storedWarning({ asStored = [] }: Place): string[] {
  if (asStored.length === 0) return []
  const named = asStored.slice(0, MOST_NAMED).join(', ')
  const more = asStored.length > MOST_NAMED ? ` and ${asStored.length - MOST_NAMED} more` : ''
  return [`a git filter is not active here, so these files have the content that git stores: ${named}${more}`]
}

async function work(run: Run): Promise<Ended> {
  const { agent } = run.record
  const over = agent === undefined ? await overRunbook(run) : await overAgent(run, agent)
  const no = agent === undefined ? await approveRunbook(run, over) : null
  const setup = no ?? (await setUp(run, over))
  if (agent !== undefined && setup.ending.kind === 'passed') {
    await run.deps.world.files.sync()
    return await agentWork(run, over, tidy)
  }
  return await runbook(run, over, setup)
}

async function runbook(run: Run, over: Over, setup: Phase): Promise<Ended> {
  const { warnings, place } = run
  const steps =
    setup.ending.kind === 'passed'
      ? await inOrder(run, stepCommands(run.record, over.line), 'step')
      : { ...setup, results: [] }
  const sofar = { ...NOTHING_GATHERED, from: place.from, steps: steps.results, warnings }
  if (steps.ending.kind === 'left') return 'left'
  if (steps.ending.kind === 'unknown') return { ending: steps.ending, gathered: sofar }
  const isDone = steps.ending.kind === 'passed'
  const committed = isDone ? await commitOrAsk(run) : await commitWork(run, 'keep')
  if (committed.kind === 'over')
    return committed.ending.kind === 'left' ? 'left' : { ending: committed.ending, gathered: sofar }
  const gathered = { ...sofar, committed }
  if (committed.kind === 'refused' && isDone)
    return await tidy(run, { ending: refusedEnding(committed), gathered }, over)
  if (steps.ending.kind !== 'passed') return await tidy(run, { ending: steps.ending, gathered }, over)
  const judged = await judge(run, over, { committed, round: 0 })
  if (judged.ending.kind === 'left') return 'left'
  return await tidy(run, { ending: judged.ending, gathered: { ...gathered, ...judged.gathered } }, over)
}

/**
 * Cleanup takes time, so a stop goes without it; after an unknown step nothing more is run. What a model has worked on is
 * cleaned up as confined as it was checked: the lines are the user's, the files that they run are not.
 */
async function tidy(run: Run, ended: Exclude<Ended, 'left'>, over: Over): Promise<Ended> {
  const { kind } = ended.ending
  const wanted = kind === 'passed' || kind === 'failed'
  if (wanted && (await cleanUp(run, over)) === 'left') return 'left'
  return leaving(run.deps.signal) ? 'left' : ended
}

/** What the session has left running ends here, so that it never meets a next attempt. */
async function close(runner: Runner, ending: Ending, gathered: Gathered): Promise<Outcome> {
  const { record, deps, transcript } = runner
  const { files, processes } = deps.world
  await processes.killSession(record.id, ending.kind === 'passed' ? [] : stepDirs(files, deps.dirs.session))
  const there = readOutcome(deps)
  if (there !== null) return await release(there, record, deps)
  const outcome = outcomeOf(ending, gathered, secondsNow(deps.world))
  const says = textOf(outcome)
  if (outcome.kind === 'failed' || outcome.kind === 'unknown')
    transcript.add('error', 'error', {
      message: says,
      output: outcome.kind === 'failed' ? (outcome.tail ?? '') : '',
    })
  transcript.note('end', 'end', { outcome: outcome.kind, message: says })
  files.writeJson(outcomeFile(deps.dirs.session), outcome, 'later')
  return await release(outcome, record, deps)
}

/** The folders of the commands that have started. `session`: `<git dir>/neo/sessions/<id>`. */
export function stepDirs(files: Pick<Files, 'names'>, session: string): readonly string[] {
  const steps = join(session, 'steps')
  return files.names(steps).map((key) => join(steps, key))
}

/** Lets people check the branch out. That it cannot be done changes no outcome. */
async function release(outcome: Outcome, record: SessionRecord, deps: SessionDeps): Promise<Outcome> {
  const { files, git } = deps.world
  if (files.read(join(deps.dirs.worktree, '.git'), 4096).kind !== 'file') return outcome
  try {
    await git.detachWorktree(record.place, deps.dirs.worktree)
  } catch (error) {
    deps.on.line?.(`Cannot detach the worktree from ${record.branch}: ${(error as Error).message}`)
  }
  return outcome
}

function textOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'done':
      return outcome.result
    case 'failed':
    case 'parked':
    case 'unknown':
      return outcome.error
    case 'stopped':
      return outcome.why
  }
}

function readOutcome({ world, dirs }: Pick<SessionDeps, 'world' | 'dirs'>): Outcome | null {
  return world.files.readJson(outcomeFile(dirs.session)) as Outcome | null
}

function outcomeFile(session: string): string {
  return join(session, 'outcome.json')
}
