/**
 * What a confined command sees of the disk, as arguments of bwrap. Invariant 1: what is not named here is not there:
 * other homes, other worktrees, sockets in /run, disks. Invariant 2: no mount has its source below a folder that a
 * confined command may write, and none is made over a link; so no name that a model makes decides what is shown.
 * Invariant 3: a deeper mount comes after the one it is in, so that none covers or uncovers another by chance; of two
 * at one place the later kind wins: system, private, readable, git's, writable, hidden, the kernel's.
 */
import { statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Confinement } from '../../ports/sandbox-port.ts'
import {
  blank,
  content,
  expanded,
  isBelow,
  type Kind,
  kindAt,
  kindBelow,
  type Mount,
  partsOf,
  privately,
  readable,
  sealed,
  writable,
} from './mount.ts'
import { programFolders } from './program-folders.ts'
import { repositoryMounts } from './shown-repository.ts'
import { isSystem, kernelArguments, type Machine, systemMounts } from './system-mounts.ts'

export interface View extends Machine {
  /** Bytes of each folder in memory; null where bwrap is too old to take a size. */
  readonly memoryFolder: number | null
}

export interface Mounted {
  readonly args: readonly string[]
  /** Content of files, the first to be read from descriptor 9, the next from 8, … */
  readonly data: readonly string[]
}

/** Names a `.git` that is not shown: git says that there isn't a repository. */
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

/** Folders as absolute paths. What is in a writable folder is seen there; a link in the worktree isn't a folder of Neo. */
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

/** The home of Neo, where a folder that a person allows covers it: keys, other rooms and sessions are in it. */
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

/** Git's own in a writable folder beside the worktree: neither shown nor changed. */
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

/** The user's home, what HOME says, and TMPDIR: empty folders that are gone with the command. */
function privateHomes({ env, write }: Confinement, machine: Machine): readonly string[] {
  const wanted = [machine.home, env['HOME'], env['TMPDIR']]
  const folders = wanted.filter((path): path is string => path !== undefined && isAbsolute(path))
  return [...new Set(folders.map((path) => resolve(path)))].filter(
    (path) => path !== '/' && !write.some((folder) => isBelow(path, folder)) && !isSystem(path),
  )
}

/** Folders of PATH that lie in the home or elsewhere outside the system, and where the program itself is installed. */
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

/** Programs of node, python and the like are links from `bin` into `lib`. */
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
