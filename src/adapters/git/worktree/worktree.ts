/**
 * Worktrees of sessions: made, and let go. A workspace that is a folder is checked out sparse, so that a session sees
 * only it, and 10,000 other files cost nothing. Invariant 1: the worktree is registered under the shared git dir; from
 * then on it is known by that, not by its `.git`.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NeoError } from '../../../domain/home/error.ts'
import type { Git } from '../../../ports/git-port.ts'
import type { WorktreeRequest } from '../../../ports/worktree-port.ts'
import { filteredIn, mayFilter } from '../filters/filtered.ts'
import { headBranch, type Repository, rootOf, tipOf } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { gitText, runGit, runPlainGit } from '../process/run-git.ts'
import { type Author, shadowOf, withoutPrograms } from '../process/shadow.ts'
import { firstLine } from '../process/spawn.ts'
import { holdsModelWork } from '../work/model-work.ts'
import { registerWorktree } from './register.ts'
import { leftWith } from './untouched.ts'

/** Sparse settings as flags: the user's repository configuration is not changed. */
export const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'] as const

export async function addWorktree(
  repository: Repository,
  { place, dir, branch, from }: WorktreeRequest,
): ReturnType<Git['addWorktree']> {
  mkdirSync(dirname(dir), { recursive: true })
  const commit = from === branch ? null : await commitAt(repository, from)
  const made = commit === null ? 'nothing' : await registerWorktree(repository, { dir, branch, commit })
  if (made !== 'made')
    await addByGit(repository, { dir, branch, from: made === 'branch' ? branch : (commit ?? from) })
  const tree = linkedAt(repository, dir)
  if (tree === null) throw refused(repository, `${dir} is not registered`)
  const author = from === branch && (await holdsModelWork(repository, place, branch)) ? 'model' : 'person'
  await checkOut(tree, { folder: place.folder, author })
  mkdirSync(join(dir, place.folder), { recursive: true })
  const head = (made === 'made' ? commit : await tipOf(repository, branch)) ?? ''
  if (author === 'person') await settleIndex(tree, head)
  leftWith(tree, { tree: head === '' ? null : await rootOf(repository, head), folder: place.folder })
  const stored = head === '' ? [] : await filteredIn(tree, { commit: head, folder: place.folder, author })
  const asStored = stored.map(({ path, filter }) => `${path} (filter "${filter}")`)
  return { head, ...(asStored.length === 0 ? {} : { asStored }) }
}

/** The commit that a branch or a full id names. */
async function commitAt(repository: Repository, from: string): Promise<string | null> {
  const tip = await tipOf(repository, from)
  if (tip !== null) return tip
  return (await repository.living.contents(from))?.type === 'commit' ? from : null
}

/** Only refs and the registration: no file is checked out here. */
async function addByGit(
  repository: Repository,
  { dir, branch, from }: Pick<WorktreeRequest, 'dir' | 'branch' | 'from'>,
): Promise<void> {
  const target = from === branch ? [dir, branch] : ['--no-track', '-b', branch, dir, from]
  const add = ['worktree', 'add', '-q', '--no-checkout', ...target]
  const first = await runPlainGit(repository, add, 'any')
  if (first.code === 0) return
  if (!/already registered|already used|already checked out|missing but/i.test(first.err))
    throw refused(repository, first.err)
  await runPlainGit(repository, ['worktree', 'prune'])
  const second = await runPlainGit(repository, add, 'any')
  if (second.code !== 0) throw refused(repository, second.err)
}

function refused({ top }: WorkTree, err: string): NeoError {
  return new NeoError(
    'git',
    `Cannot make a worktree of ${top}: ${firstLine(err.replace(/^Preparing .*\n/, ''))}`,
  )
}

async function checkOut(
  tree: WorkTree,
  { folder, author }: { readonly folder: string; readonly author: Author },
): Promise<void> {
  if (folder !== '') writeSparse(tree.gitDir, folder)
  const shadow = await shadowOf(tree)
  const pairs = author === 'model' ? withoutPrograms(shadow) : []
  await runGit(tree, [...(folder === '' ? [] : SPARSE), 'read-tree', '-m', '-u', 'HEAD'], { pairs })
}

/** Longer than the clock of any file system takes for one step. */
const CLOCK_MS = 20

/**
 * Makes the index younger than the files of the checkout. Else git's rule for files of the same moment is to read them
 * again, and a file that went through a filter could not be reported from a changed one without running the filter.
 */
export async function settleIndex(tree: WorkTree, commit: string): Promise<void> {
  const shadow = await shadowOf(tree)
  if (shadow.filters.size === shadow.allowed.size || !(await mayFilter(tree, shadow, commit))) return
  await sleep(CLOCK_MS)
  const now = new Date()
  utimesSync(join(tree.gitDir, 'index'), now, now)
}

export function writeSparse(gitDir: string, folder: string): void {
  const info = join(gitDir, 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'sparse-checkout'), `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/\n`)
}

export function keptRef(branch: string): string {
  return `refs/neo/kept/${branch}`
}

/** Takes a worktree off its branch, at the same commit. A second time changes nothing. */
export async function detachWorktree(repository: Repository, dir: string): Promise<void> {
  const tree = linkedAt(repository, dir)
  if (tree === null) return
  const branch = headBranch(tree.gitDir)
  if (branch === null) return
  const head = looseCommit(tree, branch) ?? (await gitText(tree, ['rev-parse', 'HEAD']))
  // As git does it: the lock file becomes HEAD in one step, and anyone who holds the lock goes first.
  const lock = join(tree.gitDir, 'HEAD.lock')
  writeFileSync(lock, `${head}\n`, { flag: 'wx' })
  renameSync(lock, join(tree.gitDir, 'HEAD'))
}

/** The commit of a branch, where its ref is a plain file; else git is asked. */
function looseCommit({ commonDir }: WorkTree, branch: string): string | null {
  const file = join(commonDir, 'refs', 'heads', branch)
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null
  return /^([0-9a-f]{40,64})\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? null
}
