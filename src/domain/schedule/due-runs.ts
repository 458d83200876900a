/**
 * Schedules: which are to be adopted, and what each is due with now, with the mark that is to be kept after it. Pure.
 * Invariants: 1. a slot runs once at most, whatever clocks and processes do: it is in `fired`, or not after `floor`;
 * 2. a schedule that is new here, or changed, begins now: nothing is caught up from before; 3. slots that came while
 * nothing could run go by `catch_up`, the others by `overlap`; never more than a hundred are made up for.
 */
import type { HomeConfig } from '../home/home-config.ts'
import type { Decision } from '../plan/decision.ts'
import type { Mark, Schedule, ScheduleFacts } from './schedule.ts'
import type { Facts, ScheduleFile, Snapshot } from '../plan/snapshot.ts'
import type { TaskStatus } from '../task/task.ts'
import { nextSlot, type Rhythm, slotsIn } from './schedule-slots.ts'

interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
  /** Schedules the next look. */
  readonly wake: (at: number) => void
}

interface Kept extends Scene {
  readonly kept: ScheduleFacts
}

/** Slots that are kept in mind, wait, or are caught up with at most. */
export const MOST_SLOTS = 100
/** A slot is on time for so long: a look may be late, and a machine that slept notices within a minute. */
export const LATE_MS = 5 * 60_000
/** A schedule that was adopted so short ago, and has no mark, was cut off between the two. */
const YOUNG_MS = 3_600_000

export function decideSchedules(scene: Scene): Decision[] {
  const { schedules } = scene.snapshot
  const { schedules: kept } = scene.facts
  if (schedules === undefined || kept === undefined || schedules.size === 0) return []
  const owners = ownersOf(schedules)
  return [...schedules.values()].flatMap((file): Decision[] => {
    const { path, hash, schedule, gitStatus } = file
    const id = schedule.neo.id
    const isCopy = id !== undefined && owners.get(id) !== path
    if (id === undefined || isCopy) return [{ kind: 'adopt-schedule', path, hash, id: 'new' }]
    if (gitStatus === 'new') return [{ kind: 'adopt-schedule', path, hash, id: 'keep' }]
    const recorded: Decision[] = gitStatus === 'edited' ? [{ kind: 'record-schedule', path, hash }] : []
    return [...recorded, ...decideOne(file, id, { ...scene, kept })]
  })
}

/** Of several files with one id, the one that was there first. */
function ownersOf(schedules: ReadonlyMap<string, ScheduleFile>): ReadonlyMap<string, string> {
  const owners = new Map<string, ScheduleFile>()
  for (const file of schedules.values()) {
    const id = file.schedule.neo.id
    const owner = id === undefined ? undefined : owners.get(id)
    if (id !== undefined && (owner === undefined || isBefore(file, owner))) owners.set(id, file)
  }
  return new Map([...owners].map(([id, { path }]) => [id, path]))
}

function isBefore(a: ScheduleFile, b: ScheduleFile): boolean {
  const [isNewA, isNewB] = [a.gitStatus === 'new', b.gitStatus === 'new']
  return isNewA === isNewB ? a.path < b.path : isNewB
}

/** Name of a task's label that says which schedule made it. */
export function labelOf(name: string): string {
  return `schedule:${name}`
}

/** The rule and the zone of a schedule. */
export function rhythmOf({ when, timezone, neo }: Schedule, config: Pick<HomeConfig, 'timezone'>): Rhythm {
  const created = Date.parse(neo.createdAt ?? '')
  return { when, zone: timezone ?? config.timezone, anchor: Number.isNaN(created) ? 0 : created }
}

function decideOne(file: ScheduleFile, id: string, scene: Kept): Decision[] {
  const { snapshot, facts, kept, now } = scene
  const { schedule, path, hash } = file
  const rhythm = rhythmOf(schedule, snapshot.config)
  const before = kept.marks.get(id) ?? null
  const mark = begun(before, file, { rhythm, now })
  const fire = (of: { slots: readonly number[]; missed: number; mark: Mark }): Decision[] => [
    { kind: 'fire', path, hash, ...of },
  ]
  if (facts.barred || facts.elsewhere !== null) return []
  if (schedule.status !== 'active') return mark === before ? [] : fire({ slots: [], missed: 0, mark })
  if (snapshot.rooms.get(file.room)?.room.status !== 'active') return []
  const due = dueNow(file, mark, { ...scene, rhythm })
  const settled = after(file, mark, { ...due, open: () => isOpen(file, snapshot) })
  if (settled === null) return mark === before ? [] : fire({ slots: [], missed: 0, mark })
  return fire(settled)
}

/** The mark to count from: the stored one, or a new one if that is missing or no longer fits. */
function begun(
  mark: Mark | null,
  { schedule }: ScheduleFile,
  { rhythm, now }: { readonly rhythm: Rhythm; readonly now: number },
): Mark {
  const rule = `${textOf(schedule)} ${rhythm.zone} ${schedule.status}`
  const isYoung = rhythm.anchor <= now && now - rhythm.anchor <= YOUNG_MS
  const start = schedule.when.kind === 'at' ? 0 : now
  if (mark === null)
    return { rule, upTo: isYoung ? Math.min(start, rhythm.anchor) : start, fired: [], floor: 0, queue: [] }
  if (mark.rule !== rule) return { ...mark, rule, upTo: Math.max(start, mark.floor), queue: [] }
  // The clock went back: slots that aren't known to have run come again.
  return mark.upTo > Math.max(now, mark.floor) ? { ...mark, upTo: Math.max(now, mark.floor) } : mark
}

