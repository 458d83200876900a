/**
 * Paths of tasks, by names alone. Invariant 1: it agrees with domain/home/home-paths.ts, which judges one path at a time
 * (a test compares them).
 */
import { join } from 'node:path'
import { isForReaders, kindOf } from '../../domain/home/home-paths.ts'
import type { Files, ScanEntry } from '../../ports/files-port.ts'

/** Folders of rooms, sorted. */
export function roomNames(home: string, files: Files): readonly string[] {
  return (
    files
      .names(join(home, 'rooms'))
      .filter((name) => !name.startsWith('.') && !name.startsWith('_'))
      // A link is not a room: nothing in it runs, and neo config check names it.
      .filter((name) => files.stat(join(home, 'rooms', name), 'folder') !== null)
      .toSorted()
  )
}

/** Everything with a task's path, FIFOs, links and folders included; paths relative to the home. */
export function scanTasks(home: string, files: Files): readonly ScanEntry[] {
  return files.scan(home, (path, kind) => (kind === 'folder' ? isWanted(path) : isTaskName(path)))
}

/** `rooms`, a room, its tasks/, and folders in it. */
function isWanted(path: string): boolean {
  const [top, room = '', folder, ...rest] = path.split('/')
  if (top !== 'rooms' || isHidden(room)) return false
  return folder === undefined || (folder === 'tasks' && !rest.some(isHidden))
}

/** What `kindOf` says of a file in a wanted folder, without checking the folders again. */
function isTaskName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    path.startsWith(TASKS, path.indexOf('/', ROOMS.length)) &&
    name.endsWith('.md') &&
    !isForReaders(name) &&
    !isHidden(name)
  )
}

/** True for a task's path without `.` and `..`, which lead elsewhere. */
export function isTaskPath(path: string): boolean {
  return (
    kindOf(path)?.kind === 'task' &&
    !path.split('/').some((part) => part === '' || part === '..' || part === '.')
  )
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('_')
}

const ROOMS = 'rooms/'
const TASKS = '/tasks/'

/** `shop` and `fix-login` of `rooms/shop/tasks/fix-login.md`. */
export function partsOf(path: string): { readonly room: string; readonly name: string } {
  const at = path.indexOf('/', ROOMS.length)
  if (!path.startsWith(ROOMS) || !path.startsWith(TASKS, at)) return { room: '', name: path }
  return { room: path.slice(ROOMS.length, at), name: path.slice(at + TASKS.length, -'.md'.length) }
}

/** The name of a task in lists and messages: `shop/fix-login`. */
export function labelOf(path: string): string {
  const { room, name } = partsOf(path)
  return room === '' ? name : `${room}/${name}`
}
