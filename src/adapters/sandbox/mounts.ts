/**
 * What a confined command sees of the disk, as arguments of bwrap. Invariants: 1. what is not listed isn't there: other
 * homes, other worktrees, sockets in /run, disks; 2. no mount has its source below a folder that a confined command may
 * write, and none is made over a link, so no name that a model makes decides what is shown; 3. a deeper mount comes after
 * its parent; of two at one place the later kind wins: system, private, readable, git's, writable, hidden, the kernel's;
 * 4. a program's own folders are never the user's home, a folder directly in it, or one that covers the Neo home: then
 * only the file is shown.
 */
import { closeSync, lstatSync, openSync, readlinkSync, readSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Confinement } from '../../ports/sandbox-port.ts'
import {
  blank,
  content,
  expanded,
  isBelow,
  isSystem,
  type Kind,
  kernelArguments,
  kindAt,
  kindBelow,
  type Machine,
  type Mount,
  partsOf,
  privately,
  readable,
  sealed,
  systemMounts,
  writable,
} from './mount.ts'
import { repositoryMounts } from './shown-repository.ts'

interface View extends Machine {
  /** Bytes of each folder in memory; null if bwrap is too old to take a size. */
  readonly memoryFolder: number | null
}

interface Mounted {
  readonly args: readonly string[]
  /** Content of files: the first is read from descriptor 9, the next from 8, … */
  readonly data: readonly string[]
}

/** Content of a `.git` that is not shown: git reports that there isn't a repository. */
const NO_REPOSITORY = 'gitdir: /no-repository-here'
const FIRST_DESCRIPTOR = 9
/** /run holds locks and sockets, no data. */
const RUN_SHARE = 8

export function mountArguments(program: string, confinement: Confinement, view: View): Mounted {
  const wide = { ...confinement, ...foldersOf(confinement, view) }
  const mounts = [
    ...systemMounts(view),
    ...['/tmp', '/var/tmp', ...privateHomes(wide, view)].map((path) => privately(path, view.memoryFolder)),
    privately('/run', view.memoryFolder === null ? null : view.memoryFolder / RUN_SHARE),
    ...shownFolders(program, wide, view).map(readable),
    ...wide.read.map(readable),
    ...covered(wide).map((path) => privately(path, view.memoryFolder)),
    ...worktreeMounts(wide, view),
    ...wide.write.map(writable),
    ...wide.write.flatMap((folder) => gitHidden(folder, wide, view)),
    ...(wide.hide ?? []).flatMap((path) => hidden(path, wide, view)),
    { at: '/proc', args: ['--proc', '/proc', ...kernelArguments(view)] },
    { at: '/dev', args: ['--dev', '/dev'] },
    privately('/dev/shm', view.memoryFolder),
  ]
  const outerFirst = mounts.map((mount, index) => ({ ...mount, index, depth: partsOf(mount.at).length }))
  outerFirst.sort((a, b) => a.depth - b.depth || a.index - b.index)
  const { args, data } = numbered(outerFirst)
  const seals = [...new Set(outerFirst.filter((mount) => mount.sealed).map(({ at }) => at))]
  return {
    args: [...args, ...[...seals, '/dev', '/'].flatMap((path) => ['--remount-ro', path])],
    data,
  }
}

function numbered(mounts: readonly Mount[]): Mounted {
  const data: string[] = []
  const args = mounts.flatMap((mount) => {
    if (mount.data === undefined) return mount.args
    data.push(mount.data)
    return ['--ro-bind-data', String(FIRST_DESCRIPTOR + 1 - data.length), mount.at]
  })
  return { args, data }
}

/** As absolute paths, without folders inside a writable one, and without links in the worktree. */
function foldersOf(
  { write, read, worktree, env }: Confinement,
  { home }: Machine,
): Pick<Confinement, 'write' | 'read'> {
  const base = env['NEO_HOME'] ?? '/'
  const inWorktree = (path: string) => worktree !== undefined && isBelow(path, worktree.top)
  const all = [...new Set(write.map((path) => expanded(path, { home, base })))]
  const kept = all.filter((path) =>
    worktree !== undefined && inWorktree(path)
      ? kindBelow(worktree.top, path) === 'folder'
      : !all.some((other) => other !== path && isBelow(path, other)),
  )
  const lent = read.map((path) => expanded(path, { home, base }))
  return { write: kept, read: lent.filter((path) => !kept.some((folder) => isBelow(path, folder))) }
}

