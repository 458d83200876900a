/** The folders of a home that are watched, found by one walk that lists and never looks at files. */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { admits } from './admit.ts'

/** Folders below (and with) `from`: relative to the home (`''` first) → identity. One that cannot be listed is among them. */
export function walk(home: string, from: string): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const listed = listedNow(home, folder, undefined)
    if (listed === null) continue
    folders.set(folder, listed.identity)
    waiting.push(...listed.folders)
  }
  return folders
}

/** True if more files are admitted than so many; ends at the first one more. */
export function holdsMore(home: string, limit: number): boolean {
  let files = 0
  if (files > limit) return true
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of list(join(home, folder))) {
      const path = below(folder, entry.name)
      if (entry.isDirectory()) {
        if (admits(path, 'folder')) waiting.push(path)
      } else if (admits(path, 'file') && ++files > limit) return true
    }
  }
  return false
}

interface Listed {
  readonly identity: string
  readonly mtimeMs: number
  /** Epoch ms before the folder was listed. */
  readonly at: number
  /** Admitted folders in it. */
  readonly folders: readonly string[]
}

/** A folder that changed so shortly before it was listed may have changed again with the same time. */
const COARSE_MS = 2000

/** Gives the folders now, at each call. A folder whose time of change is the known one is not listed again. */
export function openFolderWalk(home: string): () => ReadonlyMap<string, string> {
  let known: ReadonlyMap<string, Listed> = new Map()
  return () => {
    const now = new Map<string, Listed>()
    const waiting = ['']
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const listed = listedNow(home, folder, known.get(folder))
      if (listed === null) continue
      now.set(folder, listed)
      waiting.push(...listed.folders)
    }
    known = now
    return new Map([...now].map(([folder, { identity }]) => [folder, identity]))
  }
}

function listedNow(home: string, folder: string, before: Listed | undefined): Listed | null {
  const at = Date.now()
  const stat = folderStat(join(home, folder))
  if (stat === null) return null
  const [identity, { mtimeMs }] = [identityIn(stat), stat]
  if (before?.identity === identity && before.mtimeMs === mtimeMs && mtimeMs < before.at - COARSE_MS)
    return before
  const paths = list(join(home, folder)).map((entry) => [below(folder, entry.name), entry] as const)
  const folders = paths.filter(([path, entry]) => entry.isDirectory() && admits(path, 'folder'))
  return { identity, mtimeMs, at, folders: folders.map(([path]) => path) }
}

/** Relative path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Differs when a folder was removed and made again, also if the inode is used again; null if none is there. */
export function identityOf(path: string): string | null {
  const stat = folderStat(path)
  return stat === null ? null : identityIn(stat)
}

function identityIn({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}

function folderStat(path: string): Stats | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isDirectory() ? stat : null
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
