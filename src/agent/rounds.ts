/**
 * An agent's whole work: it works until it calls finish_task, its work is committed, the checks run; failures go back
 * to it, three times at most. Command-line agents go the same way. Invariants: 1. the checks decide whether it is done,
 * not the worker; 2. checks, hooks and cleanup over a model's changes run as over-model.ts decides; 3. work is
 * committed before it is checked, and when it is interrupted.
 */
import type { AgentBrief, CommandResult } from '../domain/session/session.ts'
import { type Committed, commitWork } from '../runner/commit-work.ts'
import { type Ending, type Gathered, NOTHING_GATHERED } from '../runner/ending.ts'
import { hookWork } from '../runner/run-hooks.ts'
import type { Run } from '../runner/run-step.ts'
import { check, commitOrAsk, endApproval, type Over, refusedEnding } from './approvals/over-model.ts'
import { closeMcpServers } from './mcp-servers.ts'
import { openMcpWork, runMcpWork } from './program/run-mcp-worker.ts'
import { runExec } from './program/run-program.ts'
import { openSelfWorker } from './program/self-worker.ts'
import type { AgentEnd } from './worker-model-call.ts'

export type Ended = { readonly ending: Ending; readonly gathered: Gathered } | 'left'

/** A model or a program that does the work, and continues with what the checks said. */
interface Worker {
  work(feedback: Feedback | null): Promise<AgentEnd>
  said(): { readonly result: string; readonly report: string }
}

interface Feedback {
  readonly key: string
  readonly text: string
}

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
  let feedback: Feedback | null = null
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
  if (brief.exec !== undefined) {
    const exec = await openSelfWorker(run, brief)
    return 'wrong' in exec ? exec : { work: (feedback) => runExec(exec, feedback), said: () => exec.said }
  }
  if (brief.mcpWorker !== undefined) {
    const work = await openMcpWork(run, brief)
    return 'wrong' in work ? work : { work: (feedback) => runMcpWork(work, feedback), said: () => work.said }
  }
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
