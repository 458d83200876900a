/**
 * The folders that a program needs to start: where it is installed, links followed, and the interpreter that its first
 * line names. Invariant 1: never the user's home, a folder directly in it, or one that covers the home of Neo: then the
 * file alone.
 */
import { closeSync, lstatSync, openSync, readlinkSync, readSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isBelow, kindAt, partsOf } from './mount.ts'
import { isSystem } from './system-mounts.ts'

export interface Around {
  readonly path: string
  /** Of the user. */
  readonly home: string
  /** Folders that are shown in no case: a folder that covers one of them is not shown. */
  readonly never: readonly string[]
  /** Folders that a confined command writes: no link in them is followed. */
  readonly write: readonly string[]
}

const MOST_LINKS = 10
/** A wrapper that names a wrapper. */
const MOST_INTERPRETERS = 4

export function programFolders(program: string, around: Around): readonly string[] {
  const found = new Set<string>()
  let next: string | null = findOnPath(program, around.path)
  for (let turn = 0; next !== null && turn < MOST_INTERPRETERS; turn++) {
    const real = hops(next, around, found)
    next = real === null ? null : interpreterOf(real, around.path)
  }
  return [...found]
}

/** Null for what is neither absolute nor on PATH: it would be looked up where a session writes. */
function findOnPath(program: string, path: string): string | null {
  if (program.includes('/')) return isAbsolute(program) ? resolve(program) : null
  const folders = path.split(':').filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find((file) => isFile(file)) ?? null
}

/** Follows the program's links one by one and notes where each leads. */
function hops(program: string, around: Around, found: Set<string>): string | null {
  let at = program
  for (let links = 0; links < MOST_LINKS; links++) {
    if (around.write.some((folder) => isBelow(at, folder))) return null
    for (const folder of installed(at, around)) found.add(folder)
    if (kindAt(at) !== 'link') return isFile(at) ? at : null
    at = resolve(dirname(at), readlinkSync(at))
  }
  return null
}

/** What belongs to a program at this path. */
function installed(file: string, around: Around): readonly string[] {
  if (isSystem(file)) return []
  const folder = dirname(file)
  const above = dirname(folder)
  if (basename(folder) === 'bin') {
    if (kindAt(join(above, 'pyvenv.cfg')) === 'file' && isOwn(above, around)) return [above]
    const beside = ['lib', 'libexec'].map((name) => join(above, name))
    return [folder, ...beside].filter((one) => kindAt(one) === 'folder' && isOwn(one, around))
  }
  const wanted = packageOf(file, around) ?? folder
  return [isOwn(wanted, around) ? wanted : file]
}

/** The nearest folder above with a package.json: a program of Node needs what is beside it. */
function packageOf(file: string, around: Around): string | null {
  for (let folder = dirname(file); isOwn(folder, around); folder = dirname(folder)) {
    if (kindAt(join(folder, 'package.json')) === 'file') return folder
  }
  return null
}

/** A folder of a program's own: not the user's home, nothing directly in it, nothing that covers what is never shown. */
function isOwn(folder: string, { home, never }: Around): boolean {
  if (partsOf(folder).length < 2 || isBelow(home, folder)) return false
  if (isBelow(folder, home) && partsOf(folder).length < partsOf(home).length + 2) return false
  return !never.some((one) => isBelow(one, folder))
}

/** The program in the first line of a script; for `env NAME`, NAME. */
function interpreterOf(file: string, path: string): string | null {
  const line = /^#! *(\S+)(?: +(?:-S +)?(\S+))?/.exec(firstLine(file))
  if (line === null) return null
  const [, program = '', argument = ''] = line
  return findOnPath(basename(program) === 'env' && argument !== '' ? argument : program, path)
}

function firstLine(file: string): string {
  try {
    const fd = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(256)
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, 256, 0)).split('\n')[0] ?? ''
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() || statSync(path).isFile()
  } catch {
    return false
  }
}
