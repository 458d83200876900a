/**
 * Files: the port to the disk, put together from reading, saving, appending and scanning. Invariant 1: JSON of Neo
 * (`writeJson`) and appended files are mode 600, in folders of mode 700. Invariant 2: `removeTree` removes nothing but
 * folders inside a folder named `neo` or `.neo`, and no repository.
 */

import type { Dirent } from 'node:fs'
import nodeFs, { type MakeDirectoryOptions } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { jsonIn } from '../../domain/text/is-map.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Files, ScanEntry, Stat, Wanted } from '../../ports/files-port.ts'
import { append } from './append.ts'
import { codeOf, type DiskFs, diskError, isMissing } from './fs.ts'
import { type Later, openLater } from './later.ts'
import { read, readPart } from './read-disk.ts'
import { isTemp, sweep } from './replace-file.ts'
import { remove, save } from './save.ts'

function scan(fs: DiskFs, root: string, wanted: Wanted): readonly ScanEntry[] {
  const found: ScanEntry[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = list(fs, root, folder)
    if (listed === 'closed') {
      found.push(other(folder))
      continue
    }
    for (const entry of listed) {
      if (isTemp(entry.name)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (isFolder(fs, root, { entry, path })) {
        const walked = wanted(path, 'folder', false)
        if (walked !== false) folders.push(path)
        if (walked === 'named') found.push(other(path))
      } else if (wanted(path, 'file', entry.isSymbolicLink())) {
        const seen = look(fs, root, path)
        if (seen !== null) found.push(seen)
      }
    }
  }
  return found
}

/** Neither a file nor a link, or nothing that can be looked at. */
function other(path: string): ScanEntry {
  return { path, kind: 'other', size: 0, mtimeMs: 0, ino: 0 }
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
    if (stat === undefined) return path.includes('\uFFFD') ? other(path) : null
    const { size, mtimeMs, ino, ctimeMs } = stat
    const is = stat.mode & KIND
    const kind = is === KINDS.file ? 'file' : is === KINDS.link ? 'link' : 'other'
    return { path, kind, size, mtimeMs, ino, ctimeMs }
  } catch (error) {
    if (isMissing(error)) return null
    if (isClosed(error)) return other(path)
    throw diskError('look at', join(root, path), error)
  }
}

const QUIETLY = { throwIfNoEntry: false } as const
/** The bits of a mode that say what it is. */
const KIND = 0o170000
const KINDS = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const

/** Nothing is made beside what node gives: who looks at ten thousand files waits for the disk, and for little else. */
function stat(fs: DiskFs, path: string, kind: 'file' | 'folder' = 'file'): Stat | null {
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

/** Records, outcomes and the lock are kilobytes; what is larger is not ours. */
const JSON_BYTES = 64 * 1024 * 1024

/** What the user's mask leaves of it. */
const FOR_ALL = { mode: 0o666, folderMode: 0o777 }
const FOR_OWNER = { mode: 0o600, folderMode: 0o700 }

export interface DiskFiles extends Files {
  /** Removes temp files that a crash left below `root`, in folders that `enter` lets in. Gives how many. */
  sweep(root: string, enter?: (folder: string) => boolean): number
}

/** `within`: a folder that is never made, only folders in it: a home that was moved leaves no skeleton at its old path. */
export function openFiles(options: { readonly fs?: DiskFs; readonly within?: string } = {}): DiskFiles {
  const fs = withRoot(options.fs ?? nodeFs, options.within)
  const later = openLater(fs)
  const when = (sync: 'now' | 'later' = 'now') => (sync === 'later' ? later : undefined)
  return {
    read: (path, maxBytes, kind) => read(fs, path, { maxBytes, kind }),
    readPart: (path, offset, bytes) => readPart(fs, path, { offset, bytes }),
    save: (path, bytes, expect) => save(fs, path, { bytes, expect, ...FOR_ALL }),
    saveLater: (path, bytes, expect) => save(fs, path, { bytes, expect, ...FOR_ALL, later }),
    savePrivate: (path, bytes, expect) => save(fs, path, { bytes, expect, ...FOR_OWNER }),
    remove: (path, expect) => remove(fs, path, expect),
    append: (path, line, sync) => {
      append(fs, path, { line, later: when(sync) })
      if (sync !== 'later') later.done(path)
    },
    scan: (root, wanted) => scan(fs, root, wanted),
    readJson: (path) => readJson(fs, path),
    writeJson: (path, value, sync) => writeJson(fs, path, { value, later: when(sync) }),
    sync: (below) => later.sync(below),
    names: (dir) => names(fs, dir),
    stat: (path, kind) => stat(fs, path, kind),
    removeTree: (dir) => removeTree(fs, dir),
    sweep: (root, enter = everywhere) => sweep(fs, root, enter),
  }
}

function withRoot(fs: DiskFs, root: string | undefined): DiskFs {
  if (root === undefined) return fs
  const mkdirSync = ((dir: string, options: MakeDirectoryOptions & { recursive: true }) => {
    const isBelow = dir === root || dir.startsWith(root + sep)
    // Throws ENOENT if the root is gone.
    if (isBelow) fs.lstatSync(root)
    return fs.mkdirSync(dir, options)
  }) as DiskFs['mkdirSync']
  return { ...fs, mkdirSync }
}

function everywhere(folder: string): boolean {
  return !folder.split('/').some((part) => part === '.git' || part === 'node_modules')
}

/** Null where missing or no JSON. Throws if it is there and cannot be read: that is not the same as missing. */
function readJson(fs: DiskFs, path: string): unknown {
  const found = read(fs, path, { maxBytes: JSON_BYTES })
  if (found.kind === 'missing') return null
  if (found.kind === 'refused') throw new NeoError('disk', `Cannot read "${path}": it ${found.why}`)
  return jsonIn(found.bytes.toString('utf8'))
}

function writeJson(
  fs: DiskFs,
  path: string,
  { value, later }: { readonly value: unknown; readonly later: Later | undefined },
): void {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  const result = save(fs, path, { bytes, expect: { any: true }, ...FOR_OWNER, later })
  if (result.kind === 'changed') {
    throw new NeoError('disk', `Cannot save "${path}": it is not a regular file`)
  }
}

function names(fs: DiskFs, dir: string): readonly string[] {
  try {
    return fs.readdirSync(dir).filter((name) => !isTemp(name))
  } catch (error) {
    if (isMissing(error)) return []
    throw diskError('list', dir, error)
  }
}

function removeTree(fs: DiskFs, dir: string): void {
  const path = resolve(dir)
  const above = path.split(sep).slice(0, -1)
  if (!above.includes('neo') && !above.includes('.neo')) {
    throw new NeoError('internal', `Cannot remove "${path}": it is not inside one of Neo's folders`)
  }
  const isFolder = fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder && fs.lstatSync(`${path}/.git`, { throwIfNoEntry: false }) !== undefined) {
    throw new NeoError(
      'internal',
      `Cannot remove "${path}": it is a repository or a worktree, which git removes`,
    )
  }
  try {
    fs.rmSync(path, { recursive: true, force: true })
  } catch (error) {
    throw diskError('remove', path, error)
  }
}
