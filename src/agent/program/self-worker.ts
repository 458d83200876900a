/**
 * What workers have in common that do a task by themselves, in one call a round: programs, and tools of MCP servers.
 * Invariants: 1. nothing is called over a budget, or before it is allowed; 2. what runs unconfined was approved by a
 * person; 3. a call that an earlier process made is not asked about again.
 */
import type { AgentBrief } from '../../domain/session/session.ts'
import type { AgentDeps } from '../../runner/deps.ts'
import type { Run } from '../../runner/run-step.ts'
import { askOverWork } from '../approvals/ask-to-run.ts'
import { type Confiner, confinerOf } from '../approvals/confiner.ts'
import { Interrupted, interruptedEnd, openServices } from '../services.ts'
import { type AgentLog, openLog } from '../worker-conversation.ts'
import type { AgentEnd } from '../worker-model-call.ts'

export interface SelfWorker {
  readonly run: Run
  readonly brief: AgentBrief
  readonly deps: AgentDeps
  readonly confine: Confiner
  readonly log: AgentLog
  said: { readonly result: string; readonly report: string }
  round: number
}

export async function openSelfWorker(
  run: Run,
  brief: AgentBrief,
): Promise<SelfWorker | { readonly wrong: string }> {
  const { agent: deps } = run.deps
  if (deps === undefined) return { wrong: 'this build cannot run agents' }
  const confine = await confinerOf(run, deps.sandbox, brief)
  const log = openLog(run.record, run.deps)
  return { run, brief, deps, confine, log, said: { result: '', report: '' }, round: 0 }
}

/** What a kind of worker does in one round. */
export interface OneCall {
  /** An earlier process has made the call: it is picked up. */
  readonly isBegun: boolean
  readonly isFirst: boolean
  /** Null: it may be made. Else the reason why not. */
  allowed(): Promise<string | null>
  call(prompt: string): Promise<AgentEnd>
}

/** @param feedback what the checks said; null in the first round */
export async function workRound(
  { run, brief, deps, confine }: SelfWorker,
  feedback: { readonly text: string } | null,
  { isBegun, isFirst, allowed, call }: OneCall,
): Promise<AgentEnd> {
  // What has begun is read to its end, whatever it has cost in the meantime.
  const spent = isBegun ? null : deps.budget(run.record)
  if (spent !== null) return { kind: 'parked', by: 'budget', ...spent }
  try {
    // Without a sandbox, an approval of the first round is for all of them.
    const asks = !isBegun && (isFirst || confine.kind !== 'none')
    const no = asks ? await allowed() : null
    if (no !== null) return failedWorker(no)
    const task = feedback === null ? brief.prompt : `${brief.prompt}\n\n${feedback.text}`
    return await call([...brief.system, task].join('\n\n').replaceAll('\0', ''))
  } catch (error) {
    return interruptedEnd(error, run.deps.signal)
  }
}

/**
 * A person's approval of a worker that nothing confines, over the worktree as it is. Null: it may run.
 * @param steps keys of the steps that it allows
 */
export async function approveUnconfined(
  { run, confine }: SelfWorker,
  command: string,
  steps: readonly string[],
): Promise<string | null> {
  const request = {
    what: 'the worker',
    commands: [command],
    why: `there is no sandbox (${confine.why})`,
    steps,
  }
  const approval = await askOverWork(run, request, { label: 'worker', verb: 'keep' })
  if (approval.kind === 'over') throw new Interrupted('stopped while it waited for an answer')
  return approval.kind === 'yes' ? null : `not allowed: ${approval.why}`
}

/** A person's approval of what a room asks about. Null: it may run. */
export async function approveWorker(
  { run, deps }: SelfWorker,
  request: Parameters<ReturnType<typeof openServices>['approve']>[1],
): Promise<string | null> {
  const services = openServices(run, deps, new Set())
  const approval = await services.approve(`leave-${request.tool}`, request)
  return approval.verdict === 'yes' ? null : `not allowed: ${approval.why}`
}

export function failedWorker(error: string) {
  return { kind: 'failed', why: 'agent', error, tail: '' } as const
}
