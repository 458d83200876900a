/**
 * An agent's whole work: it works until it calls finish_task, its work is committed, the checks run; failures go back
 * to it, three times at most. Command-line agents go the same way. Invariants: 1. the checks decide whether it is done,
 * not the worker; 2. checks, hooks and cleanup over a model's changes run as over-model.ts decides; 3. work is
 * committed before it is checked, and when it is interrupted.
 */
import type { AgentBrief, CommandResult } from '../domain/session/session.ts'
import { isProgram, type ProgramKind } from '../domain/task/task.ts'
import { parseWorker } from '../files/values/header-values.ts'
import { type Committed, commitWork } from '../runner/commit-work.ts'
import { type Ended, type Ending, type Gathered, NOTHING_GATHERED } from '../runner/ending.ts'
import { hookWork } from '../runner/run-hooks.ts'
import type { Run } from '../runner/run-step.ts'
import { check, commitOrAsk, endApproval, type Over, refusedEnding } from './approvals/over-model.ts'
import { closeMcpServers } from './mcp-servers.ts'
import { openMcp } from './program/run-mcp-worker.ts'
import { openExec } from './program/run-program.ts'
import { type OpenProgram, openSelfWorker, type Worker } from './program/self-worker.ts'

/** The kinds that do a task by themselves; the compiler asks for a line for each. */
const PROGRAMS: Readonly<Record<ProgramKind, OpenProgram>> = { exec: openExec, mcp: openMcp }

/** Rounds of work after failed checks. */
const MOST_ROUNDS = 3

type Tidy = (run: Run, ended: Exclude<Ended, 'left'>, over: Over) => Promise<Ended>

export async function agentWork(run: Run, over: Over, tidy: Tidy): Promise<Ended> {
  try {
    return await allRounds(run, over, tidy)
  } finally {
    await closeMcpServers(run)
  }
}

async function allRounds(run: Run, over: Over, tidy: Tidy): Promise<Ended> {
  const brief = run.record.agent as AgentBrief
  run.warnings.push(...(brief.warnings ?? []))
  const worker = await openWorker(run, brief)
  const gathered: Gathered = { ...NOTHING_GATHERED, from: run.place.from, warnings: run.warnings }
  if ('wrong' in worker)
    return { ending: { kind: 'failed', why: 'model', error: worker.wrong, tail: '' }, gathered }
  let feedback: Parameters<Worker['work']>[0] = null
  for (let round = 0; ; round++) {
    endApproval(over)
    const end = await worker.work(feedback)
    if (end.kind === 'left') return 'left'
    if (end.kind === 'unknown') return { ending: end, gathered }
    const isDone = end.kind === 'passed'
    const committed = isDone ? await commitOrAsk(run, round) : await commitWork(run, 'keep', round)
    if (committed.kind === 'over')
      return committed.ending.kind === 'left' ? 'left' : { ending: committed.ending, gathered }
    const sofar = { ...gathered, committed, said: worker.said() }
    if (end.kind !== 'passed') return await tidy(run, { ending: end, gathered: sofar }, over)
    if (committed.kind === 'refused')
      return await tidy(run, { ending: refusedEnding(committed), gathered: sofar }, over)
    const passed = await judge(run, over, { committed, round })
    if (passed.ending.kind === 'left') return 'left'
    const all = { ...sofar, ...passed.gathered }
    if (passed.red === null || round >= MOST_ROUNDS)
      return await tidy(run, { ending: passed.ending, gathered: all }, over)
    feedback = { key: `checks-${round}`, text: passed.red }
  }
}

interface Judged {
  readonly ending: Ending | { readonly kind: 'left' }
  readonly gathered: Partial<Gathered>
  /** What the worker has to fix; null if there is nothing that it could fix. */
  readonly red: string | null
}

/** The repository's hooks first, as at any commit; then the checks, over what the hooks have left. */
export async function judge(
  run: Run,
  over: Over,
  of: { readonly committed: Committed; readonly round: number },
): Promise<Judged> {
  const { round } = of
  const hooked = await hookWork(run, of.committed, round)
  if (hooked.kind === 'left' || hooked.kind === 'stopped') return { ending: hooked, gathered: {}, red: null }
  if (hooked.kind === 'refused') {
    const ending = { kind: 'failed', why: 'hook', error: hooked.error, tail: hooked.tail } as const
    return { ending, gathered: {}, red: mendText(`${hooked.error}. The end of its output:\n${hooked.tail}`) }
  }
  const committed = hooked.kind === 'passed' ? hooked.committed : of.committed
  const checks = await check(run, over, { round, committed })
  const skipped = hooked.kind === 'skipped' ? [`hooks did not run: ${hooked.why}`] : []
  const unchecked = [...skipped, ...(checks.unchecked === undefined ? [] : [checks.unchecked])]
  const gathered = {
    committed,
    checks: checks.results,
    ...(unchecked.length === 0 ? {} : { unchecked: unchecked.join('; ') }),
  }
  const isRed = checks.ending.kind === 'failed' && checks.ending.why === 'verify'
  return { ending: checks.ending, gathered, red: isRed ? feedbackOf(checks.results) : null }
}

async function openWorker(run: Run, brief: AgentBrief): Promise<Worker | { readonly wrong: string }> {
  const named = parseWorker(run.record.worker)
  if (named !== null && 'name' in named && isProgram(named.kind))
    return await openSelfWorker(run, brief, {
      kind: named.kind,
      name: named.name,
      open: PROGRAMS[named.kind],
    })
  // Loaded when it is needed: zod, which describes the tools, is slow to load.
  const { finishedOf, openAgent, runAgent } = await import('./agent.ts')
  const agent = await openAgent(run, brief)
  if ('wrong' in agent) return agent
  return { work: (feedback) => runAgent(agent, feedback), said: () => finishedOf(agent) }
}

function feedbackOf(results: readonly CommandResult[]): string {
  const red = results.filter(({ exitCode }) => exitCode !== 0)
  const parts = red.map(
    ({ command, exitCode, ended, tail }) =>
      `\`${command}\` ${exitCode === null ? ended : `ended with exit code ${exitCode}`}. The end of its output:\n${tail}`,
  )
  return mendText(parts.join('\n\n'))
}

function mendText(what: string): string {
  return `The checks do not pass yet. Fix the work, then call finish_task again.\n\n${what}`
}
