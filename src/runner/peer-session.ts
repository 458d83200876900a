/**
 * A session whose work an agent of another home does. Invariant 1: the request has the same id after a restart, so the other
 * home makes one task. Invariant 2: the state of that task is the state here: the session ends when it ends. Invariant 3: a
 * stop here cancels it there, as soon as it can be reached.
 */
import { join } from 'node:path'
import type { SessionRecord } from '../domain/session/session.ts'
import { grownWait } from '../domain/text/grown-wait.ts'
import { leaving, type PeerAsk, type PeerState, type SessionDeps } from './deps.ts'
import { early, type Ended, type Ending, NOTHING_GATHERED } from './ending.ts'

const NO_CONTEXT =
  'no context: add params: { context: "repository:NAME" } to the task, or the context of the room to agent.contexts in neo.yaml'

/** A notification usually comes first. */
const ASK_AGAIN_MS = 30_000
const WAITS = { first: 1_000, most: ASK_AGAIN_MS }

interface Runner {
  readonly record: SessionRecord
  readonly deps: SessionDeps
}

export async function runPeerSession({ record, deps }: Runner): Promise<Ended> {
  const { peer } = record
  const work = deps.peer
  if (peer === undefined || work === undefined)
    return early({
      kind: 'parked',
      by: 'model',
      error: 'the agent protocol is off: set agent.id in neo.yaml',
    })
  if (peer.scope.length === 0) return early(failed(NO_CONTEXT))
  const limit = Date.parse(record.startedAt) + record.timeoutMs
  const ask = { ...peer, requestId: `${record.taskId}-${record.attempt}` }
  let told = ''
  for (let failures = 0; ; ) {
    const state = await work.execute(ask, deps.signal)
    if (leaving(deps.signal)) return 'left'
    if (state.kind === 'task') noteTask(deps, state.taskId)
    if (deps.signal.aborted) return stopped(deps, ask)
    if (state.kind === 'refused') return early(failed(state.why))
    if (state.kind === 'task' && state.status !== 'pending') return ended(peer.agentId, state)
    if (deps.world.clock.now() > limit) {
      cancel(deps, ask)
      return early(failed(`the time limit is over; ${peer.agentId} has to stop`))
    }
    const says = state.kind === 'task' ? `${peer.agentId}: ${state.state}` : `${state.why}; retrying`
    if (says !== told) deps.on.line?.(says)
    told = says
    failures = state.kind === 'task' ? 0 : failures + 1
    const waitMs = failures === 0 ? ASK_AGAIN_MS : grownWait(WAITS, failures)
    await work.news(peer.agentId, waitMs, deps.signal)
    if (leaving(deps.signal)) return 'left'
  }
}

function ended(agentId: string, { status, text, state }: Extract<PeerState, { kind: 'task' }>): Ended {
  if (status === 'failed') return early(failed(`${agentId}: ${text === '' ? state : text}`))
  const result = text === '' ? `completed by ${agentId}` : `${agentId}: ${text}`
  return { ending: { kind: 'passed' }, gathered: { ...NOTHING_GATHERED, said: { result, report: '' } } }
}

function stopped(deps: SessionDeps, ask: PeerAsk): Ended {
  cancel(deps, ask)
  return early({ kind: 'stopped', why: String(deps.signal.reason) })
}

/** The other home may have taken a request whose answer never came: then the request's id names the task. */
function cancel(deps: SessionDeps, { agentId, requestId }: PeerAsk): void {
  const { taskId } = (deps.world.files.readJson(taskFile(deps)) ?? {}) as { readonly taskId?: string }
  deps.peer?.cancel(agentId, taskId === undefined ? { requestId } : { taskId })
  deps.on.line?.(`cancelling the task at ${agentId}; retrying until it answers`)
}

function noteTask(deps: SessionDeps, taskId: string): void {
  const known = deps.world.files.readJson(taskFile(deps)) as { readonly taskId?: string } | null
  if (known?.taskId !== taskId) deps.world.files.writeJson(taskFile(deps), { taskId })
}

function taskFile({ dirs }: SessionDeps): string {
  return join(dirs.session, 'peer-task.json')
}

function failed(error: string): Ending {
  return { kind: 'failed', why: 'step', error, tail: '' }
}
