/**
 * Keys that name a member, a persona or a worker: what they name must exist. One place for files saved by hand, which get
 * a warning, and for what the hub writes, which is refused.
 */
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { RoomFile, ScheduleFile, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Room } from '../../domain/room/room.ts'
import { missingProgram, type WorkerPlace } from '../../domain/task/worker-kinds.ts'
import { ENDED, type Task, type Worker } from '../../domain/task/task.ts'
import { roomKeys } from '../../files/kinds/read-room.ts'
import { taskKeys } from '../../files/kinds/task-keys.ts'
import { camelCase } from '../../files/values/header-values.ts'
import { workerOf } from '../../files/values/kind.ts'
import type { Named, Shape } from '../../files/values/shape.ts'
import type { FolderSource } from '../people/folder-rows.ts'
import { membersIn } from '../people/member-files.ts'
import { agentsOf } from '../people/peer-files.ts'

/** The names that there are. */
export function namesIn(source: FolderSource): Readonly<Record<Named | 'peer', readonly string[]>> {
  const { peers, personas } = agentsOf(source)
  return {
    member: membersIn(source).map(({ id }) => id),
    persona: personas.map(({ name }) => name),
    peer: peers.map(({ id }) => id),
  }
}

export type Names = ReturnType<typeof namesIn>

const HINTS: Readonly<Record<Named, string>> = {
  member: 'Use the id of a member: neo member list',
  persona: 'Use the name of a persona: a file in workspace/agents/ with a name and a description',
}

interface Unknown {
  /** Of the task or room. */
  readonly field: string
  readonly message: string
  readonly hint: string
}

/** What a task or room names that doesn't exist. */
export function unknownNames(
  kind: keyof typeof NAMING,
  thing: Partial<Task | Room>,
  { names, ...place }: WorkerPlace & { readonly names: Names },
): readonly Unknown[] {
  const unknown = NAMING[kind].flatMap(({ key, field, of }) => {
    const given = thing[field as keyof typeof thing] as string | readonly string[] | undefined
    const wrong = [given ?? []].flat().filter((name) => !names[of].includes(name))
    return wrong.map((name) => ({ field, message: `${key}: no ${of} "${name}"`, hint: HINTS[of] }))
  })
  const why = thing.worker === undefined ? null : whyNoWorker(thing.worker, names, place)
  return why === null ? unknown : [...unknown, { field: 'worker', message: why, hint: '' }]
}

function whyNoWorker(worker: Worker, { peer }: Names, place: WorkerPlace): string | null {
  if (worker.kind !== 'peer' || peer.includes(worker.name)) return missingProgram(worker, place)
  return `worker: no agent "${worker.name}" in workspace/agents/`
}

const NAMING = { task: rowsOf(taskKeys), room: rowsOf(roomKeys) } as const

function rowsOf(keys: Readonly<Record<string, Shape<unknown>>>) {
  return Object.entries(keys).flatMap(([key, shape]) => {
    const of = (shape.kind === 'list' ? shape.of : shape).names
    return of === undefined ? [] : [{ key, field: camelCase(key), of }]
  })
}

interface Files extends Pick<WorkerPlace, 'config'> {
  readonly tasks: Iterable<TaskFile>
  readonly schedules: Iterable<ScheduleFile>
  readonly rooms: ReadonlyMap<string, RoomFile>
}

/** Of rooms, of schedules, and of tasks that have not ended. */
export function validateNames({ tasks, schedules, rooms, config }: Files, names: Names): readonly Problem[] {
  const found: Problem[] = []
  const add = (
    file: { path: string; room: string },
    kind: keyof typeof NAMING,
    thing: Partial<Task | Room>,
  ) => {
    const place = { names, config, roomName: file.room, room: rooms.get(file.room)?.room ?? null }
    for (const { message, hint } of unknownNames(kind, thing, place))
      found.push(fileProblem(file.path, 'warning', { code: 'name', message, hint }))
  }
  for (const file of tasks) if (!ENDED.has(file.task.status)) add(file, 'task', file.task)
  for (const file of schedules) {
    const { worker, ...settings } = file.schedule.settings as { readonly worker?: string }
    const given = workerOf(worker)
    add(file, 'task', { ...settings, ...(given === undefined ? {} : { worker: given }) })
  }
  for (const { path, name, room } of rooms.values()) add({ path, room: name }, 'room', room)
  return found
}
