/**
 * The system as a confined command sees it: programs and settings, read-only, without what is root's alone.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { blank, type Mount, partsOf, privately, readable } from './mount.ts'

export interface Machine {
  /** The home of the user who runs this. */
  readonly home: string
  readonly root: boolean
}

const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc', 'opt', 'nix', 'gnu']
/** Under /etc, for root alone to read. */
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
    ...ROOT_FILES.filter(there).map((name) => blank(`/etc/${name}`)),
    ...ROOT_FOLDERS.filter(there).map((name) => privately(`/etc/${name}`, null)),
  ]
}

/**
 * The kernel's settings belong to uid 0, also to one without any capability, so a confined root gets them read-only;
 * bwrap itself leaves them out where their folder looks read-only, as it does in a namespace of users.
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
