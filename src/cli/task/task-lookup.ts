/**
 * Finds a task by a path, `room/name`, a unique name or an id, without reading other tasks if possible, and reads it.
 * Invariant 1: an ambiguous name is refused with all candidates, never guessed. Invariant 2: no name leads out of
 * `tasks/` of a room.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import { maskSure } from '../../domain/secrets/known-secrets.ts'
import { MASK } from '../../domain/secrets/mask-literals.ts'
import { filesNamed } from '../../domain/task/depends.ts'
import type { Task } from '../../domain/task/task.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { nearest } from '../../files/values/suggest.ts'
import type { Files } from '../../ports/files-port.ts'
import { brokenFile, usage, wholeFile } from '../cli-failure.ts'
import { bytesAt } from '../edit-file.ts'
import { findHome } from '../find-home.ts'
import type { Call } from '../spec.ts'
import { zoneOf } from '../time-zone.ts'
import { pathsWithId, says, type TaskListCache } from './task-list-cache.ts'
import { isTaskPath, labelOf, partsOf, roomNames } from './task-paths.ts'

export interface TaskLookup {
  readonly home: string
  readonly files: Files
  readonly zone: string
  readonly cache: TaskListCache
  /** Throws NeoError `missing` or `usage`. */
  find(typed: string): Promise<string>
  /** The arguments of a command, each path once. Throws as `find`. */
  findAll(typed: readonly string[]): Promise<readonly string[]>
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
    async findAll(typed) {
      const paths = new Set<string>()
      for (const one of typed) paths.add(await findTask(one, where))
      return [...paths]
    },
    read: (path) => parseTask(path, bytesAt(files, join(home, path)), zone),
  }
}

/** Throws NeoError `failed` if the text isn't a valid task. */
function parseTask(path: string, bytes: Buffer, zone: string): Task {
  const read = readTask(path, bytes, zone)
  if (read.kind === 'ok') return read.value
  const problems =
    read.kind === 'bad' ? read.problems : [wholeFile(path, read.why, 'Finish the file in an editor')]
  throw brokenFile('Cannot read the task', problems)
}

/**
 * What `--depends-on` names, as `depends_on` finds it from any room and folder. A task that doesn't exist yet is allowed:
 * it is waited for.
 */
export async function dependencies(call: Call, tasks: Pick<TaskLookup, 'find'>): Promise<readonly string[]> {
  const names: string[] = []
  for (const typed of call.all('dependsOn')) {
    try {
      const label = labelOf(await tasks.find(typed))
      names.push(ID.test(typed) || `/${label}`.endsWith(`/${typed}`) ? typed : label)
    } catch (error) {
      if (!(error instanceof NeoError) || error.code !== 'missing') throw error
      names.push(typed)
      call.out.note(`Task "${typed}" does not exist yet; this task starts after it is completed.`)
    }
  }
  return names
}

interface Where {
  readonly home: string
  readonly cwd: string
  readonly files: Files
  /** Finds the paths with an id among all tasks; slow, so it is asked last. */
  readonly byId: (id: string) => Promise<readonly string[]>
}

const ID = /^t-[a-z0-9]+$/i

/** Throws NeoError `missing` or `usage` (ambiguous). */
async function findTask(typed: string, where: Where): Promise<string> {
  const name = typed.endsWith('.md') ? typed.slice(0, -3) : typed
  const direct = byPath(typed, where)
  if (direct !== null) return direct
  const isMasked = name.includes(MASK)
  const last = isMasked ? '' : name.slice(name.lastIndexOf('/') + 1)
  const all = inTasks(name, where) ?? scanNames(where, last)
  const isId = ID.test(name)
  const ofId = isId ? all.filter((path) => path.endsWith(`--${name}.md`) && says(where, path, name)) : []
  if (ofId.length > 0) return one(typed, ofId, where)
  // By its name as Neo prints it, with known secrets masked.
  const shown = (path: string) => partsOf(isMasked ? maskSure(path) : path)
  const named = filesNamed(
    all.map((path) => ({ path, ...shown(path) })),
    name,
    '',
  ).map(({ path }) => path)
  return one(typed, isId && named.length === 0 ? await where.byId(name) : named, where)
}

