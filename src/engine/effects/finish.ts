/**
 * The end of a session: its outcome becomes the task's, and work that needs no review is merged.
 * Invariants: 1. merge first, then the task file: merging twice changes nothing, so a crash in between is harmless;
 * 2. record and claims are removed last; 3. a worktree is removed only when it is clean and its work is merged.
 */

import { percentOf, readProgress } from '../../agent/mailbox.ts'
import { usdOf, usdText } from '../../domain/budget/usage-sum.ts'
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { SessionFact, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { type Merged, verdictOf } from '../../domain/session/outcome.ts'
import type { Outcome, Place, SessionRecord } from '../../domain/session/session.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import { tickBoxes } from '../../files/body/markdown.ts'
import type { Json } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import { dropDelivered, openIdleSessions } from '../agents/idle-sessions.ts'
import { clearSuperseded, forgetAttempt, noteAttempt } from '../care/attempts.ts'
import { guardedBy } from '../commit/guarded.ts'
import { textAt, type Transacted, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { notifyEnd } from '../people/notices.ts'
import { placeOf } from './approved-text.ts'
import { sessionTrailers, subjectOf, type Trailers, taskTrailers } from './commit-words.ts'
import { movesTranscript, removeLive, sessionAtEnd, sessionPath, transcriptPath } from './session-file.ts'
import { writeTask } from './task-write.ts'

export async function finish(
  context: Context,
  snapshot: Snapshot,
  of: { file: TaskFile; fact: SessionFact; outcome: Outcome },
): Promise<Transacted> {
  const { file, fact, outcome } = of
  const { record } = fact
  const merged = await mergeWork(context, file, { record, outcome })
  const verdict = verdictOf(file.task, outcome, {
    merged,
    now: context.world.clock.now(),
    branch: record.branch,
  })
  const checks =
    outcome.kind === 'done' && outcome.checks.length > 0
      ? [['Neo-Verified', `${outcome.checks.length} of ${outcome.checks.length}`] as const]
      : []
  const keep = snapshot.rooms.get(file.room)?.room.keep ?? KEEP
  const progress = progressOf(context, file, { record, status: verdict.status })
  const more = sessionAtEnd(context, record, { outcome, keep })
  const done = await writeTask(context, file, {
    status: verdict.status,
    neo: { ...verdict.neo, ...usageKeys(context, file, record), ...progress.neo },
    ...progress.body,
    verb: verdict.verb === 'review' ? 'request review of' : verdict.verb,
    says: verdict.says,
    event: verdict.verb,
    trailers: [['Neo-Session', record.id], ...costTrailers(context, record), ...checks],
    more,
  })
  if (done === 'lost') return done
  notifyEnd(context, snapshot, { file, record, verdict })
  dropDelivered(context, record.id)
  const live = movesTranscript(more, record) ? 'moved' : 'stays'
  await clearAway(context, record, { outcome, branch: branchOf(verdict.status), live })
  if (verdict.status === 'completed') await clearSuperseded(context, record.taskId)
  return done
}

/** The boxes that the agent has ticked, and its progress if the task is not over. */
function progressOf(
  context: Context,
  { task }: TaskFile,
  of: { record: SessionRecord; status: TaskStatus },
): { readonly neo: { progress?: number }; readonly body: { body?: string } } {
  if (of.record.agent === undefined) return { neo: {}, body: {} }
  const said = readProgress(context.world.files, context.sessions.dir(of.record.id))
  if (said === null) return { neo: {}, body: {} }
  const body = tickBoxes(task.body, said.done)
  const percent = percentOf(task.body, said)
  const over = of.status === 'completed' || of.status === 'review'
  return {
    neo: over || percent === null ? {} : { progress: percent },
    body: body === task.body ? {} : { body },
  }
}

/** Usage of all sessions of the task; a runbook has no such key. */
function usageKeys(
  { usage }: Context,
  file: TaskFile,
  record: SessionRecord,
): Readonly<Record<string, Json | undefined>> {
  if (record.agent === undefined) return {}
  const sum = usage.ofTask(file.task.neo.id ?? '')
  const usd = usdOf(sum)
  const tokens = { input_tokens: sum.input + sum.cacheRead + sum.cacheWrite, output_tokens: sum.output }
  return { usage: usd === null ? tokens : { ...tokens, usd } }
}

function costTrailers({ usage }: Context, record: SessionRecord): Trailers {
  if (record.agent === undefined) return []
  const { model } = record.agent
  const named: Trailers = model === '' ? [] : [['Neo-Model', model]]
  return [...named, ['Neo-Cost', usdText(usage.ofSession(record.id))]]
}

/** A task in review needs its branch until a look has seen it merged, whatever the branch looks like just now. */
function branchOf(status: TaskStatus | undefined): 'wanted' | 'done' {
  return status === 'review' ? 'wanted' : 'done'
}

/** Session files that a room keeps if its `keep` says nothing. */
const KEEP = 200

async function mergeWork(
  context: Context,
  file: TaskFile,
  of: { record: SessionRecord; outcome: Outcome },
): Promise<Merged> {
  const { record, outcome } = of
  if (outcome.kind !== 'done' || outcome.changed === 'no' || outcome.unchecked !== undefined)
    return { kind: 'not-wanted' }
  if (record.review !== 'none') return { kind: 'not-wanted' }
  return mergeUnguarded(context, file, { ...record, session: record.id })
}

/** Merges the commit that was looked at, or says why only a person does. */
async function mergeUnguarded(
  context: Context,
  file: TaskFile,
  { place, branch, session }: { place: Place; branch: string; session: string | undefined },
): Promise<Merged> {
  const { git } = context.world
  const tip = await git.tip(place, branch)
  const why = await guardedBy(context, place, branch)
  if (why !== null) return { kind: 'guarded', why }
  // A person may have cancelled or deleted it since the look.
  if (textAt(context, file.path, file.hash) === null) return { kind: 'waits', why: 'its file has changed' }
  const more: Trailers = session === undefined ? [] : [['Neo-Session', session]]
  const subject = subjectOf(file.room, `merge ${file.name}`)
  return git.merge(place, branch, { subject, trailers: taskTrailers(file, 'merge', more), tip })
}

interface Clearing {
  readonly outcome: Outcome
  readonly branch: 'wanted' | 'done'
  /** Whether its transcript is in the room now. */
  readonly live: 'moved' | 'stays'
}

/** Removes the record, and worktree and branch unless they have unmerged work. */
async function clearAway(
  context: Context,
  record: SessionRecord,
  { outcome, branch, live }: Clearing,
): Promise<void> {
  const { git } = context.world
  const empty = outcome.kind !== 'unknown' && 'commit' in outcome && outcome.commit === outcome.from
  const state = empty ? null : await git.branchState(record.place, record.branch)
  const goes = branch === 'done' && (state === null || state.kind !== 'open' || state.ahead === 0)
  if (!goes) noteAttempt(context, record)
  else if (!(await clearWorktree(context, record.place, { id: record.id, branch: record.branch })))
    noteAttempt(context, record)
  context.sessions.remove(record.id)
  if (live === 'moved') removeLive(context, record)
}

/** False if the worktree stays. */
async function clearWorktree(
  context: Context,
  place: Place,
  of: { id: string; branch: string },
): Promise<boolean> {
  const { git } = context.world
  // The worktree of a session that waits for tasks stays for the next one.
  if (openIdleSessions(context).get(of.id) !== null) {
    await git.deleteBranch(place, of.branch)
    return true
  }
  const removed = await git.removeWorktree(place, context.sessions.worktree(of.id))
  if (removed.kind === 'kept')
    context.emit({ kind: 'kept', text: `kept the worktree of ${of.id}: ${removed.why}`, session: of.id })
  else {
    await git.deleteBranch(place, of.branch)
    forgetAttempt(context, of.id)
  }
  return removed.kind === 'removed'
}

/** Removes a session that its task no longer wants; the task keeps the status that a person gave it. */
export async function discard(
  context: Context,
  snapshot: Snapshot,
  { session, why }: DecisionOf<'discard'>,
): Promise<Transacted> {
  const fact = context.sessions.facts().get(session)
  if (fact === undefined) return 'lost'
  const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.session === session) ?? null
  const { record } = fact
  const outcome: Outcome = fact.outcome ?? {
    kind: 'stopped',
    why,
    endedAt: isoSecond(context.world.clock.now()),
  }
  if (fact.outcome !== null) dropDelivered(context, record.id)
  const branch = branchOf(file?.task.status)
  if (await isWrittenDown(context, record)) {
    const live = context.look.tree().has(transcriptPath(record)) ? 'moved' : 'stays'
    await clearAway(context, record, { outcome, branch, live })
    return 'done'
  }
  const end = sessionAtEnd(context, record, { outcome, keep: KEEP })
  const done =
    file === null ? await alone(context, record, end) : await withTask(context, file, { record, end, why })
  const live = movesTranscript(end, record) ? 'moved' : 'stays'
  if (done !== 'lost') await clearAway(context, record, { outcome, branch, live })
  return done
}

/** A crash came between the commit of the outcome and the removal. */
async function isWrittenDown(context: Context, record: SessionRecord): Promise<boolean> {
  const blob = context.look.tree().get(sessionPath(record))
  return blob !== undefined && /^ended_at:/m.test((await context.world.git.blob(blob)).toString('utf8'))
}

async function alone(
  context: Context,
  record: SessionRecord,
  changes: ReturnType<typeof sessionAtEnd>,
): Promise<Transacted> {
  return transact(context, {
    kind: 'stop',
    changes,
    subject: subjectOf(record.room, `stop ${record.taskName}`),
    trailers: sessionTrailers(record, 'stop'),
    author: NEO,
  })
}

async function withTask(
  context: Context,
  file: TaskFile,
  of: { record: SessionRecord; end: ReturnType<typeof sessionAtEnd>; why: string },
): Promise<Transacted> {
  const ended =
    file.task.status === 'pending' || file.task.status === 'draft'
      ? undefined
      : isoSecond(context.world.clock.now())
  return writeTask(context, file, {
    neo: { session: undefined, current_step: undefined, completed_at: ended },
    verb: 'stop',
    says: of.why,
    event: 'stop',
    trailers: [['Neo-Session', of.record.id]],
    more: of.end,
  })
}

/** Retries a merge that had to wait. `lost`: it still has to. */
export async function mergeAgain(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Transacted> {
  const place = await placeOf(context, snapshot, file)
  const branch = file.task.neo.branch
  if (place === null || branch === undefined) return 'lost'
  const { kind } = await mergeUnguarded(context, file, { place, branch, session: file.task.neo.session })
  return kind === 'merged' || kind === 'nothing' ? mergedByNow(context, snapshot, file) : 'lost'
}

/** The branch of a task in review was merged, by Neo or by a person. */
export async function mergedByNow(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Transacted> {
  const place = await placeOf(context, snapshot, file)
  const { branch, session } = file.task.neo
  const done = await writeTask(context, file, {
    status: 'completed',
    neo: {
      branch: undefined,
      error: undefined,
      hold: undefined,
      completed_at: isoSecond(context.world.clock.now()),
    },
    verb: 'complete',
    says: file.task.neo.result ?? 'merged',
    event: 'complete',
  })
  if (done !== 'lost' && place !== null && branch !== undefined && session !== undefined)
    await clearWorktree(context, place, { id: session, branch })
  if (done !== 'lost') await clearSuperseded(context, file.task.neo.id ?? '')
  return done
}

/** The branch of a task in review was deleted unmerged. */
export async function lost(context: Context, file: TaskFile, error: string): Promise<Transacted> {
  const neo = { branch: undefined, error, completed_at: isoSecond(context.world.clock.now()) }
  return writeTask(context, file, { status: 'failed', neo, verb: 'fail', says: error, event: 'fail' })
}
