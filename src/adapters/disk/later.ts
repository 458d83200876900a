/**
 * What is written but not yet on the disk: files and folders whose sync may wait for a moment, so that many go side by
 * side, which a disk does in the time of one or two.
 * Takes paths; `sync` resolves when all that were there at the call are on the disk. What nobody syncs goes by itself
 * after a moment. Leaves to its callers: what may wait (never what makes a file whole: that is synced before its rename).
 * Invariant 1: a path leaves the list only when its sync has ended well, or it is gone.
 */
import { promisify } from 'node:util'
import type { DiskFs } from './fs.ts'
import { codeOf, diskError, isMissing, quietly } from './fs.ts'

export interface Later {
  add(path: string): void
  /** It is on the disk by now, in another way. */
  done(path: string): void
  /** Throws NeoError (`disk`) where the disk refuses; then the next call tries again. */
  sync(): Promise<void>
}

/** So long is a line of the journal that says `done` in memory alone. */
const BY_ITSELF_MS = 50
const SIDE_BY_SIDE = 32

export function openLater(fs: DiskFs): Later {
  const waiting = new Map<string, number>()
  let count = 0
  let timer: NodeJS.Timeout | null = null

  async function sync(): Promise<void> {
    const due = [...waiting]
    for (let at = 0; at < due.length; at += SIDE_BY_SIDE)
      await Promise.all(
        due.slice(at, at + SIDE_BY_SIDE).map(async ([path, mark]) => {
          await syncPath(fs, path)
          // Written again meanwhile: its newest bytes may not be in this sync.
          if (waiting.get(path) === mark) waiting.delete(path)
        }),
      )
  }

  function soon(): void {
    timer = null
    void sync().catch(() => {})
  }

  return {
    sync,
    done: (path) => void waiting.delete(path),
    add(path) {
      waiting.set(path, ++count)
      if (timer !== null) return
      timer = setTimeout(soon, BY_ITSELF_MS)
      timer.unref()
    },
  }
}

async function syncPath(fs: DiskFs, path: string): Promise<void> {
  let file: number | null = null
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY)
    await promisify(fs.fsync)(file)
  } catch (error) {
    // Gone meanwhile, or a file system that has no sync of folders.
    if (isMissing(error) || NO_SYNC.includes(codeOf(error))) return
    throw diskError('make durable (it stands, but a power cut may undo it)', path, error)
  } finally {
    const opened = file
    if (opened !== null) quietly(() => fs.closeSync(opened))
  }
}

const NO_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EACCES', 'EPERM', 'EISDIR']
