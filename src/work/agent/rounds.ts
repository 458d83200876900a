/**
 * An agent's whole work: it works until it says that it is finished, its work is committed, the checks run; what is red
 * goes back to it, three times at most. Command-line agents go the same way.
 * Takes a run; gives how it ended. Leaves to agent.ts: the loop; to exec.ts: command-line agents; to ../session.ts: the rest.
 * Invariants: 1. done is what the checks say, not what the worker says; 2. the checks and the cleanup of what a model
 * has changed run confined where anything can confine; 3. work is committed before it is checked, and when it is cut short.
 */
import type { AgentBrief, CommandResult } from '../../core/model/session.ts'
import { type Committed, commitWork } from '../commit.ts'
import type { Confine } from '../command.ts'
import { type Ending, type Gathered, NOTHING_GATHERED } from '../ending.ts'
import { runChecks } from '../phase.ts'
import type { Run } from '../run.ts'
import { type Agent, type AgentEnd, finishedOf, openAgent, runAgent } from './agent.ts'
import { confinerOf } from './confiner.ts'
import { openExec, runExec } from './exec.ts'
import { closeMcpTools } from './mcp-tools.ts'

export type Ended = { readonly ending: Ending; readonly gathered: Gathered } | 'left'

/** Whatever does the work: it goes on with what the checks said, and says what it has done. */
interface Worker {
  work(feedback: Feedback | null): Promise<AgentEnd>
  said(): { readonly result: string; readonly report: string }
}

interface Feedback {
  readonly key: string
  readonly text: string
}

/** Rounds of work after a red check. */
const MOST_ROUNDS = 3

type Tidy = (run: Run, ended: Exclude<Ended, 'left'>, of: { readonly confine?: Confine }) => Promise<Ended>

export async function agentWork(run: Run, tidy: Tidy): Promise<Ended> {
  try {
    return await allRounds(run, tidy)
  } finally {
    await closeMcpTools(run)
  }
}

async function allRounds(run: Run, tidy: Tidy): Promise<Ended> {
  const brief = run.record.agent as AgentBrief
  run.warnings.push(...(brief.warnings ?? []))
  const worker = await openWorker(run, brief)
  const gathered: Gathered = { ...NOTHING_GATHERED, from: run.place.from, warnings: run.warnings }
  if ('wrong' in worker)
    return { ending: { kind: 'failed', why: 'model', error: worker.wrong, tail: '' }, gathered }
  const confine = await confineOf(run, brief)
  let feedback: Feedback | null = null
  for (let round = 0; ; round++) {
    const end = await worker.work(feedback)
    if (end.kind === 'left') return 'left'
    if (end.kind === 'unknown') return { ending: end, gathered }
    const committed = await commitWork(run, end.kind === 'passed' ? 'do' : 'keep', round)
    const sofar = { ...gathered, committed, said: worker.said() }
    if (end.kind !== 'passed') return await tidy(run, { ending: end, gathered: sofar }, confine)
    if (committed.kind === 'refused')
      return await tidy(run, { ending: refusedEnding(committed), gathered: sofar }, confine)
    const checks = await runChecks(run, { round, ...confine })
    if (checks.ending.kind === 'left') return 'left'
    const all = { ...sofar, checks: checks.results }
    const red = checks.ending.kind === 'failed' && checks.ending.why === 'verify'
    if (!red || round >= MOST_ROUNDS)
      return await tidy(run, { ending: checks.ending, gathered: all }, confine)
    feedback = { key: `checks-${round}`, text: feedbackOf(checks.results) }
  }
}

async function openWorker(run: Run, brief: AgentBrief): Promise<Worker | { readonly wrong: string }> {
  if (brief.exec !== undefined) {
    const exec = await openExec(run, brief)
    return 'wrong' in exec ? exec : { work: (feedback) => runExec(exec, feedback), said: () => exec.said }
  }
  const agent: Agent | { readonly wrong: string } = await openAgent(run, brief)
  if ('wrong' in agent) return agent
  return { work: (feedback) => runAgent(agent, feedback), said: () => finishedOf(agent) }
}

async function confineOf(run: Run, brief: AgentBrief): Promise<{ readonly confine?: Confine }> {
  const { agent: deps } = run.deps
  if (deps === undefined) return {}
  const confiner = await confinerOf(run, deps.sandbox, brief)
  return confiner.kind === 'none' ? {} : { confine: confiner }
}

function refusedEnding({ why }: Extract<Committed, { kind: 'refused' }>): Ending {
  return { kind: 'failed', why: 'place', error: `Cannot commit the session's work: ${why}`, tail: '' }
}

function feedbackOf(results: readonly CommandResult[]): string {
  const red = results.filter(({ exitCode }) => exitCode !== 0)
  const parts = red.map(
    ({ command, exitCode, ended, tail }) =>
      `\`${command}\` ${exitCode === null ? ended : `gave exit code ${exitCode}`}. The end of its output:\n${tail}`,
  )
  return `The work does not pass its checks yet. Mend it, then call finish_task again.\n\n${parts.join('\n\n')}`
}
