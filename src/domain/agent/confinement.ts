/**
 * Which paths an agent's tools may touch, and globs over paths. Invariant 1: paths are compared part by part, so that
 * `/ws` is not a prefix of `/ws-evil`. Invariant 2: names are compared as file systems do that fold case, drop dots
 * or have short names. Invariant 3: matching a glob takes at most parts × length² steps. Not picomatch 4: it compiles
 * to a regular expression that backtracks (`*a` twelve times hangs), and paths come from models.
 */

import { folded } from '../home/held-paths.ts'

export type Mode = 'read' | 'write'

export interface Bounds {
  /** Folder of the worktree that is the workspace; `''` for all of it. */
  readonly folder: string
  readonly home: 'yes' | 'no'
  /** Globs relative to the workspace; empty: everything in it. */
  readonly write: readonly string[]
}

/** Limit of a path in Linux, in bytes. */
const LONGEST = 4096
/**
 * Rules and people in the worktree of a home. A session whose workspace is elsewhere neither reads nor writes them.
 */
export const HOME_OWN: readonly string[] = [
  ...['.neo', 'neo.yaml', 'rooms', 'templates'],
  ...['members', 'agents', 'scopes', 'memory'].map((name) => `workspace/${name}`),
]

/**
 * A path as written, relative to the top of the worktree, with `..` kept. Absolute paths must be inside the worktree.
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

/** Why a real path is refused, as the end of a sentence `"x" …`; null if it isn't. */
export function refusalOf(real: string, mode: Mode, bounds: Bounds): string | null {
  const parts = folded(real.replaceAll('\\', '/')).toLowerCase().split('/')
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

/** @param folder the workspace, which may be read even inside one of these */
function isHomeOwn(parts: readonly string[], folder: string): boolean {
  const path = parts.join('/')
  return HOME_OWN.some((own) => below(own, path) !== null && below(own, folder) === null)
}

export function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

/** Limit of alternatives in one glob; others are ignored. */
const MOST_ALTERNATIVES = 64

/**
 * `*` and `?` stop at `/`, `**` is any number of folders, `{a,b}` is either; a glob that matches a folder matches
 * everything in it.
 */
export function matchesGlob(glob: string, path: string): boolean {
  const parts = partsOf(path)
  return alternatives(glob).some((one) => matchesParts(partsOf(one), parts))
}

/** True if the glob matches the path or one of its folders. */
function matchesParts(glob: readonly string[], path: readonly string[]): boolean {
  if (glob.length === 0) return false
  let reached = new Set([0])
  for (const part of path) {
    const open = acrossFolders(glob, reached)
    if (open.has(glob.length)) return true
    reached = new Set([...open].flatMap((at) => after(glob, at, part)))
    if (reached.size === 0) return false
  }
  return acrossFolders(glob, reached).has(glob.length)
}

/** Positions in the glob at which the next part may continue, with `**` as no folder. */
function acrossFolders(glob: readonly string[], reached: ReadonlySet<number>): Set<number> {
  const open = new Set(reached)
  for (const at of open) if (glob[at] === '**' && at + 1 < glob.length) open.add(at + 1)
  return open
}

function after(glob: readonly string[], at: number, part: string): readonly number[] {
  const pattern = glob[at]
  if (pattern === undefined) return []
  if (pattern === '**') return at + 1 === glob.length ? [at, at + 1] : [at]
  return matchesPart(pattern, part) ? [at + 1] : []
}

/** `*` and `?` within one part; backtracks to the last star only. */
function matchesPart(pattern: string, text: string): boolean {
  let [at, star, mark] = [0, -1, 0]
  for (let index = 0; index < text.length; ) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at
      mark = index
      at += 1
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[index])) {
      at += 1
      index += 1
    } else if (star >= 0) {
      mark += 1
      at = star + 1
      index = mark
    } else {
      return false
    }
  }
  return [...pattern.slice(at)].every((letter) => letter === '*')
}

function alternatives(glob: string): readonly string[] {
  const done: string[] = []
  const left = [glob]
  for (let one = left.pop(); one !== undefined && done.length < MOST_ALTERNATIVES; one = left.pop()) {
    const [whole, list] = /\{([^{}]*)\}/.exec(one) ?? []
    if (whole === undefined || list === undefined) done.push(one)
    else
      for (const word of list.split(',').slice(0, MOST_ALTERNATIVES))
        left.push(one.replace(whole, () => word))
  }
  return done
}

/** PATH without relative folders: a command could run in a folder into which a model wrote programs. */
export function absoluteFolders(path: string): string {
  return path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .join(':')
}
