/**
 * Folders as durable things: a file that was renamed into a folder is only safe from a power cut when the folder
 * itself has been synced, and so is a new folder in its parent.
 */
import { dirname } from 'node:path'
import type { DiskFs } from './fs.ts'
import { codeOf, diskError, isMissing, quietly } from './fs.ts'
import type { Later } from './later.ts'

/**
 * Makes the folder if it is missing, parents too, durably: at once, or `later`. Gives a handle to sync it by, null if the platform
 * or the folder's mode has none to give.
 */
export function ensureFolder(
  fs: DiskFs,
  dir: string,
  { mode, later }: { readonly mode: number; readonly later?: Later | undefined },
): number | null {
  try {
    return openFolder(fs, dir)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const first = fs.mkdirSync(dir, { recursive: true, mode })
  if (first !== undefined) {
    for (let made = dir; ; made = dirname(made)) {
      if (later === undefined) syncParent(fs, dirname(made))
      else later.add(dirname(made))
      if (made === first || dirname(made) === made) break
    }
  }
  return openFolder(fs, dir)
}

/** Makes renames, links and removals in the folder durable. */
export function syncFolder(fs: DiskFs, folder: number | null, path: string): void {
  if (folder === null) return
  try {
    fs.fsyncSync(folder)
  } catch (error) {
    // Some network and FUSE file systems have no such thing.
    if (['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF'].includes(codeOf(error))) return
    throw diskError('sync to disk (written, but a power cut may undo it)', path, error)
  }
}

function openFolder(fs: DiskFs, dir: string): number | null {
  try {
    return fs.openSync(dir, fs.constants.O_RDONLY | (fs.constants.O_DIRECTORY ?? 0))
  } catch (error) {
    if (['EACCES', 'EPERM', 'EISDIR'].includes(codeOf(error))) return null
    throw error
  }
}

function syncParent(fs: DiskFs, dir: string): void {
  const folder = openFolder(fs, dir)
  try {
    syncFolder(fs, folder, dir)
  } finally {
    if (folder !== null) quietly(() => fs.closeSync(folder))
  }
}
