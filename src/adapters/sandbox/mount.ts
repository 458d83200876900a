/**
 * One entry of the sandbox's disk, as arguments of bwrap; and what is at a path, for anyone who decides on entries.
 * Invariant 1: no question here follows a link in the last part of a path; `kindBelow` follows none below its top.
 */
import { lstatSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

export interface Mount {
  readonly at: string
  readonly args: readonly string[]
  /** The content of a read-only file at `at`; nothing on the disk is its source. */
  readonly data?: string
  /** Read-only once everything below it is mounted. */
  readonly sealed?: true
}

/** Bytes of an empty folder that only holds other mounts. */
const SCAFFOLD_BYTES = 1024 * 1024

export function readable(path: string): Mount {
  return { at: path, args: ['--ro-bind-try', path, path] }
}

export function writable(path: string): Mount {
  return { at: path, args: ['--bind-try', path, path] }
}

/** An empty folder in memory that is gone with the command. */
export function privately(path: string, bytes: number | null): Mount {
  const size = bytes === null ? [] : ['--size', String(Math.floor(bytes))]
  return { at: path, args: [...size, '--tmpfs', path] }
}

/** An empty folder that stays empty, but for what is mounted below it. */
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

/** What is at a path; a link in the last part is not followed. */
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

/** What is at `path`, which is in `top`; `link` where any part below `top` is one. */
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

/** True where `path` is `folder` or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  const parts = partsOf(path)
  return partsOf(folder).every((part, at) => parts[at] === part)
}

export function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}

/** A path as a person writes it in neo.yaml: `~/x`, or relative to the home of Neo. */
export function expanded(path: string, of: { readonly home: string; readonly base: string }): string {
  if (path === '~' || path.startsWith('~/')) return resolve(of.home, path.slice(2))
  return isAbsolute(path) ? resolve(path) : resolve(of.base, path)
}
