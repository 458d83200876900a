/**
 * What a confined command sees of the disk, as arguments of bwrap.
 * Takes a Confinement and the user's home; gives mounts, the outer ones first.
 * Leaves namespaces and environment to bubblewrap.ts; the repository behind a worktree to git-dirs.ts.
 * Invariant 1: what is not named here is not there: other homes, other worktrees, sockets in /run, disks.
 * Invariant 2: a deeper mount comes after the one it lies in, so that none covers or uncovers another by chance; of two
 * at one place the later kind wins: system, private, readable, writable, protected.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Confinement } from '../../ports-agent.ts'
import { gitDirsOf } from './git-dirs.ts'

export interface Machine {
  /** The home of the user who runs this. */
  readonly home: string
  readonly root: 'yes' | 'no'
}

const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc', 'opt', 'nix', 'gnu']
/** Under /etc, for root alone to read. */
const ROOT_FILES = ['shadow', 'shadow-', 'gshadow', 'gshadow-', 'sudoers']
const ROOT_FOLDERS = ['ssl/private', 'ssh', 'sudoers.d', 'NetworkManager/system-connections', 'wireguard']
const KERNEL_KEPT = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'mtrr']
const KERNEL_HIDDEN = ['kcore', 'keys', 'timer_list', 'latency_stats', 'sched_debug']
/** At the top of a worktree of a home, beside git's own. */
const HOME_OWN = ['neo.yaml', 'rooms', 'templates', '.neo']

interface Mount {
  readonly at: string
  readonly args: readonly string[]
}

export function mountArguments(confinement: Confinement, machine: Machine): readonly string[] {
  const repositories = confinement.write.map(gitDirsOf)
  const mounts = [
    ...system(machine),
    ...['/tmp', '/var/tmp', '/run'].map(privately),
    ...privateHomes(confinement, machine).map(privately),
    ...pathFolders(confinement, machine).map(readable),
    ...confinement.read.map(readable),
    ...repositories.flatMap((one) => one.show).map(readable),
    ...repositories.flatMap((one) => one.hide).map(privately),
    ...confinement.write.map(writable),
    ...confinement.write.flatMap(protectedIn).map(readable),
    ...(confinement.protect ?? []).filter((path) => existsSync(path)).map(readable),
  ]
  const outerFirst = mounts.map((mount, index) => ({ ...mount, index, depth: partsOf(mount.at).length }))
  outerFirst.sort((a, b) => a.depth - b.depth || a.index - b.index)
  const args = outerFirst.flatMap((mount) => mount.args)
  return [...args, '--proc', '/proc', ...kernel(machine), '--dev', '/dev']
}

/**
 * The kernel's settings belong to uid 0, also to one without any capability, so a confined root gets them read-only;
 * bwrap itself leaves them out where their folder looks read-only, as it does in a namespace of users.
 */
function kernel(machine: Machine): readonly string[] {
  if (machine.root === 'no') return []
  const [kept, hidden] = [KERNEL_KEPT, KERNEL_HIDDEN].map((names) =>
    names.map((name) => `/proc/${name}`).filter((path) => existsSync(path)),
  )
  return [
    ...(kept ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...(hidden ?? []).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ]
}

function system(machine: Machine): readonly Mount[] {
  const folders = SYSTEM.map((name) => `/${name}`).filter((path) => existsSync(path))
  const mounts = folders.map((path) =>
    lstatSync(path).isSymbolicLink()
      ? { at: path, args: ['--symlink', readlinkSync(path), path] }
      : readable(path),
  )
  return [...mounts, ...nameService(), ...(machine.root === 'yes' ? rootsOwn() : [])]
}

/** How names are resolved: often a link to /run, of which nothing else is shown. */
function nameService(): readonly Mount[] {
  try {
    const real = realpathSync('/etc/resolv.conf')
    return real.startsWith('/etc/') ? [] : [readable(real)]
  } catch {
    return []
  }
}

/** What is kept from everybody but root is kept from a confined root too. */
function rootsOwn(): readonly Mount[] {
  const there = (name: string) => existsSync(`/etc/${name}`)
  return [
    ...ROOT_FILES.filter(there).map((name) => ({
      at: `/etc/${name}`,
      args: ['--ro-bind', '/dev/null', `/etc/${name}`],
    })),
    ...ROOT_FOLDERS.filter(there).map((name) => privately(`/etc/${name}`)),
  ]
}

/** The user's home, what HOME says, and TMPDIR: empty folders that are gone with the command. */
function privateHomes({ env, write }: Confinement, machine: Machine): readonly string[] {
  const wanted = [machine.home, env['HOME'], env['TMPDIR']]
  const folders = wanted.filter((path): path is string => path !== undefined && isAbsolute(path))
  return [...new Set(folders.map((path) => resolve(path)))].filter(
    (path) => path !== '/' && !write.some((folder) => isBelow(path, folder)) && !isSystem(path),
  )
}

/** Folders of PATH that lie in the home or elsewhere outside the system, each with the library folders beside it. */
function pathFolders({ env, write }: Confinement, machine: Machine): readonly string[] {
  const folders = (env['PATH'] ?? '').split(':').filter((path) => isAbsolute(path) && isFolder(path))
  const own = folders
    .map((path) => resolve(path))
    .filter((path) => !isSystem(path) && !covers(path, machine.home))
  return own
    .flatMap((path) => [path, ...(basename(path) === 'bin' ? beside(path, machine.home) : [])])
    .filter((path) => !write.some((folder) => isBelow(path, folder)))
}

/** Programs of node, python and the like are links from `bin` into `lib`. */
function beside(bin: string, home: string): readonly string[] {
  if (covers(dirname(bin), home)) return []
  return ['lib', 'libexec'].map((name) => join(dirname(bin), name)).filter(isFolder)
}

/** What stays as it is in a folder that may be written. */
function protectedIn(folder: string): readonly string[] {
  const own = existsSync(join(folder, 'neo.yaml')) ? HOME_OWN : []
  return ['.git', ...own].map((name) => join(folder, name)).filter((path) => existsSync(path))
}

function readable(path: string): Mount {
  return { at: path, args: ['--ro-bind-try', path, path] }
}

function writable(path: string): Mount {
  return { at: path, args: ['--bind', path, path] }
}

function privately(path: string): Mount {
  return { at: path, args: ['--tmpfs', path] }
}

function isSystem(path: string): boolean {
  return SYSTEM.includes(partsOf(path)[0] ?? '')
}

/** True where `path` is `folder` or lies in it. */
function isBelow(path: string, folder: string): boolean {
  const parts = partsOf(path)
  return partsOf(folder).every((part, at) => parts[at] === part)
}

function covers(folder: string, home: string): boolean {
  return isBelow(home, folder)
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
