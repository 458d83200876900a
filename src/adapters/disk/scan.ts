/**
 * All entries below a folder, in one synchronous walk: the truth that the watcher's hints only point at. And one file.
 * Invariant 1: nobody's odd name stops it: a name with a line end is an entry as any other; one that is not UTF-8 is
 * an entry of kind `other`, under its name with U+FFFD, because no path can name it.
 * Invariant 2: a failure of the machine (too many open files, IO error) throws, so that files that could not be seen
 * are never taken for deleted. A folder that may not be listed is an entry of kind `other` itself.
 * Invariant 3: links are reported, never followed; temp files of Neo are left out.
 */
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import type { ScanEntry, Stat, Wanted } from '../../ports/world.ts'
import type { DiskFs } from './fs.ts'
import { codeOf, diskError, isMissing } from './fs.ts'
import { isTemp } from './temp.ts'

export function scan(fs: DiskFs, root: string, wanted: Wanted): readonly ScanEntry[] {
  const found: ScanEntry[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = list(fs, root, folder)
    if (listed === 'closed') {
      found.push({ path: folder, kind: 'other', size: 0, mtimeMs: 0, ino: 0 })
      continue
    }
    for (const entry of listed) {
      if (isTemp(entry.name)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (isFolder(fs, root, { entry, path })) {
        const walked = wanted(path, 'folder', false)
        if (walked !== false) folders.push(path)
        if (walked === 'named') found.push({ path, kind: 'other', size: 0, mtimeMs: 0, ino: 0 })
      } else if (wanted(path, 'file', entry.isSymbolicLink())) {
        const seen = look(fs, root, path)
        if (seen !== null) found.push(seen)
      }
    }
  }
  return found
}

function list(fs: DiskFs, root: string, folder: string): readonly Dirent[] | 'closed' {
  try {
    return fs.readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    if (folder !== '' && isClosed(error)) return 'closed'
    throw diskError('list', join(root, folder), error)
  }
}

/** Some file systems do not say what an entry is; then it is asked for. */
function isFolder(fs: DiskFs, root: string, at: { entry: Dirent; path: string }): boolean {
  if (at.entry.isDirectory()) return true
  const said = at.entry.isFile() || at.entry.isSymbolicLink() || at.entry.isFIFO() || at.entry.isSocket()
  if (said || at.entry.isCharacterDevice() || at.entry.isBlockDevice()) return false
  return fs.lstatSync(join(root, at.path), { throwIfNoEntry: false })?.isDirectory() ?? false
}

function look(fs: DiskFs, root: string, path: string): ScanEntry | null {
  try {
    const stat = fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false })
    if (stat === undefined) {
      return path.includes('\uFFFD') ? { path, kind: 'other', size: 0, mtimeMs: 0, ino: 0 } : null
    }
    const kind = stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other'
    const { size, mtimeMs, ino, ctimeMs } = stat
    return { path, kind, size, mtimeMs, ino, ctimeMs }
  } catch (error) {
    if (isMissing(error)) return null
    if (isClosed(error)) return { path, kind: 'other', size: 0, mtimeMs: 0, ino: 0 }
    throw diskError('look at', join(root, path), error)
  }
}

const QUIETLY = { throwIfNoEntry: false } as const
/** The bits of a mode that say what it is. */
const KIND = 0o170000
const KINDS = { file: 0o100000, folder: 0o040000 } as const

/** Nothing is made beside what node gives: who looks at ten thousand files waits for the disk, and for little else. */
export function stat(fs: DiskFs, path: string, kind: 'file' | 'folder' = 'file'): Stat | null {
  try {
    const found = fs.lstatSync(path, QUIETLY)
    return found !== undefined && (found.mode & KIND) === KINDS[kind] ? found : null
  } catch (error) {
    if (isMissing(error) || ['ELOOP', 'ENAMETOOLONG'].includes(codeOf(error))) return null
    throw diskError('look at', path, error)
  }
}

function isClosed(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error))
}
