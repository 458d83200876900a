/**
 * The port WorktreeFiles: looks at, reads and writes files below a folder whose content somebody may swap for links.
 * Invariant 1: `admit` judges the real path while its folder is held open; the file is then reached from that folder.
 * Invariant 2: writing renames a finished temp file into place: a link at the name is replaced, never followed, other
 * names of the same file keep the old bytes, and no reader sees half a file.
 */
import fs from 'node:fs'
import type { Admit, ResolvedPath, WorktreeFiles } from '../../ports/worktree-files-port.ts'
import { codeOf, quietly } from '../disk/fs.ts'
import { readAll } from '../disk/read-disk.ts'
import { tempName } from '../disk/replace-file.ts'
import { writeAll } from '../disk/save.ts'
import {
  closeFolder,
  type Folder,
  nameIn,
  openIn,
  type Refused,
  reasonOf,
  type Walked,
  walk,
} from './walk.ts'

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_WRONLY, O_CREAT, O_EXCL } = fs.constants
/** File systems without second names for a file. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']
const CHANGED: Refused = { kind: 'refused', why: 'changed while it was written; nothing was written' }

type WriteOptions = Parameters<WorktreeFiles['write']>[2]
type Written = ReturnType<WorktreeFiles['write']>

export function openWorktreeFiles(): WorktreeFiles {
  return {
    look: (root, path) => reaching<ResolvedPath>(root, path, ({ kind, real }) => ({ kind, path: real })),
    read: (root, path, options) => reaching(root, path, (at) => read(at, options)),
    write: (root, path, options) => reaching<Written>(root, path, (at) => write(at, options)),
  }
}

/** Walks to a path, does something there, and lets go of all folders. Failures of the system are refusals. */
function reaching<T>(root: string, path: string, act: (at: Walked) => T): T | Refused {
  const at = walk(root, path)
  if (at.kind === 'refused') return at
  try {
    return act(at)
  } catch (error) {
    return { kind: 'refused', why: reasonOf(error) }
  } finally {
    at.close()
  }
}

function read(
  at: Walked,
  options: { readonly maxBytes: number; readonly admit: Admit },
): ReturnType<WorktreeFiles['read']> {
  const why = options.admit(at.real)
  if (why !== null) return { kind: 'refused', why }
  if (at.kind !== 'file' || at.name === null) return { kind: notFile(at.kind), path: at.real }
  const old = openOld(at.folder, at.name)
  try {
    const bytes = bytesOf(old, options.maxBytes)
    return 'kind' in bytes ? bytes : { kind: 'file', path: at.real, bytes }
  } finally {
    quietly(() => fs.closeSync(old.fd))
  }
}

function notFile(kind: Walked['kind']): 'folder' | 'missing' | 'other' {
  return kind === 'file' ? 'other' : kind
}

interface Old {
  readonly fd: number
  readonly stat: fs.BigIntStats
}

function openOld(folder: Folder, name: string): Old {
  const fd = fs.openSync(nameIn(folder, name), O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0))
  return { fd, stat: fs.fstatSync(fd, { bigint: true }) }
}

function bytesOf({ fd, stat }: Old, maxBytes: number): Buffer | Refused {
  if (!stat.isFile()) return { kind: 'refused', why: 'is not a plain file' }
  const size = Number(stat.size)
  const bytes = size > maxBytes ? null : readAll(fs, fd, { size, maxBytes })
  const shown = size > maxBytes ? size : `more than ${maxBytes}`
  return bytes ?? { kind: 'refused', why: `is too large: ${shown} bytes, want at most ${maxBytes}` }
}

function write(at: Walked, options: WriteOptions): Written {
  const why = options.admit(at.real)
  if (why !== null) return { kind: 'refused', why }
  if (at.name === null || at.kind === 'folder') return { kind: 'refused', why: 'is a folder, want a file' }
  if (at.kind === 'other') return { kind: 'refused', why: 'is not a plain file' }
  const name = at.name
  if (at.kind === 'file') return overwrite(at, name, options)
  const bytes = options.change(null)
  if ('refused' in bytes) return { kind: 'refused', why: bytes.refused }
  const folders: Folder[] = []
  try {
    for (const part of at.missing) folders.push(makeFolder(folders.at(-1) ?? at.folder, part))
    return create({ folder: folders.at(-1) ?? at.folder, name, bytes }, at.real)
  } finally {
    for (const folder of folders) closeFolder(folder)
  }
}

function overwrite(at: Walked, name: string, options: WriteOptions): Written {
  const old = openOld(at.folder, name)
  try {
    const before = bytesOf(old, options.maxBytes)
    if ('kind' in before) return before
    const bytes = options.change(before)
    if ('refused' in bytes) return { kind: 'refused', why: bytes.refused }
    const temp = writeTemp({ folder: at.folder, name, bytes }, Number(old.stat.mode) & 0o7777)
    try {
      const now = fs.lstatSync(nameIn(at.folder, name), { bigint: true, throwIfNoEntry: false })
      if (now === undefined || !isSame(now, old.stat)) return CHANGED
      fs.renameSync(temp, nameIn(at.folder, name))
      return { kind: 'written', path: at.real, before: 'file' }
    } finally {
      quietly(() => fs.unlinkSync(temp))
    }
  } finally {
    quietly(() => fs.closeSync(old.fd))
  }
}

function isSame(a: fs.BigIntStats, b: fs.BigIntStats): boolean {
  return (
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  )
}

interface Target {
  readonly folder: Folder
  readonly name: string
  readonly bytes: Buffer
}

/** A name that somebody else took in the meantime stays theirs. */
function create(target: Target, real: string): Written {
  const temp = writeTemp(target, null)
  try {
    fs.linkSync(temp, nameIn(target.folder, target.name))
    return { kind: 'written', path: real, before: 'missing' }
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return CHANGED
    if (!NO_LINKS.includes(codeOf(error))) throw error
    if (fs.lstatSync(nameIn(target.folder, target.name), { throwIfNoEntry: false })) return CHANGED
    fs.renameSync(temp, nameIn(target.folder, target.name))
    return { kind: 'written', path: real, before: 'missing' }
  } finally {
    quietly(() => fs.unlinkSync(temp))
  }
}

/** @param mode of the file that it replaces; null for a new one, whose mode the user's mask decides */
function writeTemp({ folder, name, bytes }: Target, mode: number | null): string {
  const temp = nameIn(folder, tempName(name))
  const fd = fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode === null ? 0o666 : 0o600)
  try {
    writeAll(fs, fd, bytes)
    if (mode !== null) fs.fchmodSync(fd, mode)
    fs.fsyncSync(fd)
    return temp
  } catch (error) {
    quietly(() => fs.unlinkSync(temp))
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

/** Makes the folder, or takes the one that somebody else has just made; a link there is refused by the open. */
function makeFolder(parent: Folder, name: string): Folder {
  try {
    fs.mkdirSync(nameIn(parent, name))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  return openIn(parent, name)
}
