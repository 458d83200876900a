/**
 * Problems between tasks: dependency cycles, names that mean no task or several, duplicate ids. Only paths, ids and
 * `depends_on` matter, so that other edits need no second check. Pure.
 */
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { ENDED } from '../../domain/task/task.ts'
import { findCycles, findTask, findUnread, indexOf, type TaskIndex } from '../../domain/task/depends.ts'

export function validateTaskGraph(
  tasks: ReadonlyMap<string, TaskFile>,
  unread: readonly string[],
): Problem[] {
  const index = indexOf(tasks)
  const cycles = findCycles(tasks, index).flatMap((paths) => paths.map((path) => cycle(path, paths)))
  return [...cycles, ...missing(tasks, index, unread), ...clashes(index)]
}

/** Without dependencies of tasks that have ended. */
export function withoutEnded(
  problems: readonly Problem[],
  tasks: ReadonlyMap<string, TaskFile>,
): readonly Problem[] {
  const isOver = (file: string) => ENDED.has(tasks.get(file)?.task.status ?? 'pending')
  return problems.filter(({ file, code }) => code !== 'depends' || !isOver(file))
}

function cycle(file: string, paths: readonly string[]): Problem {
  const round = [...paths, paths[0] ?? '']
    .map((path) => path.slice(path.lastIndexOf('/') + 1, -3))
    .join(' → ')
  return fileProblem(file, 'error', {
    code: 'cycle',
    message: `dependency cycle: ${round}`,
    hint: 'Remove one of them from depends_on',
  })
}

function missing(
  tasks: ReadonlyMap<string, TaskFile>,
  index: TaskIndex,
  unread: readonly string[],
): Problem[] {
  return [...tasks.values()].flatMap(({ path, room, task }) =>
    task.dependsOn.flatMap((name) => {
      const found = findTask(index, name, room)
      if (found.kind === 'one') return []
      const broken = found.kind === 'none' ? findUnread(unread, name, room) : null
      if (broken !== null)
        return depends(path, 'warning', [`${broken} ("${name}") can't be read`, 'Fix that file'])
      return found.kind === 'none'
        ? depends(path, 'warning', [`no task "${name}"`, 'Use its file name, its id, or room/name'])
        : depends(path, 'error', [several(name, found.paths), 'Use the id, or the path, of one of them'])
    }),
  )
}

function several(name: string, paths: readonly string[]): string {
  return `"${name}" is the name of ${paths.length} tasks: ${paths.slice(0, MOST_NAMED).join(', ')}`
}

const MOST_NAMED = 10

function depends(
  file: string,
  severity: Problem['severity'],
  [what, hint]: readonly [what: string, hint: string],
): Problem {
  return fileProblem(file, severity, { code: 'depends', message: `depends_on: ${what}`, hint })
}

function clashes(index: TaskIndex): Problem[] {
  if (index.originals.size === 0) return []
  return [...index.byId].flatMap(([id, files]) => {
    if (files.length < 2) return []
    const message = `duplicate id ${id} in ${files.map(({ path }) => path).join(' and ')}`
    const hint = 'Neo gives the copy a new id'
    return files.map(({ path }) => fileProblem(path, 'warning', { code: 'id', message, hint }))
  })
}
