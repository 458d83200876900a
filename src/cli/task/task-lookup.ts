/** Finding tasks by name and reading them, for every command on tasks. */
import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Task } from '../../domain/task/task.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import type { Files } from '../../ports/files-port.ts'
import { brokenFile } from '../cli-failure.ts'
import { bytesAt } from '../edit-file.ts'
import { findHome } from '../find-home.ts'
import type { Call } from '../spec.ts'
import { zoneOf } from '../zone.ts'
import { findTask } from './find-task.ts'
import { pathsWithId, type TaskListCache } from './task-list-cache.ts'
import { labelOf } from './task-paths.ts'

export interface TaskLookup {
  readonly home: string
  readonly files: Files
  readonly zone: string
  readonly cache: TaskListCache
  /** Throws NeoError `missing` or `usage`. */
  find(typed: string): Promise<string>
  /** Throws NeoError `failed` with the file's first problem. */
  read(path: string): Task
}

export async function openTaskLookup(call: Call): Promise<TaskLookup> {
  const files = composeFiles()
  const home = findHome(call, files)
  const zone = await zoneOf(home, files, call.around.env)
  const cache = { home, files, zone, version: call.around.version, now: Date.now() }
  const where = {
    home,
    files,
    cwd: call.around.cwd,
    byId: async (id: string) => pathsWithId(cache, id),
  }
  return {
    home,
    files,
    zone,
    cache,
    find: (typed) => findTask(typed, where),
    read: (path) => parseTask(path, bytesAt(files, join(home, path)), zone),
  }
}

/** Throws NeoError `failed` if the text isn't a valid task. */
export function parseTask(path: string, bytes: Buffer, zone: string): Task {
  const read = readTask(path, bytes, zone)
  switch (read.kind) {
    case 'ok':
      return read.value
    case 'bad':
      throw brokenFile('Cannot read the task', read.problems)
    case 'unfinished':
      throw brokenFile('Cannot read the task', [
        {
          file: path,
          line: null,
          column: null,
          severity: 'error',
          code: 'fence',
          message: read.why,
          hint: 'Finish the file in an editor',
        },
      ])
  }
}

/**
 * What `--depends-on` names, as `depends_on` finds it: there a name without the id that Neo adds finds nothing. A task
 * that doesn't exist yet is allowed: it is waited for.
 */
export async function dependencies(call: Call, tasks: Pick<TaskLookup, 'find'>): Promise<readonly string[]> {
  const names: string[] = []
  for (const typed of call.all('dependsOn')) {
    try {
      const path = await tasks.find(typed)
      names.push(path.includes('--t-') && !/(?:^|--)t-/.test(typed) ? labelOf(path) : typed)
    } catch (error) {
      if (!(error instanceof NeoError) || error.code !== 'missing') throw error
      names.push(typed)
      call.out.note(`There is no task "${typed}" yet: this one waits for it.`)
    }
  }
  return names
}
