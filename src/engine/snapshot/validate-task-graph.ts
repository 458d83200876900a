/**
 * Problems between tasks: dependency cycles, names that mean no task or several, duplicate ids. Only paths, ids and
 * `depends_on` matter, so that other edits need no second check. Pure.
 */
import type { Problem } from '../../domain/home/problem.ts'
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
  return {
    file,
    line: null,
    column: null,
    severity: 'error',
    code: 'cycle',
    message: `dependency cycle: ${round}`,
    hint: 'Remove one of them from depends_on',
  }
}

function missing(
  tasks: ReadonlyMap<string, TaskFile>,
  index: TaskIndex,
  unread: readonly string[],
): Problem[] {
  const problems: Problem[] = []
  for (const file of tasks.values()) {
    for (const name of file.task.dependsOn) {
      const found = findTask(index, name, file.room)
      if (found.kind === 'one') continue
      const broken = found.kind === 'none' ? findUnread(unread, name, file.room) : null
      problems.push(
        broken === null ? unmet(file.path, name, found.kind) : unreadable(file.path, name, broken),
      )
    }
  }
  return problems
}

function unmet(file: string, name: string, kind: 'none' | 'many'): Problem {
  return kind === 'none'
    ? depends(file, `depends_on: no task "${name}"`, HOW_TO_NAME)
    : depends(
        file,
        `depends_on: more than one task has the name "${name}"`,
        'Use room/name, or its path under tasks/',
      )
}

const HOW_TO_NAME = 'Use its path under tasks/ without .md, its id, or room/name'

function unreadable(file: string, name: string, broken: string): Problem {
  return depends(file, `depends_on: ${broken} ("${name}") can't be read`, 'Fix that file')
}

function depends(file: string, message: string, hint: string): Problem {
  return { file, line: null, column: null, severity: 'warning', code: 'depends', message, hint }
}

function clashes(index: TaskIndex): Problem[] {
  const problems: Problem[] = []
  if (index.originals.size === 0) return problems
  for (const [id, files] of index.byId) {
    if (files.length < 2) continue
    const paths = files.map((file) => file.path).join(' and ')
    for (const { path } of files) {
      const hint = 'Neo gives the copy a new id'
      problems.push({
        file: path,
        line: null,
        column: null,
        severity: 'warning',
        code: 'id',
        message: `duplicate id ${id} in ${paths}`,
        hint,
      })
    }
  }
  return problems
}
