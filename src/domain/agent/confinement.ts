/**
 * Which paths an agent's tools may touch. Invariant 1: paths are compared part by part, so that `/ws` is no prefix of
 * `/ws-evil`. Invariant 2: names are compared as file systems that fold case, drop dots or know short names would take
 * them.
 */
import { matchesGlob } from '../text/glob.ts'

export type Mode = 'read' | 'write'

export interface Bounds {
  /** Folder of the worktree that is the workspace; `''` for all of it. */
  readonly folder: string
  readonly home: 'yes' | 'no'
  /** Globs relative to the workspace; empty: everything in it. */
  readonly write: readonly string[]
}

/** Bytes of a path that Linux takes. */
const LONGEST = 4096
/** What HFS+ leaves out of names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
/**
 * What a home's worktree holds of rules and people, relative to its top: neither read nor written by a session, whose
 * workspace is elsewhere in it.
 */
export const HOME_OWN: readonly string[] = [
  ...['.neo', 'neo.yaml', 'rooms', 'templates'],
  ...['members', 'agents', 'scopes', 'memory'].map((name) => `workspace/${name}`),
]

/**
 * The path from the worktree's top to follow, `..` and all, for a path as somebody wrote it. Absolute paths must begin
 * with the worktree's own.
 */
export function startOf(
  path: string,
  from: { readonly root: string; readonly cwd: string },
): { readonly path: string } | { readonly refused: string } {
  if (path.includes('\0')) return { refused: 'contains a NUL character' }
  if (path.length > LONGEST) return { refused: `is longer than ${LONGEST} characters` }
  if (path.startsWith('~/') || path === '~') return { refused: 'starts with "~"; use a path in the worktree' }
  if (!path.startsWith('/')) {
    const folder = below(from.root, from.cwd)
    return folder === null ? { refused: OUTSIDE } : { path: folder === '' ? path : `${folder}/${path}` }
  }
  const relative = below(from.root, path)
  return relative === null ? { refused: OUTSIDE } : { path: relative }
}

export const OUTSIDE = "lies outside the session's worktree"

/** `path` relative to `root`, compared part by part; null if it does not begin with it. `..` stays. */
export function below(root: string, path: string): string | null {
  const [top, parts] = [partsOf(root), partsOf(path)]
  if (top.some((part, at) => parts[at] !== part)) return null
  return parts.slice(top.length).join('/')
}

/** Why a real path may not be touched; completes `"x" …`. Null if it may. */
export function refusalOf(real: string, mode: Mode, bounds: Bounds): string | null {
  const parts = real.split(/[/\\]/).map(plainName)
  if (parts.some((part) => part === '.git' || /^git~\d+$/.test(part))) return "is part of git's own files"
  if (parts.some((part) => part === '.neo' || /^neo~\d+$/.test(part))) return "is Neo's own"
  const inside = bounds.folder === '' ? real : below(bounds.folder, real)
  if (inside === null) return `is outside of the workspace "${bounds.folder}"`
  if (bounds.home === 'yes' && isHomeOwn(parts, mode === 'read' ? bounds.folder : '')) {
    return "belongs to the home; workers can't access its rooms, members and settings"
  }
  if (mode === 'read') return null
  if (parts[0] === 'neo.yaml') return "contains settings of the home; workers can't write it"
  if (bounds.write.length === 0 || bounds.write.some((glob) => matchesGlob(glob, inside))) return null
  return `is not writable in this room; writable paths are ${bounds.write.join(', ')}`
}

/** @param folder the workspace, which may be read wherever a person has put it */
function isHomeOwn(parts: readonly string[], folder: string): boolean {
  const path = parts.join('/')
  return HOME_OWN.some((own) => below(own, path) !== null && below(own, folder) === null)
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

/** A name as the most forgiving file system takes it. */
function plainName(name: string): string {
  const visible = name.replace(IGNORED, '').toLowerCase()
  const stream = visible.indexOf(':')
  return (stream < 0 ? visible : visible.slice(0, stream)).replace(/[. ]+$/, '')
}
