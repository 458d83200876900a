/**
 * Commands of the user over files that a model may have changed: setup, checks, cleanup, and runbooks that continue on a
 * model's branch. Confinement follows the author of the files that run, not of the command line that names them.
 * Invariant 1: nothing runs unconfined over a model's files but what a person has allowed for exactly this commit; if
 * the worktree has changed while they decided, they are asked again. Invariant 2: checks that did not run are never
 * passed: the outcome says so, and only a person merges the work. Invariant 3: if a git filter prevents the commit, the
 * work waits in its worktree, and an approval is for the filter with the commands that were shown.
 */
import type { AgentBrief, SessionRecord } from '../../domain/session/session.ts'
import { type Committed, commitWork } from '../../runner/commit-work.ts'
import type { Ending } from '../../runner/ending.ts'
import { type Phase, runChecks, runCleanup, runSetup } from '../../runner/phase.ts'
import type { Run } from '../../runner/run-step.ts'
import { type LineOptions, lineCommands, stepCommands } from '../../runner/step-command.ts'
import { interruptedEnd, openServices } from '../services.ts'
import { type Allowed, askOverWork, noteBefore, tipOf } from './ask-to-run.ts'
import { confineRunbook, confinerOf } from './confiner.ts'

/** How the commands of a session run. */
export interface Over {
  readonly kind: 'free' | 'confined' | 'bare'
  /** For `confined` and for what a person allowed. */
  line: LineOptions
  /** For `bare`: why nothing confines. */
  readonly why: string
}

/** @param brief the agent whose reach the commands share */
export async function overAgent(run: Run, brief: AgentBrief): Promise<Over> {
  const { agent: deps } = run.deps
  if (deps === undefined) return { kind: 'bare', line: {}, why: 'there is no sandbox' }
  const confiner = await confinerOf(run, deps.sandbox, brief)
  if (confiner.kind === 'none') return { kind: 'bare', line: {}, why: confiner.why }
  return { kind: 'confined', line: { confine: confiner }, why: '' }
}

/** A person approved the text of a runbook that a model wrote, not the files that it runs. */
export async function overRunbook(run: Run): Promise<Over> {
  if (run.record.confined === undefined) return { kind: 'free', line: {}, why: '' }
  const made = await confineRunbook(run)
  if ('confine' in made) return { kind: 'confined', line: made, why: '' }
  return { kind: 'bare', line: {}, why: made.why }
}

/** Setup on a clean base is the user's own; over a model's work it is confined, and asks for more if that fails. */
export async function setUp(run: Run, over: Over): Promise<Phase> {
  const { setup } = run.record
  if (over.line.allowed !== undefined) return runSetup(run, over.line)
  if (run.record.over === undefined || over.kind === 'free') return ownSetup(run, over)
  if (setup.length === 0) return runSetup(run)
  const confined = over.kind === 'confined' ? await runSetup(run, over.line) : null
  if (confined !== null && confined.ending.kind !== 'failed') return confined
  const why =
    confined === null
      ? `there is no sandbox (${over.why})`
      : 'it failed in the sandbox, where there may be no network'
  const steps = lineCommands(run.record, 'setup', { allowed: 'yes' }).map(({ key }) => key)
  const request = { what: 'setup', commands: setup, why, steps }
  const approval = await askOverWork(run, request, { label: 'setup', verb: 'keep' })
  if (approval.kind === 'yes') return runSetup(run, { allowed: 'yes' })
  if (approval.kind === 'over') return { ending: approval.ending, results: [] }
  if (confined !== null) return confined
  return refusedPhase(
    'setup',
    `Setup did not run: it needs approval to run on files that a model may have changed: ${approval.why}`,
  )
}

/** Its files are the user's, and no later request lists them. */
async function ownSetup(run: Run, over: Over): Promise<Phase> {
  const phase = await runSetup(run)
  if (phase.ending.kind === 'passed') await noteBefore(run, over.kind === 'bare' ? 'read' : 'unread')
  return phase
}

/** An approval was for the files as they were: the next round of work ends it. */
export function endApproval(over: Over): void {
  if (over.kind === 'bare') over.line = {}
}

/** Without a sandbox, a runbook of a model, or over a model's work, needs approval. Null: it may run. */
export async function approveRunbook(run: Run, over: Over): Promise<Phase | null> {
  if (over.kind !== 'bare') return null
  const { setup, steps, verify, cleanup } = run.record
  const commands = [...setup, ...steps.map(({ script }) => script), ...verify, ...cleanup]
  const why = `there is no sandbox (${over.why})`
  const approval = await askOverWork(
    run,
    { what: 'the runbook', commands, why, steps: keysOf(run.record, {}) },
    { label: 'setup', verb: 'keep' },
  )
  if (approval.kind === 'over') return { ending: approval.ending, results: [] }
  if (approval.kind === 'no')
    return refusedPhase(
      'step',
      `The runbook did not run: it needs approval to run without a sandbox: ${approval.why}`,
    )
  over.line = { allowed: 'yes' }
  run.warnings.push(`It ran without a sandbox: ${over.why}`)
  return null
}

