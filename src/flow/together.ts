/**
 * Problems that only show when the tasks of a home are seen together: circles in `depends_on`, names that mean no task or
 * several, ids that several files have. Takes the tasks; gives the problems, each at its file. Pure.
 * Invariant 1: nothing but paths, ids and `depends_on` has a say, so that other edits need no second look.
 */
import type { Problem } from '../core/model/problem.ts'
import type { TaskFile } from '../core/model/snapshot.ts'
import { findCycles, findTask, indexOf, type TaskIndex } from '../core/rules/depends.ts'

/** Circles, unmet names, clashing ids. */
export function seenTogether(tasks: ReadonlyMap<string, TaskFile>): Problem[] {
  const index = indexOf(tasks)
  const cycles = findCycles(tasks, index).flatMap((paths) => paths.map((path) => cycle(path, paths)))
  return [...cycles, ...missing(tasks, index), ...clashes(index)]
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
    message: `depends_on goes in a circle: ${round}`,
    hint: 'Take one of them out of depends_on',
  }
}

function missing(tasks: ReadonlyMap<string, TaskFile>, index: TaskIndex): Problem[] {
  const problems: Problem[] = []
  for (const file of tasks.values()) {
    for (const name of file.task.dependsOn) {
      const found = findTask(index, name, file.room)
      if (found.kind !== 'one') problems.push(unmet(file.path, name, found.kind))
    }
  }
  return problems
}

function unmet(file: string, name: string, kind: 'none' | 'many'): Problem {
  const message =
    kind === 'none'
      ? `depends_on names "${name}": there is no such task`
      : `depends_on names "${name}": more than one task has this name`
  const hint =
    kind === 'none'
      ? 'Write its path under tasks/ without .md, its id, or room/name'
      : 'Write room/name, or its path under tasks/'
  return { file, line: null, column: null, severity: 'warning', code: 'depends', message, hint }
}

function clashes(index: TaskIndex): Problem[] {
  const problems: Problem[] = []
  if (index.originals.size === 0) return problems
  for (const [id, files] of index.byId) {
    if (files.length < 2) continue
    const paths = files.map((file) => file.path).join(' and ')
    for (const { path } of files) {
      const hint = 'Neo gives the copy an id of its own'
      problems.push({
        file: path,
        line: null,
        column: null,
        severity: 'warning',
        code: 'id',
        message: `id ${id} is in ${paths}`,
        hint,
      })
    }
  }
  return problems
}
