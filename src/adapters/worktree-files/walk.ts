/**
 * Follows a path below a folder, links included, from an open folder to an open folder. Invariants: 1. no step leads above
 * the top; a link that does, even for a part of its way, is refused; 2. what is returned open stays open until `close`,
 * so that what was checked is what is used; 3. on Linux a name is looked up in the folder that is open, whatever its path
 * is by now; 4. a name's own link is never followed by the system.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { partsOf } from '../../domain/agent/confinement.ts'
import { codeOf } from '../disk/fs.ts'

export interface Walked {
  readonly kind: 'file' | 'folder' | 'missing' | 'other'
  /** Folder that holds `name`; if more is missing, the last one that exists. */
  readonly folder: Folder
  /** The last part; null for the top itself. */
  readonly name: string | null
  /** Folders between `folder` and `name` that are missing. */
  readonly missing: readonly string[]
  /** Relative to the top, without links. */
  readonly real: string
  close(): void
}

export interface Refused {
  readonly kind: 'refused'
  readonly why: string
}

/** As many as Linux follows. */
const MOST_LINKS = 40
const OUT = 'leads out of the worktree'

interface Step {
  readonly name: string
  readonly folder: Folder
}

export function walk(root: string, path: string): Walked | Refused {
  const steps: Step[] = []
  try {
    const top = openTop(root)
    const held: Step[] = [{ name: '', folder: top }]
    steps.push(...held)
    const end = follow({ root, steps, ahead: partsOf(path), links: 0 })
    if (end.kind === 'refused') {
      closeAll(steps)
      return end
    }
    return { ...end, close: () => closeAll(steps) }
  } catch (error) {
    closeAll(steps)
    return { kind: 'refused', why: reasonOf(error) }
  }
}

/** Why the system refused; without its path, which may be outside. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ELOOP':
    case 'ENOTDIR':
      return 'changed while it was read, or has a file in place of a folder'
    case 'ENOENT':
      return 'changed while it was looked at'
    case 'EACCES':
    case 'EPERM':
      return 'may not be touched by you'
    case 'ENAMETOOLONG':
      return 'has a name that is too long'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'does not fit: the disk is full'
    case 'EISDIR':
      return 'is a folder, want a file'
    default:
      return `cannot be used (${codeOf(error) || 'unknown'})`
  }
}

interface State {
  readonly root: string
  readonly steps: Step[]
  ahead: readonly string[]
  links: number
}

type End = Omit<Walked, 'close'> | Refused

function follow(state: State): End {
  for (;;) {
    const [part, ...rest] = state.ahead
    if (part === undefined) return atFolder(state.steps)
    state.ahead = rest
    if (part === '..') {
      const left = state.steps.length > 1 ? state.steps.pop() : undefined
      if (left === undefined) return { kind: 'refused', why: OUT }
      closeFolder(left.folder)
      continue
    }
    const folder = lastOf(state.steps)
    const stat = fs.lstatSync(nameIn(folder, part), { throwIfNoEntry: false })
    if (stat === undefined) return missing(state, part)
    if (stat.isSymbolicLink()) {
      const refused = takeLink(state, folder, part)
      if (refused !== null) return refused
    } else if (stat.isDirectory()) {
      state.steps.push({ name: part, folder: openIn(folder, part) })
    } else {
      return atLeaf(state, part, stat.isFile() ? 'file' : 'other')
    }
  }
}

function atFolder(steps: readonly Step[]): End {
  const last = steps.at(-1)
  const above = steps.at(-2)
  const real = realOf(steps)
  if (last === undefined) return { kind: 'refused', why: OUT }
  if (above === undefined) return { kind: 'folder', folder: last.folder, name: null, missing: [], real }
  return { kind: 'folder', folder: above.folder, name: last.name, missing: [], real }
}

function atLeaf(state: State, name: string, kind: 'file' | 'other'): End {
  if (state.ahead.length > 0) return { kind: 'refused', why: 'has a file in place of a folder' }
  const folder = lastOf(state.steps)
  return { kind, folder, name, missing: [], real: joined(realOf(state.steps), name) }
}

/** `..` after a missing folder is refused: nothing is created to make it work. */
function missing(state: State, part: string): End {
  if (state.ahead.includes('..'))
    return { kind: 'refused', why: 'goes back (..) from a folder that is not there' }
  const parts = [part, ...state.ahead]
  const name = parts.at(-1) ?? part
  const real = joined(realOf(state.steps), parts.join('/'))
  return { kind: 'missing', folder: lastOf(state.steps), name, missing: parts.slice(0, -1), real }
}

/** Puts the link's target in front of what is left. */
function takeLink(state: State, folder: Folder, part: string): Refused | null {
  state.links += 1
  if (state.links > MOST_LINKS) return { kind: 'refused', why: 'is a loop of links' }
  const target = fs.readlinkSync(nameIn(folder, part))
  if (!target.startsWith('/')) {
    state.ahead = [...partsOf(target), ...state.ahead]
    return null
  }
  const [top, parts] = [partsOf(state.root), partsOf(target)]
  if (top.some((one, at) => parts[at] !== one)) return { kind: 'refused', why: OUT }
  for (const step of state.steps.splice(1)) closeFolder(step.folder)
  state.ahead = [...parts.slice(top.length), ...state.ahead]
  return null
}

function lastOf(steps: readonly Step[]): Folder {
  const last = steps.at(-1)
  if (last === undefined) throw new Error('the top is not open')
  return last.folder
}

function realOf(steps: readonly Step[]): string {
  return steps
    .slice(1)
    .map((step) => step.name)
    .join('/')
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

function closeAll(steps: readonly Step[]): void {
  for (const step of steps) closeFolder(step.folder)
}

/** Open folders as paths. */
const HANDLES = '/proc/self/fd'
const hasHandles = process.platform === 'linux' && fs.existsSync(HANDLES)
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants

export interface Folder {
  readonly fd: number
  /** When it was opened; for systems without handles. */
  readonly path: string
}

export function openTop(path: string): Folder {
  return { fd: fs.openSync(path, O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0)), path }
}

/** Opens a folder in a folder. Throws ELOOP or ENOTDIR for a link. */
export function openIn(folder: Folder, name: string): Folder {
  const fd = fs.openSync(nameIn(folder, name), O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0))
  return { fd, path: join(folder.path, name) }
}

/** The path for calls of node:fs. `name` is one part, never `..`. */
export function nameIn(folder: Folder, name: string): string {
  if (name.includes('/') || name === '..' || name === '.' || name === '') {
    throw new Error(`"${name}" is no name in a folder`)
  }
  return hasHandles ? `${HANDLES}/${folder.fd}/${name}` : join(folder.path, name)
}

export function closeFolder(folder: Folder): void {
  try {
    fs.closeSync(folder.fd)
  } catch {
    // Nothing depends on it.
  }
}
