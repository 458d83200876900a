/**
 * What one task needs now. Invariant 1: a file that is stale, new or a copy is first put in order; nothing else is
 * decided for it in that look.
 */

import { type Asked, asked, needsApproval } from '../ask/approve.ts'
import type { TaskIndex } from '../task/depends.ts'
import { readiness, unreadRoom } from '../task/readiness.ts'
import { needsModel } from '../task/task.ts'
import { type Settings, settingsOf } from '../task/task-settings.ts'
import type { Decision, Waiting } from './decision.ts'
import { decideReview } from './plan-review.ts'
import type { AskFile, Facts, RoomFile, SessionFact, Snapshot, TaskFile } from './snapshot.ts'

export type Candidate =
  | { readonly kind: 'do'; readonly decision: Decision }
  | { readonly kind: 'start'; readonly file: TaskFile; readonly decision: Decision }
  | { readonly kind: 'wait'; readonly path: string; readonly on: string }

export interface PlanContext {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  readonly index: TaskIndex
  readonly asksByTask: ReadonlyMap<string, readonly AskFile[]>
  readonly sessionsByTask: ReadonlyMap<string, readonly SessionFact[]>
  readonly waiting: Waiting[]
  /** Asks for a look at a time, epoch ms. */
  wake(at: number): void
  /** The first of these times that is to come. */
  wakeAt(): number | null
}

export function decideTask(file: TaskFile, context: PlanContext): Candidate | null {
  const first = putInOrder(file, context)
  if (first !== null) return first
  const fact = sessionOf(file, context)
  const unread = unreadRoom(context.snapshot, file.room)
  if (unread !== null && fact?.state !== 'live' && fact?.state !== 'dormant')
    return record(file) ?? { kind: 'wait', path: file.path, on: unread }
  if (fact !== undefined) return withSession(file, fact)
  switch (file.task.status) {
    case 'pending':
      return context.snapshot.invalid.has(file.path) ? null : pending(file, context)
    case 'in_progress':
      return inProgress(file, context)
    case 'blocked':
      return blocked(file, context) ?? record(file)
    case 'review':
      return reviewWish(file, context) ?? record(file)
    case 'draft':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return record(file)
  }
}

/** New files, copies and old buffers; null for a file that is in order. */
function putInOrder({ path, hash, gitStatus, task }: TaskFile, context: PlanContext): Candidate | null {
  if (gitStatus === 'stale') return act({ kind: 'reconcile', path, hash })
  if (task.neo.id === undefined) return act({ kind: 'adopt', path, hash, id: 'new' })
  const original = context.index.originals.get(task.neo.id)
  if (original !== undefined && original.path !== path) return act({ kind: 'adopt', path, hash, id: 'new' })
  return gitStatus === 'new' ? act({ kind: 'adopt', path, hash, id: 'keep' }) : null
}

function sessionOf(file: TaskFile, { facts }: PlanContext): SessionFact | undefined {
  const { session, id } = file.task.neo
  const fact = session === undefined ? undefined : facts.sessions.get(session)
  return fact?.record.taskId === id ? fact : undefined
}

/** The task has a session: it continues while the file says in_progress, and ends in every other case. */
function withSession({ path, hash, task }: TaskFile, fact: SessionFact): Candidate | null {
  const { id } = fact.record
  if (task.status !== 'in_progress') return first(decideRunning(fact, `the task was set to ${task.status}`))
  switch (fact.state) {
    case 'live':
      return edited({ path, hash, task }, fact)
    case 'dormant':
      return act({ kind: 'resume', session: id })
    case 'ended':
      return fact.outcome === null
        ? null
        : act({ kind: 'finish', path, hash, session: id, outcome: fact.outcome })
  }
}

/** A later edit reaches an agent as a message, once; a runbook meets it at its next attempt. */
function edited(
  { path, hash, task }: Pick<TaskFile, 'path' | 'hash' | 'task'>,
  fact: SessionFact,
): Candidate | null {
  const { agent, id } = fact.record
  if (agent === undefined || agent.body.trim() === task.body.trim()) return null
  const key = `edit-${fingerprint(task.body.trim())}`
  return fact.heard?.has(key) === true ? null : act({ kind: 'tell', path, hash, session: id, key })
}

/** FNV-1a, to tell one text of a task from the next. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return `${hash.toString(36)}-${text.length}`
}

/**
 * Ends a session that nobody wants any more: stop it first, then clear it away. A stop that nobody drives is begun
 * again.
 */
export function decideRunning(fact: SessionFact, why: string): Decision[] {
  const session = fact.record.id
  if (fact.state === 'ended') return [{ kind: 'discard', session, why }]
  return fact.state === 'live' && fact.stopping ? [] : [{ kind: 'stop', session, why }]
}

function pending(file: TaskFile, context: PlanContext): Candidate | null {
  if (context.sessionsByTask.has(idOf(file))) {
    const on = 'the end of another session of this task'
    return record(file) ?? { kind: 'wait', path: file.path, on }
  }
  const ready = readiness(file, context)
  if (ready.kind === 'waits') {
    if (ready.at !== undefined) context.wake(ready.at)
    return record(file) ?? { kind: 'wait', path: file.path, on: ready.on }
  }
  const { path, hash } = file
  const attempt = (file.task.neo.attempt ?? 0) + 1
  const { kind } = settingsFor(file, context).worker
  if (kind === 'human') return act({ kind: 'hand-over', path, hash, attempt })
  const repeated = repeats(file, context, attempt)
  if (repeated !== null) return repeated
  if (needsModel(kind)) return agentStart(file, context, attempt)
  return needsApproval(file) ? withApproval(file, context, attempt) : start(file, attempt)
}

