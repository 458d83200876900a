/**
 * Worktrees of sessions: made, used again for the next task, removed. A workspace that is a folder is checked out sparse,
 * so that a session sees only it, and 10,000 other files cost nothing. Invariants: 1. the worktree is registered under the
 * shared git dir; from then on that identifies it, not its `.git`; 2. one is used again only if nothing uncommitted would
 * be overwritten; ignored files stay; 3. only a worktree that is registered with this repository is removed, never a
 * foreign repository (12-cases, C9, C14); 4. only if all that git does not ignore is committed; 5. git looks into no
 * folder of it.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NeoError } from '../../../domain/home/error.ts'
import type { Place } from '../../../domain/session/session.ts'
import type { Git } from '../../../ports/git-port.ts'
import type { WorktreeRequest } from '../../../ports/worktree-port.ts'
import { treeOf } from '../commit/index-file.ts'
import { filteredIn, mayFilter } from '../filters/filtered.ts'
import { commitOf, headBranch, type Repository, rootOf, tipOf } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { gitText, runGit, runPlainGit } from '../process/run-git.ts'
import { type Author, shadowOf, withoutPrograms } from '../process/shadow.ts'
import { firstLine } from '../process/spawn.ts'
import { holdsModelWork } from '../work/branch-work.ts'
import { changesIn } from '../work/changes.ts'
import { isChanged } from '../work/take-in.ts'
import { registerWorktree, SPARSE, writeSparse } from './register.ts'
import { forget, goneOf, leftWith, removeRest, removeUntouched, treeLeft } from './untouched.ts'

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
async function settleIndex(tree: WorkTree, commit: string): Promise<void> {
  const shadow = await shadowOf(tree)
  if (shadow.filters.size === shadow.allowed.size || !(await mayFilter(tree, shadow, commit))) return
  await sleep(CLOCK_MS)
  const now = new Date()
  utimesSync(join(tree.gitDir, 'index'), now, now)
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
  const head = (await tipOf(repository, branch)) ?? (await gitText(tree, ['rev-parse', 'HEAD']))
  // As git does it: the lock file becomes HEAD in one step, and anyone who holds the lock goes first.
  const lock = join(tree.gitDir, 'HEAD.lock')
  writeFileSync(lock, `${head}\n`, { flag: 'wx' })
  renameSync(lock, join(tree.gitDir, 'HEAD'))
}

export async function reuseWorktree(
  repository: Repository,
  { place, dir, branch, from }: WorktreeRequest,
): ReturnType<Git['reuseWorktree']> {
  const tree = linkedAt(repository, dir)
  if (tree === null) return { wrong: `${dir} is no worktree of ${repository.top}` }
  if (headBranch(tree.gitDir) !== branch) {
    if (!(await isClean(repository, tree))) return { wrong: `${dir} holds changes that are not committed` }
    const sparse = place.folder === '' ? [] : SPARSE
    const start = from === branch ? null : ((await tipOf(repository, from)) ?? from)
    const target = start === null ? [branch] : ['--no-track', '-b', branch, start]
    const isModels = from === branch && (await holdsModelWork(repository, place, branch))
    const pairs = isModels ? withoutPrograms(await shadowOf(tree)) : []
    const done = await runGit(tree, [...sparse, 'checkout', '-q', ...target, '--'], { ok: 'any', pairs })
    if (done.code !== 0) return { wrong: firstLine(done.err) }
    if (!isModels) await settleIndex(tree, 'HEAD')
  }
  return { head: (await tipOf(repository, branch)) ?? '' }
}

export async function removeWorktree(
  repository: Repository,
  place: Place,
  dir: string,
): ReturnType<Git['removeWorktree']> {
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  if (stat === undefined) {
    removeRest(dir)
    await runPlainGit(repository, ['worktree', 'prune'])
    return { kind: 'removed' }
  }
  const tree = stat.isDirectory() ? linkedAt(repository, dir) : null
  if (tree === null) return { kind: 'kept', why: `${dir} is not one of Neo's worktrees` }
  if (await removeUntouched(repository, tree)) return { kind: 'removed' }
  await completeHalfMade(place, tree)
  const why = await whyKept(repository, tree)
  if (why !== null) return { kind: 'kept', why }
  takeAway(repository, tree)
  return { kind: 'removed' }
}

/** Why a worktree with a submodule is kept; branch.ts looks into it. */
export const WITH_SUBMODULE = 'it holds a submodule'

/** Under another name first: then nobody finds it any more. */
export function takeAway(repository: Repository, tree: WorkTree): void {
  const gone = goneOf(tree.top)
  rmSync(gone, { recursive: true, force: true })
  renameSync(tree.top, gone)
  rmSync(gone, { recursive: true, force: true })
  forget(repository, tree)
}

async function whyKept(repository: Repository, tree: WorkTree): Promise<string | null> {
  if (existsSync(join(tree.gitDir, 'locked'))) return 'it is locked'
  const modules = join(tree.gitDir, 'modules')
  if (existsSync(modules) && readdirSync(modules).length > 0) return WITH_SUBMODULE
  return (await isClean(repository, tree)) ? null : 'it holds changes that are not committed'
}

/** True if HEAD, index and files are the same, and nothing else is there but what git ignores. */
async function isClean(repository: Repository, tree: WorkTree): Promise<boolean> {
  const changes = await changesIn(tree, '')
  const head = await commitOf(tree, 'HEAD')
  if (await isChanged(repository, tree, { changes, author: await authorIn(repository, tree, head) }))
    return false
  const file = join(tree.gitDir, 'index')
  if (head === null || !existsSync(file)) return false
  const staged = treeOf(readFileSync(file)) ?? treeLeft(tree) ?? (await gitText(tree, ['write-tree']))
  return staged === (await rootOf(repository, head))
}

/** The user's if the session of the worktree says so in its own commit; else a model's. */
async function authorIn({ living }: Repository, { top }: WorkTree, head: string | null): Promise<Author> {
  const text = head === null ? '' : ((await living.contents(head))?.bytes.toString('utf8') ?? '')
  const says = (key: string, value: string) => text.split('\n').includes(`${key}: ${value}`)
  return says('Neo-Session', basename(top)) && says('Neo-Work', 'person') ? 'person' : 'model'
}

/** The git child of a killed daemon ends by itself; after this its lock is nobody's. */
const ORPHAN_MS = 5_000

/**
 * A worktree without an index was cut off before its first checkout ended: only git has written in it. It is checked
 * out whole, so that it is clean and can be removed like any other. A worktree that has an index is left as it is.
 */
async function completeHalfMade(place: Place, tree: WorkTree): Promise<void> {
  const { gitDir } = tree
  if (existsSync(join(gitDir, 'index'))) return
  const lock = join(gitDir, 'index.lock')
  for (const end = Date.now() + ORPHAN_MS; existsSync(lock) && Date.now() < end; ) await sleep(20)
  if (existsSync(join(gitDir, 'index'))) return
  rmSync(lock, { force: true })
  const locked = join(gitDir, 'locked')
  if (existsSync(locked) && readFileSync(locked, 'utf8').trim() === 'initializing') rmSync(locked)
  if (place.folder !== '') writeSparse(gitDir, place.folder)
  const sparse = place.folder === '' ? [] : SPARSE
  await runGit(tree, [...sparse, 'read-tree', '--reset', '-u', 'HEAD'])
}
