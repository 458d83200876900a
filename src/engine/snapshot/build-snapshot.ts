/**
 * Builds the immutable Snapshot from what is known of each file, with the problems that only show between files (cycles,
 * missing dependencies, duplicate ids). A snapshot of entries seen before costs only what has changed, and equals one
 * that is built from nothing.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import type { Known } from '../../domain/home/home-paths.ts'
import type { Problem } from '../../domain/home/problem.ts'
import type {
  AskFile,
  GitState,
  GitStatus,
  InboxFile,
  RoomFile,
  ScheduleFile,
  Snapshot,
  TaskFile,
} from '../../domain/plan/snapshot.ts'
import { linkedAlike } from '../../domain/task/depends.ts'
import { isOpen } from '../../domain/task/readiness.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import type { Stat } from '../../ports/files-port.ts'
import type { Content } from './file-catalog.ts'
import { awayProblem, awayRooms } from './room-folders.ts'
import { unfinishedProblem } from './settling.ts'
import { type Names, validateNames } from './validate-names.ts'
import { validateTaskGraph, withoutEnded } from './validate-task-graph.ts'

export interface Entry {
  readonly path: string
  readonly known: Known
  /** Of the bytes last read; '' if they could not be read. */
  readonly hash: string
  stat: Stat
  /** Epoch ms before which `stat` was taken and the bytes were read; absent if Neo wrote them. */
  readAt?: number
  /** Not on disk at the last look. */
  gone: boolean
  /** The last version that could be understood. */
  good: {
    readonly hash: string
    readonly content: Content
    readonly gitStatus: GitStatus
    readonly committedStatus: TaskStatus | null
    /** Committed blob that it was compared with. */
    readonly against: string | null
  } | null
  readonly problems: readonly Problem[]
  readonly state: 'ok' | 'bad' | 'unfinished'
  readonly why: string
}

export interface SnapshotInput {
  readonly entries: ReadonlyMap<string, Entry>
  /** Paths whose entries may have changed since the last snapshot; `all`: also their order. Absent: unknown. */
  readonly changed?: ReadonlySet<string> | 'all'
  readonly deleted: Snapshot['deleted']
  readonly git: GitState
  readonly config: HomeConfig
  readonly problems: readonly Problem[]
  readonly names: Names
  /** Epoch ms. */
  readonly now: number
}

export function buildSnapshot(input: SnapshotInput): Snapshot {
  const { marks: _marks, links: _links, odd, together, ...maps } = currentState(input)
  const { tasks, open, rooms, schedules } = maps
  const problems = [...input.problems, ...withoutEnded(together, tasks)]
  const { config, names } = input
  problems.push(
    ...validateNames({ tasks: open.values(), schedules: schedules.values(), rooms, config }, names),
  )
  const invalid = new Set<string>()
  for (const entry of odd.values()) {
    problems.push(...entry.problems, ...unfinishedProblem(entry, input.now))
    if (entry.state !== 'ok') invalid.add(entry.path)
  }
  for (const { file, code } of together) if (code === 'cycle') invalid.add(file)
  return {
    ...maps,
    config,
    deleted: input.deleted,
    problems: problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)),
    invalid,
    git: input.git,
  }
}

interface Maps {
  readonly tasks: Map<string, TaskFile>
  readonly open: Map<string, TaskFile>
  readonly rooms: Map<string, RoomFile>
  readonly asks: Map<string, AskFile>
  readonly inbox: Map<string, InboxFile>
  readonly schedules: Map<string, ScheduleFile>
}

/** What was built last, and from which state of the entries. The maps are never changed. */
interface SnapshotState extends Maps {
  /** Reused by the next snapshot: there are as many as entries. */
  readonly marks: Map<string, Mark>
  readonly links: Links
  /** Entries with problems, or not read. */
  readonly odd: ReadonlyMap<string, Entry>
  readonly together: readonly Problem[]
}

type Mark = Readonly<Pick<Entry, 'good' | 'gone'>> & { readonly entry: Entry }

const last = new WeakMap<SnapshotInput['entries'], SnapshotState>()

function currentState({ entries, changed }: SnapshotInput): SnapshotState {
  const before = last.get(entries)
  const now =
    (before === undefined || changed === 'all' ? null : updatedState(before, entries, changed)) ??
    buildState(entries)
  last.set(entries, now)
  return now
}

function buildState(entries: SnapshotInput['entries']): SnapshotState {
  const [tasks, open, rooms, asks] = [new Map(), new Map(), new Map(), new Map()]
  const maps: Maps = { tasks, open, rooms, asks, inbox: new Map(), schedules: new Map() }
  const marks = new Map<string, Mark>()
  const odd = new Map<string, Entry>()
  for (const entry of entries.values()) {
    marks.set(entry.path, markOf(entry))
    if (entry.gone) continue
    addToMaps(entry, maps)
    if (isOdd(entry)) odd.set(entry.path, entry)
  }
  for (const entry of awayRooms(entries.values(), maps)) {
    addToMaps(entry, maps)
    odd.set(entry.path, { ...entry, problems: [awayProblem(entry.path)] })
  }
  return withGraphProblems(maps, marks, odd)
}

function withGraphProblems(
  maps: Maps,
  marks: SnapshotState['marks'],
  odd: SnapshotState['odd'],
): SnapshotState {
  const unread = [...odd.values()].filter(isUnread).map(({ path }) => path)
  return { ...maps, marks, odd, together: validateTaskGraph(maps.tasks, unread), links: linksOf(maps.tasks) }
}

function isUnread({ known, good, gone }: Entry): boolean {
  return known.kind === 'task' && good === null && !gone
}

function markOf(entry: Entry): Mark {
  return { entry, good: entry.good, gone: entry.gone }
}

