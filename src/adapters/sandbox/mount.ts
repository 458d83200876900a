/**
 * One entry of the sandbox's disk, as arguments of bwrap; the entries of the system (programs and settings, read-only,
 * without root's own); and what is at a path. Invariant 1: no function here follows a link in the last part of a path;
 * `kindBelow` follows none below its top.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

export interface Mount {
  readonly at: string
  readonly args: readonly string[]
  /** The content of a read-only file at `at`; nothing on the disk is its source. */
  readonly data?: string
  /** Read-only once everything below it is mounted. */
  readonly sealed?: true
}

/** For an empty folder that only holds other mounts. */
const SCAFFOLD_BYTES = 1024 * 1024

export function readable(path: string): Mount {
  return { at: path, args: ['--ro-bind-try', path, path] }
}

export function writable(path: string): Mount {
  return { at: path, args: ['--bind-try', path, path] }
}

/** An empty folder in memory, removed with the command. */
export function privately(path: string, bytes: number | null): Mount {
  const size = bytes === null ? [] : ['--size', String(Math.floor(bytes))]
  return { at: path, args: [...size, '--tmpfs', path] }
}

/** An empty read-only folder, except for what is mounted below it. */
export function sealed(path: string, sized: boolean): Mount {
  return { ...privately(path, sized ? SCAFFOLD_BYTES : null), sealed: true }
}

/** A file that can't be read or changed. */
export function blank(path: string): Mount {
  return { at: path, args: ['--ro-bind', '/dev/null', path] }
}

/** A read-only file with this content. */
export function content(path: string, data: string): Mount {
  return { at: path, args: [], data }
}

export type Kind = 'file' | 'folder' | 'link' | 'other' | 'missing'

export function kindAt(path: string): Kind {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return 'missing'
    if (stat.isSymbolicLink()) return 'link'
    if (stat.isDirectory()) return 'folder'
    return stat.isFile() ? 'file' : 'other'
  } catch {
    return 'missing'
  }
}

/** What is at `path`, which is in `top`; `link` if any part below `top` is one. */
export function kindBelow(top: string, path: string): Kind {
  const parts = partsOf(path).slice(partsOf(top).length)
  let at = top
  let kind: Kind = kindAt(top)
  for (const part of parts) {
    if (kind !== 'folder') return kind === 'link' ? 'link' : 'missing'
    at = join(at, part)
    kind = kindAt(at)
  }
  return kind
}

/** True if `path` is `folder` or in it. */
export function isBelow(path: string, folder: string): boolean {
  const parts = partsOf(path)
  return partsOf(folder).every((part, at) => parts[at] === part)
}

export function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}

/** A path as in neo.yaml: `~/x`, or relative to the Neo home. */
export function expanded(path: string, of: { readonly home: string; readonly base: string }): string {
  if (path === '~' || path.startsWith('~/')) return resolve(of.home, path.slice(2))
  return isAbsolute(path) ? resolve(path) : resolve(of.base, path)
}

export interface Machine {
  /** Home folder of the user who runs this. */
  readonly home: string
  readonly root: boolean
}

const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc', 'opt', 'nix', 'gnu']
/** Under /etc, readable only by root. */
const ROOT_FILES = ['shadow', 'shadow-', 'gshadow', 'gshadow-', 'sudoers']
const ROOT_FOLDERS = ['ssl/private', 'ssh', 'sudoers.d', 'NetworkManager/system-connections', 'wireguard']
const KERNEL_KEPT = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'mtrr']
const KERNEL_HIDDEN = ['kcore', 'keys', 'timer_list', 'latency_stats', 'sched_debug']

export function isSystem(path: string): boolean {
  return SYSTEM.includes(partsOf(path)[0] ?? '')
}

export function systemMounts(machine: Machine): readonly Mount[] {
  const folders = SYSTEM.map((name) => `/${name}`).filter((path) => existsSync(path))
  const mounts = folders.map((path) =>
    lstatSync(path).isSymbolicLink()
      ? { at: path, args: ['--symlink', readlinkSync(path), path] }
      : readable(path),
  )
  return [...mounts, ...nameService(), ...(machine.root ? rootsOwn() : [])]
}

/** Name resolution: often a link to /run, which isn't shown. */
function nameService(): readonly Mount[] {
  try {
    const real = realpathSync('/etc/resolv.conf')
    return real.startsWith('/etc/') ? [] : [readable(real)]
  } catch {
    return []
  }
}

/** A confined root can't read what only root may read. */
function rootsOwn(): readonly Mount[] {
  const there = (name: string) => existsSync(`/etc/${name}`)
  return [
    ...ROOT_FILES.filter(there).map((name) => blank(`/etc/${name}`)),
    ...ROOT_FOLDERS.filter(there).map((name) => privately(`/etc/${name}`, null)),
  ]
}

/**
 * The kernel's settings belong to uid 0, also without any capability, so a confined root gets them read-only. (bwrap
 * itself skips them if their folder looks read-only, as in a user namespace.)
 */
export function kernelArguments(machine: Machine): readonly string[] {
  if (!machine.root) return []
  const [kept, hidden] = [KERNEL_KEPT, KERNEL_HIDDEN].map((names) =>
    names.map((name) => `/proc/${name}`).filter((path) => existsSync(path)),
  )
  return [
    ...(kept ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...(hidden ?? []).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ]
}
