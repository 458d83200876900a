/**
 * Dependencies between tasks. A name is looked up as: path under the same room's `tasks/`, `room/name`, a unique file
 * name, an id.
 */
import type { TaskFile } from '../plan/snapshot.ts'
import { kindOf } from '../home/home-paths.ts'
import { lazily } from '../text/lazily.ts'

export interface TaskIndex {
  readonly byId: ReadonlyMap<string, readonly TaskFile[]>
  /** For each id that several files have, the file that keeps it. */
  readonly originals: ReadonlyMap<string, TaskFile>
  readonly byRoomName: ReadonlyMap<string, TaskFile>
  readonly byBase: ReadonlyMap<string, readonly TaskFile[]>
}

/** An index of these tasks, as they are now. Each of its maps is made when it is first asked for. */
export function indexTasks(tasks: Iterable<TaskFile>): TaskIndex {
  const files = [...tasks]
  const byId = lazily(() => grouped(files, ({ task }) => task.neo.id))
  const originals = lazily(() => originalsAmong(files))
  const byRoomName = lazily(() => new Map(files.map((file) => [`${file.room}/${file.name}`, file])))
  const byBase = lazily(() => grouped(files, ({ name }) => name.slice(name.lastIndexOf('/') + 1)))
  return {
    get byId() {
      return byId()
    },
    get originals() {
      return originals()
    },
    get byRoomName() {
      return byRoomName()
    },
    get byBase() {
      return byBase()
    },
  }
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
  const plain = name.endsWith('.md') ? name.slice(0, -3) : name
  const direct = index.byRoomName.get(`${room}/${plain}`) ?? index.byRoomName.get(plain)
  if (direct !== undefined) return { kind: 'one', file: direct }
  const same = index.byBase.get(plain)?.filter((file) => file.room === room) ?? []
  const candidates = same.length > 0 ? same : (index.byBase.get(plain) ?? index.byId.get(plain) ?? [])
  const [first, ...more] = candidates
  if (first === undefined) return { kind: 'none' }
  return more.length === 0
    ? { kind: 'one', file: first }
    : { kind: 'many', paths: candidates.map((file) => file.path) }
}

/**
 * The file that a name means among those of tasks that cannot be read, whose ids nobody knows; null if it is none of
 * them.
 */
export function findUnread(unread: Iterable<string>, name: string, room: string): string | null {
  const plain = name.endsWith('.md') ? name.slice(0, -3) : name
  const files = [...unread].flatMap((path) => {
    const known = kindOf(path)
    return known?.kind === 'task' ? [{ path, whole: `${known.room}/${known.name}` }] : []
  })
  const found =
    files.find(({ whole }) => whole === `${room}/${plain}` || whole === plain) ??
    files.find(({ whole }) => whole.endsWith(`/${plain}`))
  return found?.path ?? null
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
