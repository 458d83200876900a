/**
 * What sessions want from the rest of the home: requests, answers, memories, subagents. Invariant 1: each want is
 * handled once: the id of its request, memory or task follows from session and key. Invariant 2: if a session has its
 * answer, the request is closed as answered, no matter who answered it and how. Invariant 3: a session is not removed
 * while a task that it started could continue without anybody waiting for it.
 */

import type { Want } from '../session/session.ts'
import type { TaskIndex } from '../task/depends.ts'
import { ENDED } from '../task/task.ts'
import type { Decision } from './decision.ts'
import { isParent } from './slots.ts'
import type { AskFile, Facts, SessionFact, Snapshot, TaskFile } from './snapshot.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  readonly index: Pick<TaskIndex, 'byId'>
  /** Schedules the next look. */
  readonly wake: (at: number) => void
}

export function decideWants(scene: Scene): Decision[] {
  const all = [...scene.facts.sessions.values()]
  const live = all.filter(({ state }) => state !== 'ended')
  const decisions = live.flatMap((fact) =>
    (fact.wants ?? []).flatMap((want) => decideWant(fact, want, scene)),
  )
  return [...decisions, ...overtaken(scene, all)]
}

function decideWant({ record }: SessionFact, want: Want, scene: Scene): Decision[] {
  const session = record.id
  const { key } = want
  switch (want.kind) {
    case 'memory':
      return [{ kind: 'want', session, key }]
    case 'spawn': {
      const task = scene.index.byId.get(want.id)?.[0]
      if (task === undefined) return [{ kind: 'want', session, key }]
      return ENDED.has(task.task.status) || task.task.status === 'review'
        ? [{ kind: 'report', session, key, path: task.path }]
        : []
    }
    case 'question':
    case 'approval': {
      const ask = scene.snapshot.asks.get(askPath(record.room, want.id))
      if (ask === undefined) return [{ kind: 'want', session, key }]
      if (!isDecided(ask, scene)) return []
      return [{ kind: 'answer', session, key, path: ask.path, hash: ask.hash }]
    }
  }
}

export function askPath(room: string, id: string): string {
  return `rooms/${room}/asks/${id}.md`
}

function isDecided({ ask }: AskFile, { now, wake }: Scene): boolean {
  const answered = ask.kind === 'question' ? (ask.answer ?? '').trim() !== '' : ask.decision !== 'pending'
  if (answered || ask.decision === 'denied') return true
  if (ask.expiresAt === undefined) return false
  const expires = Date.parse(ask.expiresAt)
  if (expires <= now) return true
  wake(expires)
  return false
}

/** Requests of sessions that ended, or that were answered in another way. */
function overtaken({ snapshot, index }: Scene, sessions: readonly SessionFact[]): Decision[] {
  const open = new Set(
    sessions.flatMap(({ record, wants, state }) =>
      state === 'ended' ? [] : (wants ?? []).map(({ id }) => askPath(record.room, id)),
    ),
  )
  const answers = new Map(
    sessions.flatMap(({ record, answers: own }) =>
      [...(own ?? [])].map(([id, answer]) => [askPath(record.room, id), answer] as const),
    ),
  )
  return [...snapshot.asks.values()].flatMap(({ path, hash, ask }): Decision[] => {
    if (ask.handledAt !== undefined || open.has(path)) return []
    if (ask.session === undefined)
      return isTaskOver(ask, snapshot, index) ? [{ kind: 'withdraw', path, hash }] : []
    const answer = answers.get(path)
    return [answer === undefined ? { kind: 'withdraw', path, hash } : { kind: 'settle', path, hash, answer }]
  })
}

/**
 * Whether the task that it was asked about waits for it no longer: it ended, went on, was pushed by hand, or is gone.
 */
function isTaskOver(
  { action, task: id = '' }: AskFile['ask'],
  snapshot: Snapshot,
  { byId }: Scene['index'],
): boolean {
  const files = byId.get(id) ?? []
  const [file] = files
  if (id === '' || !TASK_TOOLS.has(action.tool)) return false
  // A file that cannot be read may be its task's; one that is away for a moment is said by the effect.
  if (file === undefined) return snapshot.invalid.size === 0
  if (files.length > 1 || file.gitStatus === 'stale' || snapshot.invalid.has(file.path)) return false
  const { status, neo } = file.task
  switch (action.tool) {
    case 'push_branch':
      return status !== 'review'
    case 'run_task':
      return status !== 'pending' && !(status === 'blocked' && neo.blocked === 'ask')
    default:
      return status !== 'pending' && !(status === 'blocked' && neo.blocked === 'interrupted')
  }
}

/** Tools of requests about a task (engine/effects/ask-effects.ts). */
const TASK_TOOLS: ReadonlySet<string> = new Set(['push_branch', 'run_task', 'retry_task'])

interface Halting {
  /** By path of the subagent's task. */
  readonly halts: ReadonlyMap<string, Extract<Decision, { kind: 'halt' }>>
  /** Sessions that must not be removed yet. */
  readonly held: ReadonlySet<string>
}

const NOTHING: Halting = { halts: new Map(), held: new Set() }

/** @param ending ids of sessions that this plan stops or removes */
export function haltChildren(ending: ReadonlySet<string>, scene: Omit<Scene, 'now' | 'wake'>): Halting {
  const parents = [...scene.facts.sessions.values()].filter(
    (fact) =>
      isParent(fact) && (ending.has(fact.record.id) || fact.stopping || fact.outcome?.kind === 'stopped'),
  )
  if (parents.length === 0) return NOTHING
  const halts = new Map<string, Extract<Decision, { kind: 'halt' }>>()
  const held = new Set<string>()
  for (const { record, wants = [] } of parents)
    for (const { id, kind } of wants) {
      const child = kind === 'spawn' ? scene.index.byId.get(id)?.[0] : undefined
      if (child === undefined || !mayGoOn(child, scene)) continue
      held.add(record.id)
      // Any other file is first put in order.
      if (child.gitStatus === 'same' || child.gitStatus === 'edited')
        halts.set(child.path, { kind: 'halt', path: child.path, hash: child.hash, session: record.id })
    }
  return { halts, held }
}

/** False for a file that can't be read now, and for a task that a person blocked. */
function mayGoOn({ path, task }: TaskFile, { snapshot }: Pick<Scene, 'snapshot'>): boolean {
  if (snapshot.invalid.has(path)) return false
  const { status, neo } = task
  return (
    status === 'pending' || status === 'in_progress' || (status === 'blocked' && neo.blocked !== undefined)
  )
}