/** When it is due, in the words of the file: `cron 0 9 * * 1-5`, `every 1800s`, `at 2026-03-01T09:00`. */
export function textOf({ when }: Schedule): string {
  switch (when.kind) {
    case 'cron':
      return `cron ${when.cron}`
    case 'every':
      return `every ${when.everyMs / 1000}s`
    case 'at':
      return `at ${when.at}`
  }
}

interface Due {
  /** The last slot that is over; null if none is. */
  readonly upTo: number | null
  /** Slots that came while nothing could run, and are to be made up for. */
  readonly kept: readonly number[]
  readonly fresh: readonly number[]
  /** How many are not. */
  readonly dropped: number
}

function dueNow(
  { schedule }: ScheduleFile,
  mark: Mark,
  { kept: { since, waits }, now, wake, rhythm }: Kept & { readonly rhythm: Rhythm },
): Due {
  const wakeFor = (at: number | null) => {
    if (at !== null && waits === 'yes') wake(at)
  }
  const first = remembered(schedule, rhythm, mark.upTo)
  if (first === null || first > now) {
    wakeFor(first)
    return { upTo: null, kept: [], fresh: [], dropped: 0 }
  }
  wakeFor(nextSlot(rhythm, now))
  const { slots } = slotsIn(rhythm, { after: mark.upTo, until: now }, MOST_SLOTS)
  const unused = slots.filter((slot) => !mark.fired.includes(slot) && !mark.queue.includes(slot))
  const isFresh = (slot: number) => slot >= since && now - slot <= LATE_MS
  const fresh = unused.filter(isFresh)
  const stale = unused.filter((slot) => !isFresh(slot))
  const kept = keptOf(schedule.catchUp, stale, fresh)
  return { upTo: slots.at(-1) ?? null, kept, fresh, dropped: stale.length - kept.length }
}

/** The latest of all is one that is on time, if there is one. */
function keptOf(
  catchUp: Schedule['catchUp'],
  stale: readonly number[],
  fresh: readonly number[],
): readonly number[] {
  switch (catchUp) {
    case 'all':
      return stale
    case 'latest':
      return fresh.length > 0 ? [] : stale.slice(-1)
    case 'none':
      return []
  }
}

/** What is made now, and the mark after it; null if nothing is over. */
function after(
  { schedule }: ScheduleFile,
  mark: Mark,
  { upTo, kept, fresh, dropped, open }: Due & { readonly open: () => boolean },
): { slots: readonly number[]; missed: number; mark: Mark } | null {
  if (upTo === null && mark.queue.length === 0) return null
  const marked = (slots: readonly number[], queue: readonly number[]): Mark =>
    withFired({ ...mark, upTo: upTo ?? mark.upTo, queue }, slots)
  if (schedule.overlap === 'all') {
    const slots = [...mark.queue, ...kept, ...fresh].slice(-MOST_SLOTS)
    return { slots, missed: dropped, mark: marked(slots, []) }
  }
  const isBusy = open()
  // What is caught up with whole runs one after the other; the rest waits only if it is to.
  const waits = schedule.overlap === 'queue' ? [...kept, ...fresh] : schedule.catchUp === 'all' ? kept : []
  const line = [...mark.queue, ...waits].slice(-MOST_SLOTS)
  const others = [...kept, ...fresh].filter((slot) => !waits.includes(slot))
  const chosen = line.length > 0 ? line.slice(0, 1) : others.slice(-1)
  const slots = isBusy ? [] : chosen
  if (slots.length === 0 && upTo === null) return null
  const missed = dropped + others.filter((slot) => !slots.includes(slot)).length
  return { slots, missed, mark: marked(slots, isBusy ? line : line.slice(1)) }
}

function withFired(mark: Mark, slots: readonly number[]): Mark {
  if (slots.length === 0) return mark
  const all = [...new Set([...mark.fired, ...slots])].sort((a, b) => a - b)
  const forgotten = all.slice(0, -MOST_SLOTS)
  return { ...mark, fired: all.slice(-MOST_SLOTS), floor: Math.max(mark.floor, forgotten.at(-1) ?? 0) }
}

/** Work that waits for a review is done as far as its schedule goes. */
const OPEN: ReadonlySet<TaskStatus> = new Set(['pending', 'in_progress', 'blocked'])
const STAMP = /^\d{8}T\d{6}Z$/

/** What an earlier slot made has not come to its end. */
function isOpen({ schedule, room, name }: ScheduleFile, { tasks, inbox }: Snapshot): boolean {
  if (schedule.kind === 'message')
    return [...inbox.values()].some(
      (file) =>
        file.room === room &&
        file.name.startsWith(`${name}--`) &&
        STAMP.test(file.name.slice(name.length + 2)),
    )
  const label = labelOf(name)
  for (const { room: where, task } of tasks.values())
    if (where === room && OPEN.has(task.status) && task.labels.includes(label)) return true
  return false
}

/** The id of the task that a slot makes: the same whenever it is made, so that making it again is seen. */
export function taskIdOf(schedule: string, slot: number): string {
  const text = `${schedule} ${slot}`
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const number = 4294967296 * (2097151 & low) + (high >>> 0)
  return `t-${number.toString(36).padStart(11, '0')}`
}

const known = new WeakMap<Schedule, { readonly asked: string; readonly slot: number | null }>()

/** The same question is asked at each look. */
function remembered(schedule: Schedule, rhythm: Rhythm, from: number): number | null {
  const asked = `${rhythm.zone} ${from}`
  const answer = known.get(schedule)
  if (answer?.asked === asked) return answer.slot
  const slot = nextSlot(rhythm, from)
  known.set(schedule, { asked, slot })
  return slot
}