/** The Neo home, if an allowed folder covers it: it holds keys, other rooms and sessions. */
function covered({ read, write, env, worktree }: Confinement): readonly string[] {
  const own = env['NEO_HOME']
  if (own === undefined || !isAbsolute(own)) return []
  const folders = [...read, ...write].filter((folder) => folder !== worktree?.top)
  return folders.some((folder) => isBelow(own, folder)) ? [resolve(own)] : []
}

function worktreeMounts({ worktree, write }: Confinement, { memoryFolder }: View): readonly Mount[] {
  if (worktree === undefined) return []
  const git = repositoryMounts(worktree, memoryFolder !== null)
  if (!write.includes(worktree.top)) return [sealed(worktree.top, memoryFolder !== null), ...git]
  if (git.length > 0) return git
  const dotGit = join(worktree.top, '.git')
  const kind = kindAt(dotGit)
  return kind === 'file' ? [content(dotGit, NO_REPOSITORY)] : hiddenAt(dotGit, kind, memoryFolder)
}

/** `.git` of a writable folder beside the worktree: neither shown nor changed. */
function gitHidden(folder: string, { worktree }: Confinement, view: View): readonly Mount[] {
  if (worktree !== undefined && isBelow(folder, worktree.top)) return []
  return hiddenAt(join(folder, '.git'), kindAt(join(folder, '.git')), view.memoryFolder)
}

function hidden(path: string, { write }: Confinement, view: View): readonly Mount[] {
  const top = write.find((folder) => isBelow(path, folder))
  return top === undefined ? [] : hiddenAt(path, kindBelow(top, path), view.memoryFolder)
}

function hiddenAt(path: string, kind: Kind, memoryFolder: number | null): readonly Mount[] {
  if (kind === 'folder') return [sealed(path, memoryFolder !== null)]
  return kind === 'file' ? [blank(path)] : []
}

/** The user's home, HOME and TMPDIR: empty folders that are removed with the command. */
function privateHomes({ env, write }: Confinement, machine: Machine): readonly string[] {
  const wanted = [machine.home, env['HOME'], env['TMPDIR']]
  const folders = wanted.filter((path): path is string => path !== undefined && isAbsolute(path))
  return [...new Set(folders.map((path) => resolve(path)))].filter(
    (path) => path !== '/' && !write.some((folder) => isBelow(path, folder)) && !isSystem(path),
  )
}

/** Folders of PATH outside the system, and where the program itself is installed. */
function shownFolders(program: string, { env, write }: Confinement, machine: Machine): readonly string[] {
  const path = env['PATH'] ?? ''
  const folders = path.split(':').filter((folder) => isAbsolute(folder) && isFolder(folder))
  const own = folders
    .map((folder) => resolve(folder))
    .filter((folder) => !isSystem(folder) && !isBelow(machine.home, folder))
  const neo = env['NEO_HOME']
  const never = neo === undefined ? [] : [neo]
  return [
    ...own.flatMap((folder) => [folder, ...(basename(folder) === 'bin' ? beside(folder, machine.home) : [])]),
    ...programFolders(program, { path, home: machine.home, never, write }),
  ].filter((folder) => !write.some((one) => isBelow(folder, one)))
}

/** Programs of Node, Python and others are links from `bin` into `lib`. */
function beside(bin: string, home: string): readonly string[] {
  if (isBelow(home, dirname(bin))) return []
  return ['lib', 'libexec'].map((name) => join(dirname(bin), name)).filter(isFolder)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

interface Around {
  readonly path: string
  /** Home folder of the user. */
  readonly home: string
  /** Never shown, nor folders that cover them. */
  readonly never: readonly string[]
  /** Writable for the confined command: no link in them is followed. */
  readonly write: readonly string[]
}

const MOST_LINKS = 10
/** A wrapper may name a wrapper. */
const MOST_INTERPRETERS = 4

function programFolders(program: string, around: Around): readonly string[] {
  const found = new Set<string>()
  let next: string | null = findOnPath(program, around.path)
  for (let turn = 0; next !== null && turn < MOST_INTERPRETERS; turn++) {
    const real = hops(next, around, found)
    next = real === null ? null : interpreterOf(real, around.path)
  }
  return [...found]
}

/** Null if it is neither absolute nor on PATH: it would be searched where a session writes. */
function findOnPath(program: string, path: string): string | null {
  if (program.includes('/')) return isAbsolute(program) ? resolve(program) : null
  const folders = path.split(':').filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find((file) => isFile(file)) ?? null
}

/** Follows the program's links one by one, and adds the folders of each. */
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

/** Invariant 4. */
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
