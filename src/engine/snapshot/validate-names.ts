/**
 * Keys that name a member or a persona, from their rows in `files/kinds/`: what they name must exist. One place for files
 * saved by hand, which get a warning, and for what the hub writes, which is refused.
 */
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { RoomFile, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Room } from '../../domain/room/room.ts'
import { ENDED, type Task } from '../../domain/task/task.ts'
import { roomKeys } from '../../files/kinds/read-room.ts'
import { taskKeys } from '../../files/kinds/task-keys.ts'
import { camelCase } from '../../files/values/header-values.ts'
import type { Named, Shape } from '../../files/values/shape.ts'
import type { FolderSource } from '../people/folder-rows.ts'
import { membersIn } from '../people/member-files.ts'
import { personasIn } from '../people/peer-files.ts'

/** The names that there are. */
export function namesIn(source: FolderSource): Readonly<Record<Named, readonly string[]>> {
  return {
    member: membersIn(source).map(({ id }) => id),
    persona: personasIn(source).map(({ name }) => name),
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
  thing: Task | Room,
  names: Names,
): readonly Unknown[] {
  return NAMING[kind].flatMap(({ key, field, of }) => {
    const given = thing[field as keyof typeof thing] as string | readonly string[] | undefined
    const unknown = [given ?? []].flat().filter((name) => !names[of].includes(name))
    return unknown.map((name) => ({ field, message: `${key}: no ${of} "${name}"`, hint: HINTS[of] }))
  })
}

const NAMING = { task: rowsOf(taskKeys), room: rowsOf(roomKeys) } as const

function rowsOf(keys: Readonly<Record<string, Shape<unknown>>>) {
  return Object.entries(keys).flatMap(([key, shape]) => {
    const of = (shape.kind === 'list' ? shape.of : shape).names
    return of === undefined ? [] : [{ key, field: camelCase(key), of }]
  })
}

/** Of rooms, and of tasks that have not ended. */
export function validateNames(
  { tasks, rooms }: { tasks: Iterable<TaskFile>; rooms: Iterable<RoomFile> },
  names: Names,
): readonly Problem[] {
  const found: Problem[] = []
  const add = (file: string, unknown: readonly Unknown[]) => {
    for (const { message, hint } of unknown)
      found.push(fileProblem(file, 'warning', { code: 'name', message, hint }))
  }
  for (const { path, task } of tasks)
    if (!ENDED.has(task.status)) add(path, unknownNames('task', task, names))
  for (const { path, room } of rooms) add(path, unknownNames('room', room, names))
  return found
}
