/**
 * The repository behind a folder that a confined command may write: what git has to read to say status, diff and log.
 * Takes the folder; gives folders to show read-only, and folders in them to hide.
 * Leaves mounting to mounts.ts.
 * Invariant 1: a `.git` file is believed only where the folder that it names points back to it, as git's worktrees do;
 * so nobody makes a folder visible by writing its name into a file.
 * Invariant 2: Neo's own records under the git dir (other sessions, audit, memory) are hidden.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

export interface GitDirs {
  readonly show: readonly string[]
  readonly hide: readonly string[]
}

const NONE: GitDirs = { show: [], hide: [] }

export function gitDirsOf(folder: string): GitDirs {
  try {
    const dotGit = join(folder, '.git')
    const stat = lstatSync(dotGit, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) return around(dotGit, [])
    if (stat?.isFile() !== true) return NONE
    const named = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(dotGit, 'utf8'))?.[1]
    if (named === undefined) return NONE
    const gitDir = realpathSync(resolve(folder, named))
    if (!pointsBack(gitDir, dotGit)) return NONE
    const common = realpathSync(resolve(gitDir, lineOf(join(gitDir, 'commondir'))))
    if (!isRepository(common)) return NONE
    return around(common, [common, ...(gitDir.startsWith(`${common}/`) ? [] : [gitDir])])
  } catch {
    return NONE
  }
}

function around(common: string, show: readonly string[]): GitDirs {
  const own = join(common, 'neo')
  return { show: [...show, ...alternatesOf(common)], hide: existsSync(own) ? [own] : [] }
}

function pointsBack(gitDir: string, dotGit: string): boolean {
  const back = lineOf(join(gitDir, 'gitdir'))
  return realpathSync(isAbsolute(back) ? back : resolve(gitDir, back)) === realpathSync(dotGit)
}

function isRepository(dir: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(dir, name)))
}

/** Objects that the repository borrows from others. */
function alternatesOf(common: string): readonly string[] {
  const list = join(common, 'objects', 'info', 'alternates')
  if (!existsSync(list)) return []
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(join(common, 'objects'), line))
    .filter((path) => path.endsWith('/objects') && existsSync(path))
}

function lineOf(path: string): string {
  return readFileSync(path, 'utf8').trim()
}
