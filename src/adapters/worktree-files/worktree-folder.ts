/**
 * An open folder, and the names in it. Invariant 1: on Linux a name is looked up in the folder that is open, whatever
 * its path has become in the meantime. Invariant 2: nothing here follows a link in the last part of a name.
 */
import fs from 'node:fs'
import { join } from 'node:path'

/** Where the system gives access to open folders as paths. */
const HANDLES = '/proc/self/fd'
const hasHandles = process.platform === 'linux' && fs.existsSync(HANDLES)
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants

export interface Folder {
  readonly fd: number
  /** Where it was when it was opened; for systems without handles. */
  readonly path: string
}

export function openTop(path: string): Folder {
  return { fd: fs.openSync(path, O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0)), path }
}

/** Opens a folder in a folder. Throws ELOOP or ENOTDIR for a link. */
export function openIn(folder: Folder, name: string): Folder {
  const fd = fs.openSync(nameIn(folder, name), O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0))
  return { fd, path: join(folder.path, name) }
}

/** What calls of node:fs take to mean `name` in the open folder. `name` is one part, never `..`. */
export function nameIn(folder: Folder, name: string): string {
  if (name.includes('/') || name === '..' || name === '.' || name === '') {
    throw new Error(`"${name}" is no name in a folder`)
  }
  return hasHandles ? `${HANDLES}/${folder.fd}/${name}` : join(folder.path, name)
}

export function closeFolder(folder: Folder): void {
  try {
    fs.closeSync(folder.fd)
  } catch {
    // Nothing depends on it.
  }
}
