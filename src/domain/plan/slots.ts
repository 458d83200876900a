/**
 * Who may work at the same time: what takes a slot of home and room, and who gets the next free one. Pure.
 * Invariants:
 * 1. a session that waits for a person takes no slot; its answer is handed over when one is free for it; 2. an answer
 * comes before every start: what has begun continues first; 3. a subagent has the slot of the session that waits for
 * it.
 */
import type { Decision } from './decision.ts'
import type { Facts, SessionFact, Snapshot, TaskFile } from './snapshot.ts'
import { PRIORITIES } from '../task/task.ts'
import type { PlanContext, Candidate } from './plan-task.ts'
import { settingsOf } from '../task/task-settings.ts'

type Start = Extract<Candidate, { kind: 'start' }>
type Answer = Extract<Decision, { kind: 'answer' }>

/** Answers first, then starts in order of priority, age and path, as far as the slots of home and room reach. */
export function fillSlots(
  { answers, starts }: { readonly answers: readonly Answer[]; readonly starts: readonly Start[] },
  context: PlanContext,
): Decision[] {
  const slots = openSlots(context)
  const decisions: Decision[] = []
  for (const answer of answers) {
    const { taskId, taskPath, room } = (context.facts.sessions.get(answer.session) as SessionFact).record
    if (slots.take({ id: taskId, path: taskPath, room })) decisions.push(answer)
    else context.waiting.push({ path: taskPath, on: 'a free slot, to continue with your answer' })
  }
  sayWaiting(context, new Set(answers.map(({ session }) => session)))
  for (const { file, decision } of [...starts].sort((a, b) => order(a.file, b.file))) {
    if (slots.take({ id: file.task.neo.id ?? '', path: file.path, room: file.room })) decisions.push(decision)
    else context.waiting.push({ path: file.path, on: 'a free slot' })
  }
  return decisions
}

/** Unanswered sessions as waiting lines, so that plan and status say why nothing starts. */
function sayWaiting({ facts, snapshot, waiting }: PlanContext, answered: ReadonlySet<string>): void {
  for (const { record, state, stopping, wants = [] } of facts.sessions.values()) {
    if (state === 'ended' || stopping || answered.has(record.id)) continue
    if (snapshot.tasks.get(record.taskPath)?.task.neo.session !== record.id) continue
    const [want] = wants.filter(isForPerson)
    if (want !== undefined) waiting.push({ path: record.taskPath, on: `you: neo ask show ${want.id}` })
  }
}

interface Taker {
  readonly id: string
  readonly path: string
  readonly room: string
}

function openSlots({ snapshot, facts }: PlanContext): { take(one: Taker): boolean } {
  const working = workingSessions(facts.sessions)
  const all = taken(working)
  // A subagent has the slot of the session that waits for it: else both would wait for good.
  const inner = taken(working.filter((fact) => !isParent(fact)))
  const spawned = new Set(
    [...facts.sessions.values()].flatMap(({ state, wants = [] }) =>
      state === 'ended' ? [] : wants.map(({ id }) => id),
    ),
  )
  return {
    take({ id, path, room }) {
      const file = snapshot.tasks.get(path)
      const own = snapshot.rooms.get(room)?.room ?? null
      const limit = file === undefined ? Infinity : settingsOf(file.task, own, snapshot.config).concurrency
      const slots = spawned.has(id) ? inner : all
      if (slots.total >= snapshot.config.daemon.concurrency || (slots.rooms.get(room) ?? 0) >= limit)
        return false
      add(all, room)
      add(inner, room)
      return true
    },
  }
}

/** Those that take a slot. */
export function workingSessions(sessions: Facts['sessions']): readonly SessionFact[] {
  return [...sessions.values()].filter((fact) => fact.state !== 'ended' && !waitsForPerson(fact, sessions))
}

/** What takes the slots that a task waits for; null if one is free. */
export function fullSlots(
  { room, task }: TaskFile,
  { snapshot, sessions }: { readonly snapshot: Snapshot; readonly sessions: Facts['sessions'] },
): { readonly of: 'home' | 'room'; readonly limit: number; readonly by: readonly SessionFact[] } | null {
  const working = workingSessions(sessions)
  const { concurrency } = snapshot.config.daemon
  const own = working.filter(({ record }) => record.room === room)
  const limit = settingsOf(task, snapshot.rooms.get(room)?.room ?? null, snapshot.config).concurrency
  if (working.length >= concurrency) return { of: 'home', limit: concurrency, by: working }
  return own.length >= limit ? { of: 'room', limit, by: own } : null
}

interface Slots {
  total: number
  readonly rooms: Map<string, number>
}

function taken(sessions: readonly SessionFact[]): Slots {
  const slots: Slots = { total: 0, rooms: new Map() }
  for (const { record } of sessions) add(slots, record.room)
  return slots
}

function add(slots: Slots, room: string): void {
  slots.total++
  slots.rooms.set(room, (slots.rooms.get(room) ?? 0) + 1)
}

/**
 * True for a session that can do nothing before a person answers: it has asked, or it does nothing but wait for
 * subagents that have asked.
 */
export function waitsForPerson({ wants = [], idle }: SessionFact, sessions: Facts['sessions']): boolean {
  if (wants.some(isForPerson)) return true
  if (idle !== true) return false
  const spawned = new Set(wants.filter(({ kind }) => kind === 'spawn').map(({ id }) => id))
  const own = [...sessions.values()].filter(
    ({ record, state }) => state !== 'ended' && spawned.has(record.taskId),
  )
  return own.length > 0 && own.length === spawned.size && own.every((fact) => waitsForPerson(fact, sessions))
}

export function isForPerson({ kind }: { readonly kind: string }): boolean {
  return kind === 'question' || kind === 'approval'
}

/** True for a session with a subagent that has not ended. */
export function isParent({ wants = [] }: SessionFact): boolean {
  return wants.some(({ kind }) => kind === 'spawn')
}

function order(a: TaskFile, b: TaskFile): number {
  const rank = PRIORITIES.indexOf(b.task.priority) - PRIORITIES.indexOf(a.task.priority)
  if (rank !== 0) return rank
  const age = compare(a.task.neo.createdAt ?? '', b.task.neo.createdAt ?? '')
  return age !== 0 ? age : compare(a.path, b.path)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
