/**
 * The context mirror on disk: one file a day in `<git dir>/neo/mirror/`, never in git. Invariant 1: what looks like a
 * secret is masked before it is written. Invariant 2: nothing older than `retention_days` is kept.
 */
import { join } from 'node:path'
import { MIRROR_KINDS, type MirrorEvent } from '../domain/peer/mirror.ts'
import { maskSecrets } from '../domain/secrets/distill-secrets.ts'
import type { Context } from '../engine/context.ts'
import { parseLines } from '../store/keyed-log.ts'

const DAY_MS = 86_400_000
/** Of one day; what comes after it is not kept. */
const MOST_BYTES = 16 * 1024 * 1024

/** `full`: today's file has reached its limit; nothing was written. */
export function addMirrorEvent(context: Context, event: MirrorEvent): 'kept' | 'full' {
  const { world, look } = context
  const path = mirrorFile(context, event.at.slice(0, 10))
  const size = world.files.stat(path)?.size ?? 0
  if (size > MOST_BYTES) return 'full'
  const masked = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' ? maskSecrets(value).text : value,
  ])
  world.files.append(
    path,
    JSON.stringify({ ...Object.fromEntries(masked), at: event.at, kind: event.kind }),
    'later',
  )
  if (size === 0) prune(context, look.config().agent?.mirror.retentionDays ?? 0)
  return 'kept'
}

function prune(context: Context, days: number): void {
  const { files, clock } = context.world
  const oldest = new Date(clock.now() - days * DAY_MS).toISOString().slice(0, 10)
  const folder = folderOf(context)
  for (const name of files.names(folder)) if (name.slice(0, 10) < oldest) files.removeTree(join(folder, name))
}

/** Newest first; a day is read when it is reached. @param days how many days back, today included */
export function* newestMirrorEvents(context: Context, room: string, days: number): Generator<MirrorEvent> {
  for (const day of mirrorDays(context, days).toReversed()) {
    const read = context.world.files.read(mirrorFile(context, day), 2 * MOST_BYTES)
    const values = read.kind === 'file' ? parseLines(read.bytes.toString('utf8')).values : []
    yield* values
      .filter(isMirrorEvent)
      .filter((event) => event.room === room)
      .toReversed()
  }
}

/** Days with events, as `2026-11-30`, oldest first. */
export function mirrorDays(context: Context, days: number): readonly string[] {
  const { files, clock } = context.world
  const first = new Date(clock.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return files
    .names(folderOf(context))
    .filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name) && name.slice(0, 10) >= first)
    .map((name) => name.slice(0, 10))
    .toSorted()
}

export function mirrorFile(context: Context, day: string): string {
  return join(folderOf(context), `${day}.jsonl`)
}

export function isMirrorEvent(value: unknown): value is MirrorEvent {
  const { kind, at, room } = (value ?? {}) as Partial<MirrorEvent>
  return MIRROR_KINDS.some((one) => one === kind) && typeof at === 'string' && typeof room === 'string'
}

function folderOf({ dir }: Context): string {
  return join(dir, 'mirror')
}
