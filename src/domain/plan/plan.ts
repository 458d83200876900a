/**
 * The whole workflow engine, as a pure function of what the files say, what only this process knows, and the time.
 * Invariants (tested in test/domain/plan/plan.property.test.ts): 1. planning again after the decisions were carried
 * out gives nothing new; 2. one decision per subject; 3. away from the home's branch, or while git is busy, nothing
 * is decided; 4. no start and no answer that would make more working sessions than the limits of home and room allow
 * (slots.ts).
 */

import { decideSchedules } from '../schedule/due-runs.ts'
import { grouped, indexOf, type TaskIndex } from '../task/depends.ts'
import { openTasks, tasksToLookAt } from '../task/readiness.ts'
import type { Decision, Plan } from './decision.ts'
import { decideNeo } from './plan-neo.ts'
import { type PlanContext, decideRunning, decideTask, type Candidate } from './plan-task.ts'
import { decideWants, haltChildren } from './plan-wants.ts'
import { fillSlots } from './slots.ts'
import type { Facts, Snapshot } from './snapshot.ts'

type Start = Extract<Candidate, { kind: 'start' }>

export function plan(snapshot: Snapshot, facts: Facts, now: number): Plan {
  if (snapshot.git.kind !== 'home') return { decisions: [], waiting: [], wakeAt: null }
  const context = openContext(snapshot, facts, now)
  const candidates: Candidate[] = []
  for (const file of tasksToLookAt(snapshot, facts, context.index)) {
    const candidate = decideTask(file, context)
    if (candidate !== null) candidates.push(candidate)
  }
  const { decisions, starts } = sorted(candidates, context)
  decisions.push(...decideSchedules(context))
  const wants = decideWants(context)
  decisions.push(...wants.filter(({ kind }) => kind !== 'answer'))
  decisions.push(...decideNeo(context))
  const answers = wants.filter((one) => one.kind === 'answer')
  decisions.push(...fillSlots({ answers, starts }, context))
  const decided = new Set(decisions.flatMap((one) => ('path' in one ? [one.path] : [])))
  const waiting = context.waiting.filter(({ path }) => !decided.has(path))
  return { decisions, waiting, wakeAt: context.wakeAt() }
}

/** Decisions to carry out at once, and starts that need a slot; subagents of ending sessions come first. */
function sorted(
  candidates: readonly Candidate[],
  context: PlanContext,
): { readonly decisions: Decision[]; readonly starts: readonly Start[] } {
  const orphaned = orphans(context)
  const done = candidates.flatMap((candidate) => (candidate.kind === 'do' ? [candidate.decision] : []))
  const ending = [...orphaned, ...done].flatMap((one) =>
    one.kind === 'stop' || one.kind === 'discard' ? [one.session] : [],
  )
  const { halts, held } = haltChildren(new Set(ending), context)
  const isOther = (one: Decision) =>
    !('path' in one && halts.has(one.path)) &&
    !((one.kind === 'discard' || one.kind === 'finish') && held.has(one.session))
  for (const candidate of candidates)
    if (candidate.kind === 'wait') context.waiting.push({ path: candidate.path, on: candidate.on })
  return {
    decisions: [
      ...halts.values(),
      ...adoptRooms(context.snapshot),
      ...forget(context.snapshot, context.index),
      ...[...orphaned, ...done].filter(isOther),
    ],
    starts: candidates
      .filter((candidate) => candidate.kind === 'start')
      .filter(({ file }) => !halts.has(file.path)),
  }
}

function openContext(snapshot: Snapshot, facts: Facts, now: number): PlanContext {
  const index = indexOf(snapshot.tasks)
  const asksByTask = grouped(snapshot.asks.values(), ({ ask }) => ask.task)
  const sessionsByTask = grouped(facts.sessions.values(), ({ record }) => record.taskId)
  let first: number | null = null
  const wake = (at: number) => {
    if (at > now && (first === null || at < first)) first = at
  }
  const own = { snapshot, facts, now, index, asksByTask, sessionsByTask }
  return { ...own, waiting: [], wake, wakeAt: () => first }
}

/** Rooms without a block, and those that were renamed or copied. */
function adoptRooms(snapshot: Snapshot): Decision[] {
  const rooms = [...snapshot.rooms.values()].filter(
    ({ room, gitStatus, hash }) => (room.neo.id === undefined || gitStatus === 'new') && hash !== '',
  )
  return rooms.map(({ name, path, hash }) => ({ kind: 'adopt-room', room: name, path, hash }))
}

/** Deleted files: their deletion is committed, by the adoption of the new path if the task was moved. */
function forget(snapshot: Snapshot, index: TaskIndex): Decision[] {
  const gone = snapshot.deleted.filter(
    ({ taskId }) => !(index.byId.get(taskId ?? '') ?? []).some(({ gitStatus }) => gitStatus === 'new'),
  )
  return gone.map(({ path, room }) => ({ kind: 'forget', path, room }))
}

/** Sessions that no task file names: the file is gone, or a crash came between the record and the file. */
function orphans({ snapshot, facts, index }: PlanContext): Decision[] {
  if (facts.sessions.size === 0 || hasOldBuffer(snapshot)) return []
  return [...facts.sessions.values()].flatMap((fact) => {
    const { id, taskId, taskPath } = fact.record
    const own = snapshot.tasks.get(taskPath)?.task.neo
    if (own?.id === taskId && own.session === id) return []
    const files = index.byId.get(taskId)
    if (files === undefined)
      return isUnread(snapshot, taskPath) ? [] : decideRunning(fact, 'the task file was deleted')
    const named = files.some(({ task }) => task.neo.session === id)
    return named ? [] : decideRunning(fact, 'the task file names another session')
  })
}

/** A file that can't be read now may be that of the task: its session waits until the file is corrected. */
function isUnread({ invalid, tasks }: Snapshot, path: string): boolean {
  return invalid.has(path) && !tasks.has(path)
}

/** An old buffer can lack the id and the session of its task; nothing counts as missing until it is merged. */
function hasOldBuffer(snapshot: Snapshot): boolean {
  for (const { gitStatus, path } of openTasks(snapshot))
    if (gitStatus === 'stale' && !snapshot.invalid.has(path)) return true
  return false
}
