/**
 * What workers have in common that do a task by themselves, in one call a round: programs, and tools of MCP servers.
 * Invariants: 1. nothing is called over a budget, or before it is allowed; 2. what runs unconfined was approved by a
 * person; 3. a call that an earlier process made is not asked about again.
 */
import type { AgentBrief } from '../../domain/session/session.ts'
import type { ProgramKind } from '../../domain/task/task.ts'
import type { AgentDeps } from '../../runner/deps.ts'
import type { Run } from '../../runner/run-step.ts'
import { type Confiner, confinerOf } from '../approvals/confiner.ts'
import { interruptedEnd, openServices } from '../services.ts'
import { type AgentLog, openLog } from '../worker-conversation.ts'
import type { AgentEnd } from '../worker-model-call.ts'

/** A model or a program that does the work, and continues with what the checks said. */
export interface Worker {
  /** @param feedback what the checks said; null in the first round */
  work(feedback: { readonly key: string; readonly text: string } | null): Promise<AgentEnd>
  said(): Said
}

interface Said {
  readonly result: string
  readonly report: string
}

export interface SelfWorker {
  readonly run: Run
  readonly brief: AgentBrief
  /** In `workers:` or `mcp_servers:`. */
  readonly name: string
  readonly deps: AgentDeps
  readonly confine: Confiner
  readonly log: AgentLog
  said: Said
}

/** What a kind of worker does; `key` names the call of a round, such as `exec-0`. */
export interface Program {
  /** What an earlier process left of the call: `begun` is picked up by `call`, or how it ended. Null: nothing. */
  earlier(key: string): 'begun' | AgentEnd | null
  /** Null: it may be made. Else the reason why not. */
  allowed(key: string): Promise<string | null>
  call(of: { readonly key: string; readonly prompt: string }): Promise<AgentEnd>
}

export type OpenProgram = (self: SelfWorker) => Program | { readonly wrong: string }

export async function openSelfWorker(
  run: Run,
  brief: AgentBrief,
  { kind, name, open }: { readonly kind: ProgramKind; readonly name: string; readonly open: OpenProgram },
): Promise<Worker | { readonly wrong: string }> {
  const { agent: deps } = run.deps
  if (deps === undefined) return { wrong: 'this build cannot run agents' }
  const confine = await confinerOf(run, deps.sandbox, brief)
  const log = openLog(run.record, run.deps)
  const self: SelfWorker = { run, brief, name, deps, confine, log, said: { result: '', report: '' } }
  const program = open(self)
  if ('wrong' in program) return program
  let rounds = 0
  return {
    work(feedback) {
      const round = rounds++
      return workRound(self, program, { key: `${kind}-${round}`, isFirst: round === 0, feedback })
    },
    said: () => self.said,
  }
}

interface Round {
  readonly key: string
  readonly isFirst: boolean
  readonly feedback: { readonly text: string } | null
}

async function workRound(
  { run, brief, deps, confine }: SelfWorker,
  { earlier, allowed, call }: Program,
  { key, isFirst, feedback }: Round,
): Promise<AgentEnd> {
  const before = earlier(key)
  if (before !== null && before !== 'begun') return before
  const isBegun = before === 'begun'
  // What has begun is read to its end, whatever it has cost in the meantime.
  const spent = isBegun ? null : deps.budget(run.record)
  if (spent !== null) return { kind: 'parked', by: 'budget', ...spent }
  try {
    // Without a sandbox, an approval of the first round is for all of them.
    const asks = !isBegun && (isFirst || confine.kind !== 'none')
    const no = asks ? await allowed(key) : null
    if (no !== null) return failedWorker(no)
    const task = feedback === null ? brief.prompt : `${brief.prompt}\n\n${feedback.text}`
    return await call({ key, prompt: [...brief.system, task].join('\n\n').replaceAll('\0', '') })
  } catch (error) {
    return interruptedEnd(error, run.deps.signal)
  }
}

/** What a request about a worker says that nothing confines. */
export const THE_WORKER = { what: 'the worker', label: 'worker' } as const

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
