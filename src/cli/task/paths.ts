/**
 * Paths of tasks: which are there, by names alone. Takes a home and the file store; reads no file.
 * Leaves to core/rules/paths.ts: what counts as a task.
 */
import { join } from 'node:path'
import { kindOf } from '../../core/rules/paths.ts'
import type { Files, ScanEntry } from '../../ports.ts'

/** Folders of rooms, sorted. */
export function roomNames(home: string, files: Files): readonly string[] {
  return files
    .names(join(home, 'rooms'))
    .filter((name) => !name.startsWith('.') && !name.startsWith('_'))
    .toSorted()
}

/** Everything with a task's path, FIFOs, links and folders of odd names included; paths relative to the home. */
export function scanTasks(home: string, files: Files): readonly ScanEntry[] {
  const found = files.scan(join(home, 'rooms'), (path, kind) =>
    kind === 'folder' ? isWanted(path) : path.endsWith('.md') && kindOf(`rooms/${path}`)?.kind === 'task',
  )
  return found.map((entry) => ({ ...entry, path: `rooms/${entry.path}` }))
}

/** Below `rooms/`: a room, its tasks/, and what lies in there. */
function isWanted(path: string): boolean {
  const [room = '', folder, ...rest] = path.split('/')
  if (room.startsWith('.') || room.startsWith('_')) return false
  return (
    folder === undefined ||
    (folder === 'tasks' && !rest.some((part) => part.startsWith('.') || part.startsWith('_')))
  )
}

/** `shop` and `fix-login` of `rooms/shop/tasks/fix-login.md`. */
export function partsOf(path: string): { readonly room: string; readonly name: string } {
  const known = kindOf(path)
  return { room: known?.room ?? '', name: known?.name ?? path }
}

/** How a task is called in lists and messages: `shop/fix-login`. */
export function labelOf(path: string): string {
  const { room, name } = partsOf(path)
  return `${room}/${name}`
}