/** Null if more than the content of single files has changed: files came in between or went. */
function updatedState(
  before: SnapshotState,
  entries: SnapshotInput['entries'],
  changed: SnapshotInput['changed'],
): SnapshotState | null {
  const { marks } = before
  const due: Entry[] = []
  let fresh = 0
  for (const path of changed ?? entries.keys()) {
    const [entry, mark] = [entries.get(path), marks.get(path)]
    if (entry === undefined && mark === undefined) continue
    if (entry === undefined || (mark !== undefined && !isLike(mark, entry))) return null
    if (mark === undefined) fresh++
    else if (mark.entry === entry && mark.good === entry.good && mark.gone === entry.gone) continue
    due.push(entry)
  }
  if (entries.size !== marks.size + fresh) return null
  // A first task brings back its room, whose file may be missing.
  if (fresh > 0 && due.some(({ known }) => known.kind === 'task' && !before.rooms.has(known.room)))
    return null
  return due.length === 0 ? before : patchedState(before, due)
}

/** Unchanged, or with other content of the same kind: its place in the maps stays. */
function isLike({ entry: was, good, gone }: Mark, entry: Entry): boolean {
  if (was === entry && good === entry.good && gone === entry.gone) return true
  if (gone || entry.gone || entry.good === null) return false
  return good?.content.kind === entry.good.content.kind
}

function patchedState(before: SnapshotState, due: readonly Entry[]): SnapshotState {
  const { marks } = before
  const maps: Maps = {
    tasks: new Map(before.tasks),
    open: new Map(before.open),
    rooms: new Map(before.rooms),
    asks: new Map(before.asks),
    inbox: new Map(before.inbox),
    schedules: new Map(before.schedules),
  }
  const odd = new Map(before.odd)
  const moves = due.map((entry) => [marks.get(entry.path)?.good ?? null, entry] as const)
  for (const entry of due) {
    marks.set(entry.path, markOf(entry))
    odd.delete(entry.path)
    if (entry.gone) continue
    addToMaps(entry, maps)
    if (isOdd(entry)) odd.set(entry.path, entry)
  }
  // A dependency on a file that can't be read is a problem.
  const links = due.some(isUnread) && before.links.naming > 0 ? null : linksAfter(before.links, moves)
  if (links === null) return withGraphProblems(maps, marks, odd)
  linkedAlike(before.tasks, maps.tasks)
  return { ...maps, marks, odd, together: before.together, links }
}

/** What problems between files depend on: who has which id, and how many tasks have dependencies. */
interface Links {
  /** Path by id, reused as the marks are; null if two files share one. */
  readonly ids: Map<string, string> | null
  readonly naming: number
}

function linksOf(tasks: ReadonlyMap<string, TaskFile>): Links {
  const ids = new Map<string, string>()
  let [naming, owners] = [0, 0]
  for (const { path, task } of tasks.values()) {
    if (task.dependsOn.length > 0) naming++
    if (task.neo.id === undefined) continue
    owners++
    ids.set(task.neo.id, path)
  }
  return { ids: ids.size === owners ? ids : null, naming }
}

/** The links after these changes; null if ids or names that others depend on have changed. */
function linksAfter(links: Links, moves: readonly (readonly [Entry['good'], Entry])[]): Links | null {
  const odd = moves.filter(([was, entry]) => !isLinkedAlike(was, entry.good))
  if (odd.length === 0) return links
  const { ids, naming } = links
  if (ids === null || naming > 0) return null
  for (const [was, { path, good, gone }] of odd) {
    const old = was?.content.kind === 'task' ? was.content.task : null
    const now = good?.content.kind === 'task' && !gone ? good.content.task : null
    if (now !== null && now.dependsOn.length > 0) return null
    if (old?.neo.id !== undefined && ids.get(old.neo.id) === path) ids.delete(old.neo.id)
    const id = now?.neo.id
    if (id !== undefined && ids.has(id)) return null
    if (id !== undefined) ids.set(id, path)
  }
  return links
}

function isLinkedAlike(before: Entry['good'], now: Entry['good']): boolean {
  if (before?.content.kind !== 'task' || now?.content.kind !== 'task')
    return before?.content.kind !== 'task' && now?.content.kind !== 'task'
  const [was, is] = [before.content.task, now.content.task]
  return (
    was.neo.id === is.neo.id &&
    was.dependsOn.length === is.dependsOn.length &&
    was.dependsOn.every((name, at) => name === is.dependsOn[at])
  )
}

function isOdd({ state, problems }: Entry): boolean {
  return state !== 'ok' || problems.length > 0
}

function addToMaps({ path, known, good }: Entry, maps: Maps): void {
  if (good === null) return
  const { tasks, open, rooms, asks, inbox, schedules } = maps
  const { content, hash, gitStatus } = good
  switch (content.kind) {
    case 'task': {
      const [{ room, name }, { committedStatus }] = [known, good]
      const file: TaskFile = { path, room, name, hash, gitStatus, committedStatus, task: content.task }
      tasks.set(path, file)
      if (isOpen(file)) open.set(path, file)
      else open.delete(path)
      return
    }
    case 'room':
      rooms.set(known.room, { path, name: known.room, hash, gitStatus, room: content.room })
      return
    case 'ask':
      asks.set(path, { path, room: known.room, hash, gitStatus, ask: content.ask })
      return
    case 'inbox': {
      const { from, text } = content
      inbox.set(path, { path, room: known.room, name: known.name, hash, from, text })
      return
    }
    case 'schedule': {
      const { room, name } = known
      schedules.set(path, { path, room, name, hash, gitStatus, schedule: content.schedule })
      return
    }
    case 'other':
      return
  }
}
