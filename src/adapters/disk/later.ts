/**
 * What is written but not yet on the disk: files and folders whose sync may wait for a moment, so that many go side by
 * side, which a disk does in the time of one or two. What nobody syncs goes by itself after a moment. Invariant 1: a
 * path leaves the list only when its sync has ended well, or it is gone.
 */
import { promisify } from 'node:util'
import type { DiskFs } from './fs.ts'
import { codeOf, diskError, isMissing, quietly } from './fs.ts'

export interface Later {
  add(path: string): void
  /** It is on the disk by now, in another way. */
  done(path: string): void
  /**
   * @param below only what lies at or below these paths
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
