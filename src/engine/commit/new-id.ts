/**
 * Ids for adopted files. They follow from path and bytes, so that two hosts that adopt the same file before they sync give
 * it the same id. Invariants: 1. an id of another file, or of a deleted task, is not used again: the next candidate is
 * longer; 2. a copy has another path or bytes, so another id.
 */
import { join } from 'node:path'
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
  const taken = takenIn(context, snapshot)
  for (let tries = 0; ; tries++) {
    const id = candidate(context, file, tries)
    if (taken.has(id) || (file.gitStatus === 'new' && context.sessions.attempts.get(id) !== undefined))
      continue
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
const known = new WeakMap<Snapshot, Set<string>>()

function takenIn(context: Context, snapshot: Snapshot): Set<string> {
  const before = known.get(snapshot)
  if (before !== undefined) return before
  const { tasks, rooms, schedules, asks } = snapshot
  const ids = [
    ...[...tasks.values()].map(({ task }) => task.neo.id),
    ...[...rooms.values()].map(({ room }) => room.neo.id),
    ...[...(schedules ?? new Map()).values()].map(({ schedule }) => schedule.neo.id),
    ...[...asks.values()].map(({ ask }) => ask.task),
    ...[...context.sessions.facts().values()].map(({ record }) => record.taskId),
    ...goneIds(context),
  ]
  const taken = new Set(ids.filter((id) => id !== undefined))
  known.set(snapshot, taken)
  return taken
}

/** Deleted tasks whose ids are remembered. */
const MOST_GONE = 2_000

/** A new task with the name and text of a deleted one is another task: notices and budgets go by its id. */
export function noteGone(context: Pick<Context, 'world' | 'dir'>, news: readonly string[]): void {
  if (news.length === 0) return
  const known = new Set(goneIds(context))
  const fresh = news.filter((id) => !known.has(id))
  if (fresh.length > 0) context.world.files.writeJson(pathOf(context), [...known, ...fresh].slice(-MOST_GONE))
}

function goneIds(context: Pick<Context, 'world' | 'dir'>): readonly string[] {
  const read = context.world.files.readJson(pathOf(context))
  return Array.isArray(read) ? read.filter((id) => typeof id === 'string') : []
}

function pathOf({ dir }: Pick<Context, 'dir'>): string {
  return join(dir, 'gone-ids.json')
}
