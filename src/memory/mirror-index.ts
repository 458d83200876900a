/**
 * What the context mirror says of the last hours, a room at a time, kept in memory between readings. Invariant 1: a reading
 * takes from the disk only what came since the last one. Invariant 2: nothing is read unless somebody asks, so nothing runs
 * while the mirror is off.
 */
import { type ContextSnapshot, type MirrorEvent, RECENT_MS, snapshotOf } from '../domain/peer/mirror.ts'
import type { Context } from '../engine/context.ts'
import { parseLines } from '../store/keyed-log.ts'
import { isMirrorEvent, mirrorDays, mirrorFile } from './mirror-log.ts'

interface Index {
  readAt: number
  /** Bytes read, by day. */
  readonly read: Map<string, number>
  /** Oldest first. */
  events: readonly MirrorEvent[]
  readonly snapshots: Map<string, ContextSnapshot>
}

const NEWLINE = 10
const PART_BYTES = 1024 * 1024
/** The days that the last hours can lie in. */
const DAYS = 2

const indexes = new WeakMap<Context['look'], Index>()

/** @param maxAgeMs an older snapshot is made again, from what is new */
export function mirrorContext(context: Context, room: string, maxAgeMs: number): ContextSnapshot {
  const now = context.world.clock.now()
  const index = indexes.get(context.look) ?? { readAt: 0, read: new Map(), events: [], snapshots: new Map() }
  indexes.set(context.look, index)
  const ageMs = now - index.readAt
  if (ageMs >= maxAgeMs || ageMs < 0) {
    readNew(context, index, now)
    index.readAt = now
    index.snapshots.clear()
  }
  const known = index.snapshots.get(room)
  if (known !== undefined) return known
  const own = index.events.filter((event) => event.room === room)
  const snapshot = snapshotOf(own, new Date(index.readAt).toISOString())
  index.snapshots.set(room, snapshot)
  return snapshot
}

function readNew(context: Context, index: Index, now: number): void {
  const days = mirrorDays(context, DAYS)
  for (const day of index.read.keys()) if (!days.includes(day)) index.read.delete(day)
  const added = days.flatMap((day) => newEvents(context, index, day))
  const isRecent = ({ at }: MirrorEvent) => now - Date.parse(at) <= RECENT_MS
  index.events = [...index.events, ...added].filter(isRecent)
}

/** Whole lines; the rest of one that is being written is read next time. */
function newEvents(context: Context, { read }: Index, day: string): readonly MirrorEvent[] {
  const events: MirrorEvent[] = []
  for (;;) {
    const offset = read.get(day) ?? 0
    const part = context.world.files.readPart(mirrorFile(context, day), offset, PART_BYTES)
    const end = part === null ? 0 : part.lastIndexOf(NEWLINE) + 1
    if (part === null || end === 0) return events
    read.set(day, offset + end)
    events.push(...parseLines(part.subarray(0, end).toString('utf8')).values.filter(isMirrorEvent))
  }
}