/** As a path from the home or from the current folder. */
function byPath(typed: string, { home, cwd, files }: Where): string | null {
  const file = typed.endsWith('.md') ? typed : `${typed}.md`
  const candidates = isAbsolute(file) ? [file] : [join(home, file), resolve(cwd, file)]
  for (const candidate of candidates) {
    const path = relative(home, candidate).split(sep).join('/')
    if (kindOf(path)?.kind === 'task' && isThere(path, home, files)) return path
  }
  return null
}

/** As `room/name`, or directly in `tasks/` of any room: then no folder is read. Null without one. */
function inTasks(name: string, { home, files }: Where): readonly string[] | null {
  const [room = '', ...rest] = name.split('/')
  const labels = [
    `rooms/${room}/tasks/${rest.join('/')}`,
    ...roomNames(home, files).map((one) => `rooms/${one}/tasks/${name}`),
  ]
  const found = labels
    .map((path) => `${path}.md`)
    .filter((path) => isTaskPath(path) && isThere(path, home, files))
  return found.length > 0 ? found : null
}

/** The tasks whose file names hold a text. No task is read. */
function scanNames({ home, files }: Pick<Where, 'home' | 'files'>, text: string): readonly string[] {
  const found: string[] = []
  const walk = (folder: string) => {
    for (const name of files.names(join(home, folder))) {
      if (name.startsWith('.') || name.startsWith('_')) continue
      const path = `${folder}/${name}`
      if (!name.endsWith('.md')) {
        if (!name.includes('.')) walkInto(path)
      } else if (name.includes(text)) found.push(path)
    }
  }
  const walkInto = (folder: string) => {
    try {
      walk(folder)
    } catch (error) {
      // A file without an extension is not a folder.
      if (!(error instanceof NeoError)) throw error
    }
  }
  for (const room of roomNames(home, files)) walkInto(`rooms/${room}/tasks`)
  return found.filter(isTaskPath)
}

/** Also true for a folder or a link: reading it then says what is wrong. */
function isThere(path: string, home: string, files: Files): boolean {
  return files.read(join(home, path), 0).kind !== 'missing'
}

/** More names of the same kind help nobody. */
const MOST_SIMILAR = 3

/** Names that contain what was typed, or else the one that is a typing error away. */
function similar(typed: string, where: Where): readonly string[] {
  const name = typed.toLowerCase().replace(/^.*\//, '').replace(/\.md$/, '')
  const names = scanNames(where, '').map((path) => path.replace(/^.*\/|(--t-[a-z0-9]+)?\.md$/g, ''))
  const holding = name === '' ? [] : names.filter((one) => one.toLowerCase().includes(name))
  if (holding.length > 0) return [...new Set(holding)].slice(0, MOST_SIMILAR)
  const words = names.map((one) => one.toLowerCase().replaceAll('-', '_'))
  const near = nearest(name, words)
  return near === null ? [] : [names[words.indexOf(near)] ?? '']
}

function one(typed: string, found: readonly string[], where: Where): string {
  const [first, ...more] = found
  if (first === undefined) {
    const near = similar(typed, where)
    throw new NeoError('missing', `Cannot find the task "${typed}": no task has this path, name or id`, {
      ...(near.length === 0 ? {} : { why: `similar names: ${near.join(', ')}` }),
      next: 'neo task list',
    })
  }
  if (more.length > 0)
    throw usage(
      `Cannot tell which task "${typed}" is: ${found.length} tasks have this name`,
      `use one of ${found.slice(0, 10).join(', ')}${found.length > 10 ? ', …' : ''}`,
    )
  return first
}
