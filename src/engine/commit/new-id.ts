/**
 * Ids that files get when they are adopted. They follow from the file's path and bytes, so that two hosts that adopt the
 * same file before they hear of each other give it the same id.
 * Invariants: 1. an id that another file of the home has, or that a deleted task had here, is not given again: the next
 * candidate is longer; 2. a copy has other bytes or another path, so its id is its own.
 */
import { join } from 'node:path'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Context } from '../context.ts'

/** The file that is adopted. */
export interface Adopted {
  /** Of the id: task, room, schedule. */
  readonly prefix: 't' | 'r' | 'c'
  readonly path: string
  /** Git blob id of its bytes. */
  readonly hash: string
}

/** An id for this file that nothing in the home has. */
export function newId(context: Context, snapshot: Snapshot, file: Adopted): string {
  const taken = takenIn(context, snapshot)
  for (let tries = 0; ; tries++) {
    const id = candidate(context, file, tries)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}

/** As long as random ids; each further candidate is one character longer. */
const SHORTEST = 6

function candidate({ world }: Context, { prefix, path, hash }: Adopted, tries: number): string {
  const digest = world.git.blobId(Buffer.from(`${prefix}\0${path}\0${hash}\0${tries}`))
  // The first digits of a large number are not spread evenly, the last ones are.
  return `${prefix}-${BigInt(`0x${digest}`)
    .toString(36)
    .padStart(31, '0')
    .slice(-(SHORTEST + tries))}`
}

/** Ids given while the decisions of one look are carried out count as well. */
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

/** Deleted tasks whose ids are kept in mind. */
const MOST_GONE = 2_000

/** A task that is made again with the same name and text is another task: notices and budgets go by its id. */
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
