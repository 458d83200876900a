/**
 * Commits that are kept when a worktree or a branch of Neo goes: under `refs/neo/attempts/<session>`. Invariants: 1. a
 * worktree goes only after its HEAD is in a branch, a tag or a ref of Neo; 2. a ref of Neo goes only by `dropAttempt`,
 * which the settings of retention decide.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { runGit, runPlainGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { deleteBranch, isNear } from './branch.ts'
import { removeWorktree, takeAway, WITH_SUBMODULE } from './remove-worktree.ts'

function attemptRef(session: string): string {
  return `refs/neo/attempts/${session}`
}

/** As `removeWorktree`; what is checked out in it stays reachable, and submodules that hold nothing of value may be in it. */
export async function removeKept(
  repository: Repository,
  place: Place,
  dir: string,
): ReturnType<typeof removeWorktree> {
  const tree = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() ? linkedAt(repository, dir) : null
  if (tree !== null) await keepHead(repository, place, tree)
  const removed = await removeWorktree(repository, place, dir)
  if (tree === null || removed.kind === 'removed' || removed.why !== WITH_SUBMODULE) return removed
  const unsafe = await unsafeIn(tree)
  if (unsafe !== null) return { kind: 'kept', why: unsafe }
  takeAway(repository, tree)
  return { kind: 'removed' }
}

async function keepHead(repository: Repository, place: Place, { top, gitDir }: WorkTree): Promise<void> {
  const file = join(gitDir, 'HEAD')
  const head = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .replace(/^ref: /, '')
    : ''
  const commit = head.startsWith('refs/') ? await repository.living.resolve(head) : head
  if (commit === null || commit === '' || (await isNear(repository, place.base, commit))) return
  const args = [
    'for-each-ref',
    '--count=1',
    '--contains',
    commit,
    'refs/heads',
    'refs/tags',
    'refs/remotes',
    'refs/neo',
  ]
  const held = await runPlainGit(repository, args, 'any')
  if (held.code === 0 && held.out.length > 0) return
  await runPlainGit(repository, ['update-ref', `${attemptRef(basename(top))}-worktree`, commit])
}

/**
 * What would be lost with the worktree: changes, or commits in a submodule that its remote does not have. Null: nothing.
 * Submodules are looked into with our own configuration, by the git dirs that lie in the worktree's git dir.
 */
async function unsafeIn(tree: WorkTree): Promise<string | null> {
  const look = ['status', '--porcelain', '-z', '--ignore-submodules=all', '--untracked-files=all']
  const changed = await runGit(tree, look, { ok: 'any' })
  if (changed.code !== 0 || changed.out.length > 0) return 'it holds changes that are not committed'
  const listed = zeroSplit((await runGit(tree, ['ls-files', '-s', '-z'])).out)
  for (const link of listed.flatMap((line) => /^160000 [0-9a-f]+ \d\t(.*)$/s.exec(line)?.[1] ?? [])) {
    const inside = submoduleAt(tree, link)
    if (inside === null) return `its submodule ${link} cannot be looked into`
    if (inside === 'empty') continue
    const args = ['rev-list', '--max-count=1', 'HEAD', '--not', '--remotes', '--tags']
    const own = await runGit(inside, args, { ok: 'any' })
    if (own.code !== 0 || own.out.length > 0) return `its submodule ${link} has commits that no remote has`
    const deeper = await unsafeIn(inside)
    if (deeper !== null) return `its submodule ${link}: ${deeper}`
  }
  return null
}

/** By its path as its name, as git names it; null if that is another, or a link leads elsewhere. */
function submoduleAt({ top, gitDir, owner }: WorkTree, link: string): WorkTree | 'empty' | null {
  const inside = join(top, link)
  if (!existsSync(join(inside, '.git'))) return 'empty'
  const own = join(gitDir, 'modules', link)
  if (!existsSync(join(own, 'HEAD')) || realpathSync(own) !== own || realpathSync(inside) !== inside)
    return null
  return { top: inside, gitDir: own, commonDir: own, owner }
}

/** The branch goes; unmerged commits stay under a ref of the session. */
export async function retireBranch(
  repository: Repository,
  place: Place,
  of: { readonly branch: string; readonly session: string },
): Promise<'deleted' | 'kept'> {
  const tip = await tipOf(repository, of.branch)
  if (tip === null || !of.branch.startsWith('neo/')) return 'kept'
  if ((await deleteBranch(repository, place, of.branch)) === 'deleted') return 'deleted'
  await runPlainGit(repository, ['update-ref', attemptRef(of.session), tip])
  const done = await runPlainGit(repository, ['branch', '-q', '-D', '--', of.branch], 'any')
  return done.code === 0 ? 'deleted' : 'kept'
}

/** The commits of an attempt are let go. */
export async function dropAttempt(repository: Repository, session: string): Promise<void> {
  for (const ref of [attemptRef(session), `${attemptRef(session)}-worktree`])
    if ((await repository.living.resolve(ref)) !== null)
      await runPlainGit(repository, ['update-ref', '-d', ref], 'any')
}