/** The checks of one round; `unchecked` says why they did not run. */
export async function check(
  run: Run,
  over: Over,
  of: { readonly round: number; readonly committed: Committed },
): Promise<Phase & { readonly unchecked?: string }> {
  const { round } = of
  if (over.kind !== 'bare' || isRunbook(run.record)) return runChecks(run, { round, ...over.line })
  const { verify, cleanup } = run.record
  endApproval(over)
  const passed: Phase = { ending: { kind: 'passed' }, results: [] }
  if (verify.length + cleanup.length === 0) return passed
  const approval = await requestApproval(run, over, of)
  if (approval.kind === 'over') return { ending: approval.ending, results: [] }
  if (approval.kind === 'yes') {
    over.line = { allowed: 'yes' }
    return runChecks(run, { round, ...over.line })
  }
  return verify.length === 0 ? passed : { ...passed, unchecked: `checks did not run: ${approval.why}` }
}

function requestApproval(
  run: Run,
  over: Over,
  of: { readonly round: number; readonly committed: Committed },
): Promise<Allowed> {
  const { verify, cleanup } = run.record
  const why = `there is no sandbox (${over.why})`
  const commands = [...verify, ...cleanup]
  const request = { what: 'the checks', commands, why, steps: keysOf(run.record, { round: of.round }) }
  return askOverWork(run, request, { label: String(of.round), verb: 'do', tip: tipOf(of.committed) })
}

/** Cleanup over a model's files runs as the checks did, and not at all if nobody approved them. */
export async function cleanUp(run: Run, over: Over): Promise<'over' | 'left'> {
  if (over.kind !== 'bare' || over.line.allowed !== undefined) return await runCleanup(run, over.line)
  if (run.record.cleanup.length > 0) run.warnings.push(`cleanup did not run: ${over.why}`)
  return 'over'
}

/** Keys of the commands that a yes allows, in the phases of a runbook or after a round of work. */
function keysOf(record: SessionRecord, { round }: { readonly round?: number }): readonly string[] {
  const allowed = { allowed: 'yes' } as const
  const checks = [
    ...lineCommands(record, 'verify', { ...allowed, ...(round === undefined ? {} : { round }) }),
    ...lineCommands(record, 'cleanup', allowed),
  ]
  const before =
    round === undefined ? [...lineCommands(record, 'setup', allowed), ...stepCommands(record)] : []
  return [...before, ...checks].map(({ key }) => key)
}

function isRunbook({ agent }: SessionRecord): boolean {
  return agent === undefined
}

function refusedPhase(why: 'setup' | 'step', error: string): Phase {
  return { ending: { kind: 'failed', why, error, tail: '' }, results: [] }
}

type Tried = Committed | Extract<Allowed, { kind: 'over' }>

/** Filters that one commit may go through, and changes of their commands. */
const MOST_ASKED = 8

export async function commitOrAsk(run: Run, round: number | string = 0): Promise<Tried> {
  for (let again = 0; ; again++) {
    const committed = await commitWork(run, 'do', round)
    if (committed.kind === 'ok' || committed.filter === undefined || again >= MOST_ASKED) return committed
    const { filter, path = '' } = committed
    const allowed = await ask(run, { filter, path })
    if (allowed === 'no') return committed
    if (typeof allowed === 'object' && 'inside' in allowed)
      return {
        ...committed,
        why: `the git filter "${filter}" can't be allowed: its command names ${allowed.inside}, which sessions can change; move it out of the repository (for ${path})`,
      }
    if (allowed === 'unknown')
      return { kind: 'refused', why: `${path} names a git filter "${filter}" that is not configured` }
    if (allowed !== 'yes') return allowed
  }
}

/** How a session ends whose work cannot be committed. */
export function refusedEnding(refused: Extract<Committed, { kind: 'refused' }>): Ending {
  const { why, filter } = refused
  if (filter !== undefined) return { kind: 'parked', by: 'filter', error: why }
  return { kind: 'failed', why: 'place', error: `Cannot commit the session's work: ${why}`, tail: '' }
}

async function ask(
  run: Run,
  { filter, path }: { readonly filter: string; readonly path: string },
): Promise<'yes' | 'no' | 'unknown' | { readonly inside: string } | Extract<Tried, { kind: 'over' }>> {
  const { deps, record } = run
  const { git } = deps.world
  const shown = await git.filter(record.place, filter)
  if (shown === null) return 'unknown'
  if (shown.inside !== null) return { inside: shown.inside }
  if (deps.agent === undefined) return 'no'
  if (shown.isAllowed) return 'yes'
  const { hash, settings } = shown
  const { repository } = record.place
  const reason = 'the work cannot be committed without this git filter, which runs outside the sandbox'
  const same = `neo filter allow ${filter} ${repository}`
  const args = { filter, repository, commands: [...settings], hash, path, same_as: same }
  const isAllowed = async () => (await git.filter(record.place, filter))?.isAllowed === true
  try {
    const services = openServices(run, deps.agent, new Set())
    const approval = await services.approve(
      `leave-filter-${hash}`,
      { tool: 'allow_filter', arguments: args, reason },
      isAllowed,
    )
    if (approval.verdict === 'no') return 'no'
    if (!(await isAllowed())) await git.allowFilter(record.place, filter, hash)
    return 'yes'
  } catch (error) {
    return { kind: 'over', ending: interruptedEnd(error, deps.signal) }
  }
}
