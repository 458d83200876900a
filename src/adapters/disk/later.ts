/**
 * Durable folders, and files and folders that are written but not yet on disk: their syncs may wait for a moment, so that
 * many run side by side, which a disk does in the time of one or two. A rename into a folder is only safe from a power
 * cut when the folder is synced, and so is a new folder in its parent. Invariant 1: a path leaves the list only when its
 * sync has succeeded, or it is gone.
 */
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, diskError, type DiskFs, isMissing, quietly } from './fs.ts'

export interface Later {
  add(path: string): void
  /** It was synced in another way. */
  done(path: string): void
  /**
   * @param below only what is at or below these paths
   * Throws NeoError (`disk`) if the disk refuses; then the next call tries again.
   */
  sync(below?: readonly string[]): Promise<void>
}

/** So long is a line of the journal that says `done` in memory alone. */
const BY_ITSELF_MS = 250
const SIDE_BY_SIDE = 32

interface Waiting {
  /** The sync that runs; null before it began. What was written since its begin is not in it. */
  running: Promise<void> | null
  again: boolean
}

export function openLater(fs: DiskFs): Later {
  const waiting = new Map<string, Waiting>()
  let timer: NodeJS.Timeout | null = null

  /** Resolves when what was written to it before this call is on the disk. */
  async function one(path: string, of: Waiting): Promise<void> {
    if (of.running !== null && of.again) await of.running.catch(() => {})
    if (of.running === null && waiting.get(path) === of) begin(path, of)
    await of.running
  }

  function begin(path: string, of: Waiting): void {
    of.again = false
    of.running = syncPath(fs, path)
      .then(() => {
        if (!of.again) waiting.delete(path)
      })
      .finally(() => {
        of.running = null
      })
  }

  async function sync(below?: readonly string[]): Promise<void> {
    const due = [...waiting].filter(
      ([path]) => below === undefined || below.some((root) => isBelow(path, root)),
    )
    for (let at = 0; at < due.length; at += SIDE_BY_SIDE)
      await Promise.all(due.slice(at, at + SIDE_BY_SIDE).map(([path, of]) => one(path, of)))
  }

  return {
    sync,
    done: (path) => void waiting.delete(path),
    add(path) {
      const known = waiting.get(path)
      if (known === undefined) waiting.set(path, { running: null, again: true })
      else known.again = true
      if (timer !== null) return
      timer = setTimeout(() => {
        timer = null
        void sync().catch(() => {})
      }, BY_ITSELF_MS)
      timer.unref()
    },
  }
}

/** The folders above a path hold its name. */
function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`) || root.startsWith(`${path}/`)
}

async function syncPath(fs: DiskFs, path: string): Promise<void> {
  let file: number | null = null
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY)
    await promisify(fs.fsync)(file)
  } catch (error) {
    // Gone in the meantime, or a file system that has no sync of folders.
    if (isMissing(error) || NO_SYNC.includes(codeOf(error))) return
    throw diskError('sync to disk (written, but a power cut may undo it)', path, error)
  } finally {
    const opened = file
    if (opened !== null) quietly(() => fs.closeSync(opened))
  }
}

const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EACCES', 'EPERM', 'EISDIR']

/**
 * Makes the folder and its parents, durably: at once, or `later`. Returns a handle to sync it by; null if the platform or the
 * folder's mode allows none.
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
    // Some network and FUSE file systems can't.
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
