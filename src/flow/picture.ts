/**
 * The picture: turns what is known of each file into the immutable Snapshot, with the problems that only show when
 * files are seen together (cycles, missing dependencies, clashing ids).
 * Invariant 1: a picture of entries seen before says the same as one made afresh; only what has changed costs anything.
 */
import type { HomeConfig } from '../core/model/config.ts'
import type { Problem } from '../core/model/problem.ts'
import type {
  AskFile,
  GitState,
  InboxFile,
  RoomFile,
  ScheduleFile,
  Snapshot,
  Standing,
  TaskFile,
} from '../core/model/snapshot.ts'
import type { TaskStatus } from '../core/model/task.ts'
import { linkedAlike } from '../core/rules/depends.ts'
import type { Known } from '../core/rules/paths.ts'
import type { Stat } from '../ports.ts'
import type { Content } from './catalog.ts'
import { seenTogether } from './together.ts'

export interface Entry {
  readonly path: string
  readonly known: Known
  /** Of the bytes last read; '' where they could not be read. */
  readonly hash: string
  stat: Stat
  /** Not on disk at the last look. */
  gone: boolean
  /** The last version that could be understood. */
  good: {
    readonly hash: string
    readonly content: Content
    readonly standing: Standing
    readonly committedStatus: TaskStatus | null
    /** Committed blob that the standing was found against. */
    readonly against: string | null
  } | null
  readonly problems: readonly Problem[]
  readonly state: 'ok' | 'bad' | 'unfinished'
  readonly why: string
}

export interface PictureInput {
  readonly entries: ReadonlyMap<string, Entry>
  readonly deleted: Snapshot['deleted']
  readonly git: GitState
  readonly config: HomeConfig
  readonly problems: readonly Problem[]
  /** Epoch ms. */
  readonly now: number
}

/** An open fence is somebody's writing for this long; after it, it is shown. */
const WRITING_MS = 60_000

/** The picture now. The same `entries` again costs only what has changed in them since. */
export function pictureOf(input: PictureInput): Snapshot {
  const seen = seenNow(input.entries)
  const problems: Problem[] = [...input.problems]
  const invalid = new Set<string>()
  for (const entry of seen.odd.values()) {
    problems.push(...entry.problems, ...unfinished(entry, input.now))
    if (entry.state !== 'ok') invalid.add(entry.path)
  }
  for (const { file, code } of seen.together) if (code === 'cycle') invalid.add(file)
  const all = [...problems, ...seen.together].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
  return {
    config: input.config,
    rooms: seen.rooms,
    tasks: seen.tasks,
    asks: seen.asks,
    inbox: seen.inbox,
    schedules: seen.schedules,
    deleted: input.deleted,
    problems: all,
    invalid,
    git: input.git,
  }
}

interface Maps {
  readonly tasks: Map<string, TaskFile>
  readonly rooms: Map<string, RoomFile>
  readonly asks: Map<string, AskFile>
  readonly inbox: Map<string, InboxFile>
  readonly schedules: Map<string, ScheduleFile>
}

/** What was made of the entries last, and of which state of theirs. The maps are given out and never changed again. */
interface Seen extends Maps {
  readonly marks: Marks
  /** Entries with something to say about them, by their place in the order. */
  readonly odd: ReadonlyMap<number, Entry>
  readonly together: readonly Problem[]
}

/** The entries in order, and what their fields were: lists beside each other, for they are gone through at each look. */
interface Marks {
  readonly entries: readonly Entry[]
  readonly goods: readonly Entry['good'][]
  readonly gone: readonly boolean[]
}

const last = new WeakMap<PictureInput['entries'], Seen>()

function seenNow(entries: PictureInput['entries']): Seen {
  const before = last.get(entries)
  const now = (before === undefined ? null : broughtUp(before, entries)) ?? seenAfresh(entries)
  last.set(entries, now)
  return now
}

function seenAfresh(entries: PictureInput['entries']): Seen {
  const [tasks, rooms, asks] = [new Map(), new Map(), new Map()]
  const maps: Maps = { tasks, rooms, asks, inbox: new Map(), schedules: new Map() }
  const marks = marksOf([...entries.values()])
  const odd = new Map<number, Entry>()
  for (const [at, entry] of marks.entries.entries()) {
    if (entry.gone) continue
    place(entry, maps)
    if (isOdd(entry)) odd.set(at, entry)
  }
  return { ...maps, marks, odd, together: seenTogether(maps.tasks) }
}

