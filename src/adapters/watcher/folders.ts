/**
 * The folders of a home that are watched, found by one walk that lists and never looks at files.
 * Takes the home; gives each admitted folder with what tells it from a later folder of the same name, and how many
 * files are admitted in all.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { admits } from './admit.ts'

export interface Walk {
  /** Folder, relative to the home (`''` first) → its identity. */
  readonly folders: ReadonlyMap<string, string>
  readonly files: number
}

/** Folders below (and with) `from`. A folder that cannot be listed is in it without what it holds. */
export function walk(home: string, from: string): Walk {
  const folders = new Map<string, string>()
  let files = 0
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const identity = identityOf(join(home, folder))
    if (identity === null) continue
    folders.set(folder, identity)
    for (const entry of list(join(home, folder))) {
      const path = below(folder, entry.name)
      if (entry.isDirectory()) {
        if (admits(path, 'folder')) waiting.push(path)
      } else if (admits(path, 'file')) files += 1
    }
  }
  return { folders, files }
}

/** Relative path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Differs when a folder was removed and made again, also where the inode is used again; null where none is there. */
export function identityOf(path: string): string | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isDirectory() ? `${stat.dev}:${stat.ino}:${stat.birthtimeMs}` : null
  } catch {
    return null
  }
}

function list(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}
