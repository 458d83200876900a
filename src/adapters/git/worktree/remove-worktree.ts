/**
 * Takes a session's worktree away, where nothing in it would be lost. Invariants: 1. only a worktree that is registered
 * with this repository, never a repository of somebody else (12-cases, C9, C14); 2. only if all that git does not
 * ignore is committed; 3. git looks into no folder of it.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../../../domain/session/session.ts'
import type { Git } from '../../../ports/git-port.ts'
import { treeOf } from '../commit/index-file.ts'
import { commitOf, type Repository, rootOf } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { gitText, runGit, runPlainGit } from '../process/run-git.ts'
import type { Author } from '../process/shadow.ts'
import { changesIn } from '../work/changes.ts'
import { isChanged } from '../work/take-in.ts'
import { forget, goneOf, removeRest, removeUntouched, treeLeft } from './untouched.ts'
import { SPARSE, writeSparse } from './worktree.ts'

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

/** Why a worktree with a submodule is kept; keep.ts looks into it. */
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
export async function isClean(repository: Repository, tree: WorkTree): Promise<boolean> {
  const changes = await changesIn(tree, '')
  const head = await commitOf(tree, 'HEAD')
  if (await isChanged(repository, tree, { changes, author: await authorIn(repository, tree, head) }))
    return false
  const file = join(tree.gitDir, 'index')
  if (head === null || !existsSync(file)) return false
  const staged = treeOf(readFileSync(file)) ?? treeLeft(tree) ?? (await gitText(tree, ['write-tree']))
  return staged === (await rootOf(repository, head))
}

/** The user's where the session that has the worktree says so in its own commit; else a model's. */
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