/** Null where more than the content of single files has changed: files came in between or went. */
function broughtUp(before: Seen, entries: PictureInput['entries']): Seen | null {
  const { marks } = before
  const known = marks.entries.length
  if (entries.size < known) return null
  const changed: number[] = []
  let at = 0
  for (const entry of entries.values()) {
    const same =
      at < known &&
      marks.entries[at] === entry &&
      marks.goods[at] === entry.good &&
      marks.gone[at] === entry.gone
    if (!same) {
      if (at < known && !isLike(marks, at, entry)) return null
      changed.push(at)
    }
    at++
  }
  return changed.length === 0 ? before : patched(before, changed, [...entries.values()])
}

/** The same file with another content of the same kind: its place in the maps stays. */
function isLike({ entries, goods, gone }: Marks, at: number, entry: Entry): boolean {
  if (entries[at]?.path !== entry.path || gone[at] === true || entry.gone || entry.good === null) return false
  return goods[at]?.content.kind === entry.good.content.kind
}

function patched(before: Seen, changed: readonly number[], entries: readonly Entry[]): Seen {
  const [tasks, rooms] = [new Map(before.tasks), new Map(before.rooms)]
  const [asks, inbox] = [new Map(before.asks), new Map(before.inbox)]
  const maps: Maps = { tasks, rooms, asks, inbox, schedules: new Map(before.schedules) }
  const odd = new Map(before.odd)
  for (const at of changed) {
    const entry = entries[at]
    if (entry === undefined) continue
    odd.delete(at)
    if (entry.gone) continue
    place(entry, maps)
    if (isOdd(entry)) odd.set(at, entry)
  }
  const same = changed.every((at) => isLinkedAlike(before.marks.goods[at], entries[at]?.good))
  if (same) linkedAlike(before.tasks, maps.tasks)
  const together = same ? before.together : seenTogether(maps.tasks)
  return { ...maps, marks: marksAfter(before.marks, entries, changed), odd, together }
}

/** Nothing that problems between files depend on differs. */
function isLinkedAlike(before: Entry['good'] | undefined, now: Entry['good'] | undefined): boolean {
  if (before?.content.kind !== 'task' || now?.content.kind !== 'task')
    return before?.content.kind !== 'task' && now?.content.kind !== 'task'
  const [was, is] = [before.content.task, now.content.task]
  return (
    was.neo.id === is.neo.id &&
    was.dependsOn.length === is.dependsOn.length &&
    was.dependsOn.every((name, at) => name === is.dependsOn[at])
  )
}

function marksOf(entries: readonly Entry[]): Marks {
  return { entries, goods: entries.map(({ good }) => good), gone: entries.map(({ gone }) => gone) }
}

function marksAfter(before: Marks, entries: readonly Entry[], changed: readonly number[]): Marks {
  const [goods, gone] = [before.goods.slice(), before.gone.slice()]
  for (const at of changed) {
    goods[at] = entries[at]?.good ?? null
    gone[at] = entries[at]?.gone === true
  }
  return { entries, goods, gone }
}

function isOdd({ state, problems }: Entry): boolean {
  return state !== 'ok' || problems.length > 0
}

function place({ path, known, good }: Entry, { tasks, rooms, asks, inbox, schedules }: Maps): void {
  if (good === null) return
  const { content, hash, standing } = good
  switch (content.kind) {
    case 'task': {
      const { committedStatus } = good
      tasks.set(path, {
        path,
        room: known.room,
        name: known.name,
        hash,
        standing,
        committedStatus,
        task: content.task,
      })
      return
    }
    case 'room':
      rooms.set(known.room, { path, name: known.room, hash, standing, room: content.room })
      return
    case 'ask':
      asks.set(path, { path, room: known.room, hash, standing, ask: content.ask })
      return
    case 'inbox': {
      const { from, text } = content
      inbox.set(path, { path, room: known.room, name: known.name, hash, from, text })
      return
    }
    case 'schedule': {
      const { room, name } = known
      schedules.set(path, { path, room, name, hash, standing, schedule: content.schedule })
      return
    }
    case 'other':
      return
  }
}

function unfinished({ path, state, stat, why }: Entry, now: number): Problem[] {
  if (state !== 'unfinished' || now - stat.mtimeMs < WRITING_MS) return []
  const hint = 'Close the fence, or delete the file'
  return [{ file: path, line: null, column: null, severity: 'warning', code: 'fence', message: why, hint }]
}
