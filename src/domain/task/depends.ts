/** Which task a name means, in `depends_on` as in commands, and which tasks wait on themselves. */
import type { TaskFile } from '../plan/snapshot.ts'
import { kindOf } from '../home/home-paths.ts'
import { lazily } from '../text/lazily.ts'

type NamedFile = Pick<TaskFile, 'room' | 'name'>

export interface TaskIndex {
  readonly byId: ReadonlyMap<string, readonly TaskFile[]>
  /** For each id that several files have, the file that keeps it. */
  readonly originals: ReadonlyMap<string, TaskFile>
  /** By the name without folders and without an id at its end. */
  readonly byBase: ReadonlyMap<string, readonly TaskFile[]>
}

/** An index of these tasks, as they are now. Each of its maps is made when it is first asked for. */
export function indexTasks(tasks: Iterable<TaskFile>): TaskIndex {
  const files = [...tasks]
  const makers: { readonly [K in keyof TaskIndex]: () => TaskIndex[K] } = {
    byId: () => grouped(files, ({ task }) => task.neo.id),
    originals: () => originalsAmong(files),
    byBase: () => grouped(files, ({ name }) => baseOf(name)),
  }
  const fields = Object.entries(makers).map(([name, make]) => {
    return [name, { get: lazily<unknown>(make), configurable: true }] as const
  })
  return Object.defineProperties({} as TaskIndex, Object.fromEntries(fields))
}

function baseOf(name: string): string {
  return bareName(name.slice(name.lastIndexOf('/') + 1))
}

/** Without the id that Neo adds. */
export function bareName(name: string): string {
  return name.replace(/(?<=[^/])--t-[a-z0-9]+$/, '')
}

/** Kept as long as the tasks themselves: a home is planned many times between two changes. */
const known = new WeakMap<ReadonlyMap<string, TaskFile>, TaskIndex>()

/** The index of tasks that never change again: made once for each map of them. */
export function indexOf(tasks: ReadonlyMap<string, TaskFile>): TaskIndex {
  const index = known.get(tasks) ?? indexTasks(tasks.values())
  known.set(tasks, index)
  return index
}

/**
 * Tells that `now` has no more files of one id than `before`: if no id had two files, none has now, and that needs
 * not to be looked for again.
 */
export function linkedAlike(before: ReadonlyMap<string, TaskFile>, now: ReadonlyMap<string, TaskFile>): void {
  if (known.get(before)?.originals.size !== 0) return
  const index = indexTasks(now.values())
  known.set(now, Object.defineProperty(index, 'originals', { value: NO_TWINS }))
}

const NO_TWINS: ReadonlyMap<string, TaskFile> = new Map()

/** Without a list for each id: of many thousand files hardly any has a twin, and then one pass is enough. */
function originalsAmong(files: readonly TaskFile[]): ReadonlyMap<string, TaskFile> {
  const kept = new Map<string, TaskFile>()
  const originals = new Map<string, TaskFile>()
  for (const file of files) {
    const { id } = file.task.neo
    if (id === undefined) continue
    const other = kept.get(id)
    if (other !== undefined) originals.set(id, keeps(file, other) ? file : other)
    if (other === undefined || keeps(file, other)) kept.set(id, file)
  }
  return originals
}

function keeps(file: TaskFile, other: TaskFile): boolean {
  return rankOf(file) < rankOf(other)
}

/** Committed before new, then the one that is named by its id, then the first name: without `.md`, `fix` is before `fix-2`. */
function rankOf({ gitStatus, name, path, task }: TaskFile): string {
  return `${gitStatus === 'new'} ${!name.endsWith(`--${task.neo.id}`)} ${path.slice(0, -'.md'.length)}`
}

