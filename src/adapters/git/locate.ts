/**
 * Finds git dirs from files, without git and so without its discovery. Invariants: 1. a session's worktree is found by
 * the registration in the shared git dir; nothing that is in the worktree itself is read, since a model can write
 * there; 2. a bare repository is never found; 3. git dirs whose index, objects or refs are links are refused: git would
 * write outside of them.
 */

import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from '../disk/fs.ts'
import { ALWAYS, gitEnvironment, placeIn, settings, spawnGitSync } from './process/spawn.ts'

/** One work tree and the git dirs behind it; all absolute. */
export interface WorkTree {
  /** Top level, real path. */
  readonly top: string
  /** Of this work tree. */
  readonly gitDir: string
  /** Shared by all work trees. */
  readonly commonDir: string
  /** The git dir under which Neo keeps the configuration that its git uses (shadow.ts). */
  readonly owner: string
}

/** The work tree that holds this folder of the user; null for none. Never for a session's worktree. */
export function locate(path: string): WorkTree | null {
  let at = realOf(path)
  while (at !== null) {
    const gitDir = gitDirIn(at)
    if (gitDir !== null) {
      const commonDir = commonOf(gitDir)
      return { top: at, gitDir, commonDir, owner: gitDir }
    }
    at = dirname(at) === at ? null : dirname(at)
  }
  return null
}

/** The work tree whose top this folder is. */
export function locateTop(path: string): WorkTree | null {
  const found = locate(path)
  return found !== null && found.top === realOf(path) ? found : null
}

function gitDirIn(top: string): string | null {
  const path = join(top, '.git')
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  const named = stat.isFile() ? lineOf(path).replace(/^gitdir: /, '') : '.git'
  const gitDir = realOf(resolve(top, named))
  return gitDir !== null && isGitDir(gitDir) ? gitDir : null
}

function isGitDir(gitDir: string): boolean {
  const common = commonOf(gitDir)
  return exists(join(gitDir, 'HEAD')) && exists(join(common, 'objects')) && exists(join(common, 'refs'))
}

function commonOf(gitDir: string): string {
  const file = join(gitDir, 'commondir')
  return exists(file) ? (realOf(resolve(gitDir, lineOf(file))) ?? gitDir) : gitDir
}

/** A session's worktree at this folder, by its registration; null if there isn't one. */
export function linkedAt(repository: WorkTree, dir: string): WorkTree | null {
  const { commonDir, owner } = repository
  const parent = realOf(dirname(dir))
  if (parent === null) return null
  const top = join(parent, basename(dir))
  const folder = join(commonDir, 'worktrees')
  if (!isFolder(folder)) return null
  const likely = basename(dir)
  for (const name of [likely, ...readdirSync(folder).filter((other) => other !== likely)]) {
    const gitDir = join(folder, name)
    if (isFolder(gitDir) && registeredTop(gitDir) === top) return { top, gitDir, commonDir, owner }
  }
  return null
}

/** The folder that a registration names, its parents resolved; null if it names none. */
export function registeredTop(gitDir: string): string | null {
  const file = join(gitDir, 'gitdir')
  if (!isFile(file)) return null
  const named = dirname(resolve(gitDir, lineOf(file)))
  const parent = realOf(dirname(named))
  return parent === null ? null : join(parent, basename(named))
}

/** Every work tree of the repository whose folder is there, the main one first. */
export function allWorkTrees(repository: WorkTree): readonly WorkTree[] {
  const { commonDir, owner } = repository
  const folder = join(commonDir, 'worktrees')
  const linked = (isFolder(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const gitDir = join(folder, name)
    const top = isFolder(gitDir) && exists(join(gitDir, 'HEAD')) ? registeredTop(gitDir) : null
    return top === null || !isFolder(top) ? [] : [{ top, gitDir, commonDir, owner }]
  })
  return [...mainOf(repository), ...linked]
}

function mainOf({ top, gitDir, commonDir, owner }: WorkTree): readonly WorkTree[] {
  if (gitDir === commonDir) return [{ top, gitDir, commonDir, owner }]
  const main = basename(commonDir) === '.git' ? locateTop(dirname(commonDir)) : null
  return main === null || main.gitDir !== commonDir ? [] : [{ ...main, owner }]
}

/** What is a link in git dirs where git would write through it; null for nothing. */
export function linkInside({ gitDir, commonDir }: Pick<WorkTree, 'gitDir' | 'commonDir'>): string | null {
  const names = [
    ...['index', 'logs', 'neo'].map((name) => join(gitDir, name)),
    ...['objects', 'refs', 'worktrees'].map((name) => join(commonDir, name)),
  ]
  return names.find((path) => statAt(path)?.isSymbolicLink()) ?? null
}

/** Where `.git` in a session's worktree has to point; what a model has put there instead is of no account to us. */
export function pointerOf({ gitDir }: WorkTree): string {
  return `gitdir: ${gitDir}\n`
}

function lineOf(path: string): string {
  return readFileSync(path, 'utf8').split('\n')[0]?.trim() ?? ''
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Of a path itself, not of a link's target; undefined if nothing exists, also below a file. */
export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isFolder(path: string): boolean {
  return statAt(path)?.isDirectory() === true
}

function isFile(path: string): boolean {
  return statAt(path)?.isFile() === true
}

function exists(path: string): boolean {
  return statAt(path) !== undefined
}

const TIMEOUT_MS = 30_000
/** Of `rev-parse --verify --quiet`: HEAD has no commit yet. */
const UNBORN = 1

/**
 * Whether HEAD of a folder's own repository has a path, for commands that open no home. True if git can't tell: callers
 * leave tracked files unread.
 */
export function isTracked(dir: string, path: string): boolean {
  const tree = locateTop(dir)
  if (tree === null) return false
  const env = gitEnvironment({ ...settings(ALWAYS), ...placeIn(tree), GIT_NO_LAZY_FETCH: '1' })
  const run = (...args: string[]) => spawnGitSync(tree.top, args, { env, timeoutMs: TIMEOUT_MS })
  const listed = run('ls-tree', '--name-only', 'HEAD', '--', path)
  if (listed.code === 0) return listed.out.length > 0
  return run('rev-parse', '--verify', '--quiet', 'HEAD').code !== UNBORN
}
