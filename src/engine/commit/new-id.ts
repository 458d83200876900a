/**
 * Ids for adopted files. They follow from path and bytes, so that two hosts that adopt the same file before they sync give
 * it the same id. Invariants: 1. an id of another file, or of a deleted task, is not used again: the next candidate is
 * longer; 2. a copy has another path or bytes, so another id.
 */
import type { GitStatus, Snapshot } from '../../domain/plan/snapshot.ts'
import type { Context } from '../context.ts'

export interface Adopted {
  /** Of the id: task, room, schedule. */
  readonly prefix: 't' | 'r' | 'c'
  readonly path: string
  /** Git blob id of its bytes. */
  readonly hash: string
  /** A file that is new to git is another task than the one that was started under its id. */
  readonly gitStatus?: GitStatus
}

export function newId(context: Context, snapshot: Snapshot, file: Adopted): string {
  const taken = takenIn(snapshot)
  const sessions = [...context.sessions.facts().values()]
  const hasRun = (id: string) =>
    context.sessions.attempts.get(id) !== undefined || sessions.some(({ record }) => record.taskId === id)
  for (let tries = 0; ; tries++) {
    const id = candidate(context, file, tries)
    // What a reset took back gets its id again, so that what ran is known.
    const isOther = (file.gitStatus === 'new' && hasRun(id)) || context.acted().get(id)?.isGone === true
    if (isOther || taken.has(id)) continue
    taken.add(id)
    return id
  }
}

/** As random ids; each further candidate is one character longer. */
const SHORTEST = 6

function candidate({ world }: Context, { prefix, path, hash }: Adopted, tries: number): string {
  const digest = world.git.blobId(Buffer.from(`${prefix}\0${path}\0${hash}\0${tries}`))
  // The last digits of a large number are spread evenly, the first ones are not.
  return `${prefix}-${BigInt(`0x${digest}`)
    .toString(36)
    .padStart(31, '0')
    .slice(-(SHORTEST + tries))}`
}

/** With the ids that were given since this snapshot. */
const given = new WeakMap<Snapshot, Set<string>>()

function takenIn(snapshot: Snapshot): Set<string> {
  const before = given.get(snapshot)
  if (before !== undefined) return before
  const { tasks, rooms, schedules, asks } = snapshot
  const ids = [
    ...[...tasks.values()].map(({ task }) => task.neo.id),
    ...[...rooms.values()].map(({ room }) => room.neo.id),
    ...[...(schedules ?? new Map()).values()].map(({ schedule }) => schedule.neo.id),
    ...[...asks.values()].map(({ ask }) => ask.task),
  ]
  const taken = new Set(ids.filter((id) => id !== undefined))
  given.set(snapshot, taken)
  return taken
}

export function noteGone({ acted }: Pick<Context, 'acted'>, ids: readonly string[]): void {
  for (const id of ids) acted().set({ ...acted().get(id), id, isGone: true }, 'later')
}
