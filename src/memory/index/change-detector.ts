/**
 * Which files exist, and which have changed since they were indexed. Invariant 1: an unchanged file costs nothing: no path,
 * no list entry. Invariant 2: a stat proves nothing if the file had just changed when it was read: file systems have coarse
 * clocks, and the next change may leave the same stat.
 */
import type { Stat } from '../../ports/files-port.ts'
import type { SourceMark } from '../../ports/index-port.ts'
import type { Places } from './sources.ts'

export interface Seen {
  readonly places: Required<Pick<Places, 'isKnown' | 'closed'>>
  /** A file exists that differs from its mark. Returns the mark. */
  gives(path: string): SourceMark | undefined
  /** Files that are there. */
  count(): number
  /** What was known and is not there any more; nothing of folders that could not be looked into. */
  gone(): readonly string[]
  /** Why a folder could not be read; '' if all could. */
  why(): string
}

/** What is known of a file, and in which sync it was last seen. */
interface Entry {
  readonly mark: SourceMark
  sync: number
}

type Folders = ReadonlyMap<string, ReadonlyMap<string, Entry>>

/** Made once, as long as nothing changes in the index. */
const made = new WeakMap<ReadonlyMap<string, SourceMark>, Folders>()
let syncs = 0

export function detectChanges(known: ReadonlyMap<string, SourceMark>): Seen {
  const folders = made.get(known) ?? foldersOf(known)
  made.set(known, folders)
  const sync = ++syncs
  const closed = new Map<string, string>()
  let count = 0
  let at = ''
  let entries: ReadonlyMap<string, Entry> | undefined
  return {
    places: {
      isKnown(folder, name, stat) {
        if (folder !== at) [at, entries] = [folder, folders.get(folder)]
        const entry = entries?.get(name)
        if (entry === undefined || !isSame(entry.mark, stat)) return false
        entry.sync = sync
        count++
        return true
      },
      closed: (folder, why) => void closed.set(folder, why),
    },
    gives(path) {
      count++
      const entry = folders.get(folderOf(path))?.get(path.slice(path.lastIndexOf('/') + 1))
      if (entry !== undefined) entry.sync = sync
      return entry?.mark
    },
    count: () => count,
    gone() {
      const paths: string[] = []
      for (const [folder, entries] of folders) {
        if (closed.size > 0 && [...closed.keys()].some((one) => `${folder}/`.startsWith(`${one}/`))) continue
        for (const entry of entries.values()) if (entry.sync !== sync) paths.push(entry.mark.path)
      }
      return paths
    },
    why: () => [...closed.values()][0] ?? '',
  }
}

/** Prefix of paths of workspace files in the index's list of sources. */
export const FILES = 'file:'

export function isFileSource(path: string): boolean {
  return path.startsWith(FILES)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function foldersOf(known: ReadonlyMap<string, SourceMark>): Folders {
  const folders = new Map<string, Map<string, Entry>>()
  for (const [path, mark] of known) {
    if (isFileSource(path)) continue
    const folder = folderOf(path)
    const entries = folders.get(folder) ?? new Map<string, Entry>()
    if (entries.size === 0) folders.set(folder, entries)
    entries.set(path.slice(folder.length + 1), { mark, sync: 0 })
  }
  return folders
}

export function isSame(mark: SourceMark, stat: Stat): boolean {
  return (
    mark.ctimeMs === stat.ctimeMs &&
    mark.mtimeMs === stat.mtimeMs &&
    mark.size === stat.size &&
    mark.ino === stat.ino &&
    mark.hash !== ''
  )
}

/** Changes that are no further apart may have the same time: by the kernel's clock, and by those of old file systems. */
const FINE_MS = 100
const COARSE_MS = 3_000
const JUST_CHANGED = -1

/** True if a change after this time would show in the stat. */
export function isCalm({ ctimeMs = 0 }: Stat, readAt: number): boolean {
  return readAt - ctimeMs > (ctimeMs % 1_000 === 0 ? COARSE_MS : FINE_MS)
}

/** The stat to save for a file that was read at this time. */
export function keptStat(stat: Stat, readAt: number) {
  const { size, mtimeMs, ctimeMs = 0, ino } = stat
  return { size, mtimeMs, ctimeMs: isCalm(stat, readAt) ? ctimeMs : JUST_CHANGED, ino }
}