/** Blocks the task if its worker can't work or its budget is spent; both clear by themselves. */
function agentStart(file: TaskFile, context: PlanContext, attempt: number): Candidate {
  const { path, hash } = file
  const error = hindrance(file, context)
  if (error !== null) return act({ kind: 'block', path, hash, by: 'model', error })
  const spent = context.facts.budgets.get(idOf(file))
  if (spent === undefined) return start(file, attempt)
  return act({ kind: 'block', path, hash, by: 'budget', error: spent.error })
}

/** Why the task's worker can't work now; null if it can. */
function hindrance(file: TaskFile, context: PlanContext): string | null {
  const { facts } = context
  const { kind } = settingsFor(file, context).worker
  if (!needsModel(kind)) return null
  const own = facts.cannot.get(idOf(file))
  if (own !== undefined) return own
  return facts.agent.kind === 'none' ? facts.agent.error : null
}

function start(file: TaskFile, attempt: number): Candidate {
  return { kind: 'start', file, decision: { kind: 'start', path: file.path, hash: file.hash, attempt } }
}

function withApproval(file: TaskFile, context: PlanContext, attempt: number): Candidate {
  const { path, hash } = file
  const { verdict, ask } = askedOf(file, 'run_task', context)
  if (verdict === 'approved') return start(file, attempt)
  if (verdict === 'none' || ask.ask.handledAt !== undefined)
    return act({ kind: 'open-ask', path, hash, about: 'start' })
  if (verdict !== 'pending') return act({ kind: 'close-ask', path, hash, ask: ask.path, verdict })
  const error = `waits for approval: neo ask show ${ask.ask.id}`
  return act({ kind: 'block', path, hash, by: 'ask', error })
}

function inProgress(file: TaskFile, context: PlanContext): Candidate | null {
  const { path, hash } = file
  if (settingsFor(file, context).worker.kind === 'human') return record(file)
  const repeated = repeats(file, context, file.task.neo.attempt ?? 0)
  return repeated ?? act({ kind: 'requeue', path, hash, why: 'no session is running for it' })
}

/**
 * The attempt that is due was started here already: git has an older version of the file again (reset, revert, another
 * branch). What it did may not be done twice. Null if it wasn't, or if a person has just set the status.
 */
function repeats(file: TaskFile, { facts }: PlanContext, due: number): Candidate | null {
  const { path, hash } = file
  const id = idOf(file)
  const attempt = facts.attempts?.get(id)
  if (attempt === undefined || due > attempt || record(file) !== null) return null
  const error = `already ran, then git went back: neo task start ${id} to run it again, neo task done ${id} if it is done`
  return act({ kind: 'block', path, hash, by: null, error })
}

/** Blocks that Neo set clear by themselves; a block without `neo.blocked` is the human's. */
function blocked(file: TaskFile, context: PlanContext): Candidate | null {
  const { path, hash, task } = file
  const by = task.neo.blocked
  if (by === undefined) return null
  switch (by) {
    case 'budget': {
      const spent = context.facts.budgets.get(idOf(file))
      if (spent === undefined) return act({ kind: 'unblock', path, hash })
      if (spent.at !== null) context.wake(spent.at)
      return null
    }
    case 'model':
      return hindrance(file, context) === null ? act({ kind: 'unblock', path, hash }) : null
    case 'filter':
      return null
    case 'ask':
      return onAsk(file, context, 'run_task')
    case 'interrupted':
      return onAsk(file, context, 'retry_task')
  }
}

function onAsk(file: TaskFile, context: PlanContext, tool: string): Candidate | null {
  const { path, hash } = file
  const { verdict, ask } = askedOf(file, tool, context)
  if (verdict === 'none' || ask.ask.handledAt !== undefined)
    return act({ kind: 'open-ask', path, hash, about: tool === 'run_task' ? 'start' : 'interrupted' })
  if (verdict === 'pending') {
    if (ask.ask.expiresAt !== undefined) context.wake(Date.parse(ask.ask.expiresAt))
    return null
  }
  return act({ kind: 'close-ask', path, hash, ask: ask.path, verdict })
}

function askedOf(file: TaskFile, tool: string, context: PlanContext): Asked {
  const own = context.asksByTask.get(idOf(file)) ?? []
  return asked(file, own, { tool, facts: context.facts, now: context.now })
}

function reviewWish(file: TaskFile, context: PlanContext): Candidate | null {
  const { facts, now, snapshot, wake } = context
  const decision = decideReview(file, {
    facts,
    now,
    settings: settingsFor(file, context),
    push: pushOf(snapshot.rooms.get(file.room)),
    asked: () => askedOf(file, 'push_branch', context),
    wake,
  })
  return decision === null ? null : act(decision)
}

function pushOf(file: RoomFile | undefined): 'allow' | 'ask' | 'deny' {
  const said = file?.room.permissions['push']
  return said === 'ask' || said === 'deny' ? said : 'allow'
}

/** The user's own change of status is a transition too: it is committed as theirs. */
function record({ path, hash, gitStatus, committedStatus, task }: TaskFile): Candidate | null {
  if (gitStatus !== 'edited' || committedStatus === null || committedStatus === task.status) return null
  return act({ kind: 'record', path, hash, status: task.status })
}

function settingsFor(file: TaskFile, { snapshot }: PlanContext): Settings {
  return settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
}

/** Of a file that is in order: putInOrder lets no other pass. */
function idOf({ task }: TaskFile): string {
  return task.neo.id as string
}

function act(decision: Decision): Candidate {
  return { kind: 'do', decision }
}

function first(decisions: readonly Decision[]): Candidate | null {
  const [decision] = decisions
  return decision === undefined ? null : act(decision)
}
