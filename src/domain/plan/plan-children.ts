/**
 * Subagents of sessions that are being ended: their tasks are halted before the session is cleared away. Pure. Invariant
 * 1: no session is cleared away while a task that it started could go on without anybody who waits for it.
 */
import type { Decision } from './decision.ts'
import type { Facts, SessionFact, Snapshot, TaskFile } from './snapshot.ts'
import type { TaskIndex } from '../task/depends.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly index: Pick<TaskIndex, 'byId'>
}

export interface Halting {
  /** By path of the subagent's task. */
  readonly halts: ReadonlyMap<string, Extract<Decision, { kind: 'halt' }>>
  /** Sessions that are not cleared away yet. */
  readonly held: ReadonlySet<string>
}

const NOTHING: Halting = { halts: new Map(), held: new Set() }

/** @param ending ids of sessions that this plan stops or clears away */
export function haltChildren(ending: ReadonlySet<string>, scene: Scene): Halting {
  const parents = [...scene.facts.sessions.values()].filter(
    (fact) => hasSpawned(fact) && (ending.has(fact.record.id) || isStopped(fact)),
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

function hasSpawned({ wants = [] }: SessionFact): boolean {
  return wants.some(({ kind }) => kind === 'spawn')
}

function isStopped({ stopping, outcome }: SessionFact): boolean {
  return stopping || outcome?.kind === 'stopped'
}

/** A file that cannot be read now cannot be halted either; what a person blocked stays so. */
function mayGoOn({ path, task }: TaskFile, { snapshot }: Scene): boolean {
  if (snapshot.invalid.has(path)) return false
  const { status, neo } = task
  return (
    status === 'pending' || status === 'in_progress' || (status === 'blocked' && neo.blocked !== undefined)
  )
}