/** Values by their key, in order; those without a key are left out. */
export function grouped<V>(values: Iterable<V>, keyOf: (value: V) => string | undefined): Map<string, V[]> {
  const groups = new Map<string, V[]>()
  for (const value of values) {
    const key = keyOf(value)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

export type Found =
  | { readonly kind: 'one'; readonly file: TaskFile }
  | { readonly kind: 'none' }
  | { readonly kind: 'many'; readonly paths: readonly string[] }

/** Finds the task that a name means, seen from a room (`''`: from no room). */
export function findTask(index: TaskIndex, name: string, room: string): Found {
  const plain = plainName(name)
  const named = filesNamed(index.byBase.get(baseOf(plain)) ?? [], plain, room)
  const candidates = named.length > 0 ? named : (index.byId.get(plain) ?? [])
  const [first, ...more] = candidates
  if (first === undefined) return { kind: 'none' }
  return more.length === 0
    ? { kind: 'one', file: first }
    : { kind: 'many', paths: candidates.map((file) => file.path) }
}

/**
 * The files that have a name: the path or its end (`name`, `folder/name`, `room/name`), or one of these without the id that
 * Neo adds. Of several, the closest.
 */
export function filesNamed<T extends NamedFile>(
  files: readonly T[],
  name: string,
  room: string,
): readonly T[] {
  const plain = plainName(name)
  const far = files.map((file) => distance(file, plain, room))
  const least = far.reduce((a, b) => Math.min(a, b), FAR)
  return files.filter((_, at) => far[at] === least && least < FAR)
}

function plainName(name: string): string {
  return name.replace(/\.md$/, '').replace(/^rooms\/([^/]+)\/tasks\//, '$1/')
}

const FAR = 10

/** As it is before without the id; in the own room before others, directly in `tasks/` before folders below. */
function distance({ room: its, name: whole }: NamedFile, plain: string, room: string): number {
  for (const [at, name] of [whole, bareName(whole)].entries()) {
    const [label, isOwn, isTop] = [`${its}/${name}`, its === room, name === plain]
    if (!`/${label}`.endsWith(`/${plain}`)) continue
    return at * 5 + [isOwn && isTop, label === plain, isOwn, isTop, true].indexOf(true)
  }
  return FAR
}

/**
 * The file that a name means among those of tasks that cannot be read, whose ids nobody knows; null if it is none of
 * them.
 */
export function findUnread(unread: Iterable<string>, name: string, room: string): string | null {
  const files = [...unread].flatMap((path) => {
    const known = kindOf(path)
    return known?.kind === 'task' ? [{ path, room: known.room, name: known.name }] : []
  })
  return filesNamed(files, name, room)[0]?.path ?? null
}

/** Paths of tasks that wait on themselves through others, each cycle in order. */
export function findCycles(
  tasks: ReadonlyMap<string, TaskFile>,
  index: TaskIndex,
): readonly (readonly string[])[] {
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[][] = []
  for (const start of tasks.values()) {
    if (start.task.dependsOn.length > 0 && !state.has(start.path)) walk(start, { index, state, cycles })
  }
  return cycles
}

interface Walk {
  readonly index: TaskIndex
  readonly state: Map<string, 'open' | 'done'>
  readonly cycles: string[][]
}

/** Depth first without recursion: a chain of 10,000 tasks must not end the stack. */
function walk(start: TaskFile, { index, state, cycles }: Walk): void {
  const trail: { file: TaskFile; next: number }[] = [{ file: start, next: 0 }]
  state.set(start.path, 'open')
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const name = top.file.task.dependsOn[top.next++]
    if (name === undefined) {
      state.set(top.file.path, 'done')
      trail.pop()
      continue
    }
    const found = findTask(index, name, top.file.room)
    if (found.kind !== 'one') continue
    const seen = state.get(found.file.path)
    if (seen === 'open') cycles.push(cycleFrom(trail, found.file.path))
    if (seen !== undefined) continue
    state.set(found.file.path, 'open')
    trail.push({ file: found.file, next: 0 })
  }
}

function cycleFrom(trail: readonly { file: TaskFile }[], path: string): string[] {
  const paths = trail.map((step) => step.file.path)
  return paths.slice(paths.indexOf(path))
}
