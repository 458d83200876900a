/**
 * Pointers between a repository and its worktrees, which are absolute: put right after the home was moved. Invariant 1:
 * only registrations that have the worktree's own name are changed, and only if the folder is there.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { linkedAt } from '../locate.ts'
import { runGit, runPlainGit } from '../process/run-git.ts'
import { enter } from './register.ts'
import { SPARSE, writeSparse } from './worktree.ts'

export async function repairWorktree(
  repository: Repository,
  place: Place,
  of: { readonly dir: string; readonly branch: string },
): Promise<void> {
  repairPointers(repository, of.dir)
  await restoreEntry(repository, place, of)
}

/** As `git worktree repair`, by the registration alone. */
function repairPointers({ commonDir }: Pick<Repository, 'commonDir'>, dir: string): void {
  const entry = join(commonDir, 'worktrees', basename(dir))
  if (!existsSync(join(entry, 'gitdir')) || !lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const pointer = join(dir, '.git')
  const stat = lstatSync(pointer, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isFile()) return
  const [there, back] = [`${pointer}\n`, `gitdir: ${entry}\n`]
  if (readFileSync(join(entry, 'gitdir'), 'utf8') !== there) writeFileSync(join(entry, 'gitdir'), there)
  if (stat === undefined || readFileSync(pointer, 'utf8') !== back) writeFileSync(pointer, back)
}

/**
 * Makes the registration of a worktree again that is gone from the git dir (`git worktree prune` while a disk was away):
 * the folder holds a session's work. The index is that of the branch, the files stay as they are.
 */
export async function restoreEntry(
  repository: Repository,
  place: Place,
  { dir, branch, from }: { readonly dir: string; readonly branch: string; readonly from?: string },
): Promise<void> {
  const { commonDir, living } = repository
  const entry = join(commonDir, 'worktrees', basename(dir))
  if (existsSync(entry) || !lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile()) return
  if (isOfAnother(commonDir, dir)) return
  if ((await tipOf(repository, branch)) === null) {
    if (from === undefined || (await living.contents(from))?.type !== 'commit') return
    await runPlainGit(repository, ['update-ref', `refs/heads/${branch}`, from, ''], 'any')
  }
  enter(commonDir, entry, {
    dir: join(realpathSync(dirname(dir)), basename(dir)),
    ref: `refs/heads/${branch}`,
  })
  const tree = linkedAt(repository, dir)
  if (tree === null) return
  writeFileSync(join(dir, '.git'), `gitdir: ${entry}\n`)
  if (place.folder !== '') writeSparse(tree.gitDir, place.folder)
  await runGit(tree, [...(place.folder === '' ? [] : SPARSE), 'read-tree', '-m', 'HEAD'])
}

/** True if the folder's `.git` leads to a git dir that is there and is not one of this repository's worktrees. */
function isOfAnother(commonDir: string, dir: string): boolean {
  const named = /^gitdir: (.*?)\s*$/.exec(readFileSync(join(dir, '.git'), 'utf8'))?.[1]
  if (named === undefined) return false
  const gitDir = resolve(dir, named)
  return existsSync(gitDir) && realpathSync(dirname(gitDir)) !== join(realpathSync(commonDir), 'worktrees')
}

/** The home that a registration of Neo names; null if there is none. */
export function registeredHome({ commonDir }: Pick<Repository, 'commonDir'>): string | null {
  const folder = join(commonDir, 'worktrees')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name, 'gitdir')
    const at = existsSync(file)
      ? /^(.*)\/\.neo\/worktrees\/[^/]+\/\.git\n?$/.exec(readFileSync(file, 'utf8'))
      : null
    if (at?.[1] !== undefined) return at[1]
  }
  return null
}
