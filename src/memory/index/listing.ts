/**
 * Names in folders, listed again only when a folder has changed. Invariant 1: a listing counts only while the folder's
 * stat is what it was before it was listed, where that was not only just changed; and a minute at most, whatever the
 * file system says of its folders.
 */
import type { Files, Stat } from '../../ports/world.ts'
import { isCalm } from './change-detector.ts'

export type Names = Files['names']

interface Listed {
  readonly names: readonly string[]
  readonly stat: Stat
  readonly at: number
}

const MOST_MS = 60_000
/** Folders that are remembered; beyond, all are listed anew. */
const MOST_FOLDERS = 5_000

export interface ListingOf {
  readonly files: Pick<Files, 'names' | 'stat'>
  readonly now: () => number
}

const held = new WeakMap<object, Map<string, Listed>>()

/** What was listed is remembered as long as `by` lives. */
export function namesHeldBy(by: object, { files, now }: ListingOf): Names {
  const known = held.get(by) ?? new Map<string, Listed>()
  held.set(by, known)
  return (dir) => {
    const stat = files.stat(dir, 'folder')
    const old = known.get(dir)
    if (stat !== null && old !== undefined && now() - old.at < MOST_MS && isUnchanged(old.stat, stat))
      return old.names
    known.delete(dir)
    const names = files.names(dir)
    const at = now()
    if (stat !== null && isCalm(stat, at) && known.size < MOST_FOLDERS) known.set(dir, { names, stat, at })
    return names
  }
}

function isUnchanged(old: Stat, stat: Stat): boolean {
  return old.ctimeMs === stat.ctimeMs && old.mtimeMs === stat.mtimeMs && old.ino === stat.ino
}
