/**
 * Keys that name a member, a persona, a provider or a worker, and rooms in neo.yaml: what they name must exist. One place
 * for files saved by hand, which get a warning, and for what the hub writes, which is refused. What neo.yaml names in
 * itself: `files/config/read-config.ts`.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { RoomFile, ScheduleFile, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Room } from '../../domain/room/room.ts'
import { missingProgram, type WorkerPlace } from '../../domain/task/worker-kinds.ts'
import { ENDED, type Task, type Worker } from '../../domain/task/task.ts'
import { roomKeys } from '../../files/kinds/read-room.ts'
import { taskKeys } from '../../files/kinds/task-keys.ts'
import { camelCase, parseWorker, providerOf } from '../../files/values/header-values.ts'
import { workerOf } from '../../files/values/kind.ts'
import type { Named, Shape } from '../../files/values/shape.ts'
import { nearestHint } from '../../files/values/suggest.ts'
import type { FolderSource } from '../people/folder-rows.ts'
import { membersIn } from '../people/member-files.ts'
import { agentsOf } from '../people/peer-files.ts'

type Config = Pick<HomeConfig, 'workers' | 'providers' | 'agent'>

/** The names that there are in files of people and agents. */
export function namesIn(
  source: FolderSource,
): Readonly<Record<Exclude<Named, 'provider'> | 'peer', readonly string[]>> {
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
  provider: 'Use a name under providers: in neo.yaml',
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
  { names, ...place }: WorkerPlace & { readonly names: Names; readonly config: Config },
): readonly Unknown[] {
  const there = { ...names, provider: place.config.providers.map(({ name }) => name) }
  const unknown = NAMING[kind].flatMap(({ key, field, of }) => {
    const given = thing[field as keyof typeof thing] as string | readonly string[] | undefined
    const named = [given ?? []].flat().flatMap((name) => (of === 'provider' ? providerOf(name) : name))
    return named.flatMap((name) => {
      const hint = nearestHint(name, there[of], HINTS[of])
      return there[of].includes(name) ? [] : { field, message: `${key}: no ${of} "${name}"`, hint }
    })
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

interface Files {
  readonly config: Config
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
  return [...found, ...unknownRooms(config, rooms)]
}

/** What neo.yaml names in rooms: a room itself, and the server that does its tasks of other agents. */
function unknownRooms({ agent, ...config }: Config, rooms: Files['rooms']): readonly Problem[] {
  const worker = agent?.workAi == null ? null : parseWorker(agent.workAi)
  const found = (agent?.contexts ?? []).flatMap(({ room: roomName }) => {
    const { room = null } = rooms.get(roomName) ?? {}
    const hint = nearestHint(roomName, [...rooms.keys()], 'Use the folder name of a room: neo room list')
    if (room === null) return { message: `agent.contexts: no room "${roomName}"`, hint }
    const missing = worker?.kind === 'mcp' ? missingProgram(worker, { config, room, roomName }) : null
    return missing === null ? [] : { message: `agent.work_ai: ${missing}`, hint: '' }
  })
  return found.map((one) => fileProblem('neo.yaml', 'warning', { code: 'name', ...one }))
}
