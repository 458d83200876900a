/**
 * Dependencies between tasks. Takes the tasks of a home; gives, for each name in `depends_on`, the task it means.
 * A name is looked up as: path under the same room's `tasks/`, `room/name`, a unique file name, an id.
 */
import type { TaskFile } from '../model/snapshot.ts'

export interface TaskIndex {
  readonly byId: ReadonlyMap<string, readonly TaskFile[]>
  readonly byRoomName: ReadonlyMap<string, TaskFile>
  readonly byBase: ReadonlyMap<string, readonly TaskFile[]>
}

export function indexTasks(tasks: Iterable<TaskFile>): TaskIndex {
  const byId = new Map<string, TaskFile[]>()
  const byRoomName = new Map<string, TaskFile>()
  const byBase = new Map<string, TaskFile[]>()
  for (const file of tasks) {
    const id = file.task.neo.id
    if (id !== undefined) push(byId, id, file)
    byRoomName.set(`${file.room}/${file.name}`, file)
    push(byBase, file.name.slice(file.name.lastIndexOf('/') + 1), file)
  }
  return { byId, byRoomName, byBase }
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

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
