/** What a path of the home is. Invariant 1: paths that are not listed here are never read, written or committed. */

import { folded, heldAs } from './held-paths.ts'

export type FileKind =
  | 'config'
  | 'room'
  | 'task'
  | 'ask'
  | 'inbox'
  | 'memory'
  | 'schedule'
  | 'session'
  | 'member'
  | 'agent'
  | 'scope'
  | 'skill'
  | 'template'

export interface Known {
  readonly kind: FileKind
  /** Folder name of the room; '' outside rooms. */
  readonly room: string
  /** A task's path under `tasks/` without `.md`, else the file name without `.md`. */
  readonly name: string
}

const IN_ROOM: ReadonlyMap<string, FileKind> = new Map([
  ['tasks', 'task'],
  ['asks', 'ask'],
  ['inbox', 'inbox'],
  ['memories', 'memory'],
  ['schedules', 'schedule'],
  ['sessions', 'session'],
])
const IN_WORKSPACE: ReadonlyMap<string, FileKind> = new Map([
  ['members', 'member'],
  ['agents', 'agent'],
])
/** Names that sync tools give to the losing copy; such copies are listed but never run. */
const CONFLICT_COPY = /(\.sync-conflict-|\(conflicted copy|\(.*'s conflicted copy|_conflict-\d|\.orig\.md$)/i

const INSTRUCTIONS = /^(?:readme|agents|claude(?:\.local)?|gemini|qwen|copilot-instructions)\.md$/i

/** Files in `tasks/` for readers and coding agents, in any case; never run as tasks. */
export function isForReaders(name: string): boolean {
  return INSTRUCTIONS.test(name)
}

/** Says what a file of the home is; null for any other file. */
export function kindOf(path: string): Known | null {
  if (path === 'neo.yaml') return { kind: 'config', room: '', name: 'neo' }
  if (!path.endsWith('.md') || isIgnoredName(path)) return null
  const parts = path.slice(0, -3).split('/')
  if (parts[0] === 'rooms') return inRoom(parts)
  if (parts[0] === 'workspace') return inWorkspace(parts)
  const [top, folder, name, deeper] = parts
  if (top !== 'templates' || folder !== 'tasks' || name === undefined || deeper !== undefined) return null
  return { kind: 'template', room: '', name }
}

/** True for a copy that a sync tool made of a file that two machines changed. */
export function isConflictCopy(path: string): boolean {
  return CONFLICT_COPY.test(path)
}

/** Files about people, rights and rules: only a person merges a session's change to them. */
export function isGuarded(path: string): boolean {
  const plain = folded(path)
  return GUARDED.some((one) => one.test(plain)) || heldAs(plain) !== null
}

/** In any case: some disks treat `Rooms` as `rooms`. A file in place of a folder can be a link. */
const GUARDED: readonly RegExp[] = [
  /^(?:neo\.yaml|workspace|rooms|templates|\.gitignore)$/i,
  /^(?:rooms|templates|\.neo)(?:\/|$)/i,
  /^workspace\/(?:[^/]+$|(?:members|agents|scopes|skills|commands|memory)\/)/i,
]

/**
 * True for a link that leads out of its repository, or to files of git or Neo or secrets in it. `..` after a name
 * counts as out, because the name may be a link itself.
 */
export function leadsOut({ path, target }: { readonly path: string; readonly target: string }): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const up = parts.findIndex((part) => part !== '..')
  const rises = up < 0 ? parts.length : up
  if (target.startsWith('/') || target === '' || target.includes('\0')) return true
  if (rises >= path.split('/').length) return true
  const names = parts.slice(rises)
  return names.includes('..') || names.some((part) => /^(?:\.git|\.neo|\.env.*)$/i.test(part))
}

/** Whether a walk enters a folder; `named` if a file of Neo could have its name, so that it is reported. */
export function walkedAs(path: string): boolean | 'named' {
  if (path !== '' && !isWantedFolder(path)) return false
  return kindOf(path) === null ? true : 'named'
}

/** True for folders that can contain files of Neo; for walks and watchers. */
export function isWantedFolder(path: string): boolean {
  const parts = path.split('/')
  if (parts.some((part) => part.startsWith('.'))) return false
  const [top, ...below] = parts
  if (top === 'rooms') return wantedInRooms(below)
  if (top === 'workspace') return wantedInWorkspace(below)
  return top === 'templates' && (below.length === 0 || below.join('/') === 'tasks')
}

function wantedInRooms([, folder, ...below]: readonly string[]): boolean {
  if (folder === undefined || folder === 'tasks') return true
  return folder !== 'sessions' && IN_ROOM.has(folder) && below.length === 0
}

function wantedInWorkspace([folder, ...below]: readonly string[]): boolean {
  if (folder === undefined) return true
  if (IN_WORKSPACE.has(folder)) return below.length === 0
  return (folder === 'skills' || folder === 'scopes') && below.length <= 1
}

function inRoom(parts: readonly string[]): Known | null {
  const [, room, folder] = parts
  if (room === undefined || folder === undefined) return null
  if (parts.length === 3) return folder === 'ROOM' ? { kind: 'room', room, name: room } : null
  const kind = IN_ROOM.get(folder)
  if (kind === undefined) return null
  if (kind !== 'task' && parts.length !== 4) return null
  return { kind, room, name: parts.slice(3).join('/') }
}

function inWorkspace(parts: readonly string[]): Known | null {
  const [, folder, name, file, deeper] = parts
  if (folder === undefined || name === undefined || deeper !== undefined) return null
  const kind = IN_WORKSPACE.get(folder)
  if (kind !== undefined) return file === undefined ? { kind, room: '', name } : null
  if (folder === 'skills' && file === 'SKILL') return { kind: 'skill', room: '', name }
  if (folder === 'scopes' && file === 'SCOPE') return { kind: 'scope', room: '', name }
  return null
}

function isIgnoredName(path: string): boolean {
  if (/^[._]/.test(path) || path.includes('/.') || path.includes('/_')) return true
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!isForReaders(name)) return false
  return /^readme\.md$/i.test(name) || /^rooms\/[^/]+\/tasks\//.test(path)
}
