/**
 * Branches of sessions: compared with their base, deleted, and commits that are kept when a worktree or branch of Neo
 * goes, under `refs/neo/attempts/<session>`. Invariants: 1. squash merges count: a branch is merged if merging it would
 * change nothing; 2. only branches under `neo/` or `neo-work/` are ever deleted, and only when nothing in them is
 * unmerged; 3. a worktree is removed only after its HEAD is in a branch, a tag or a ref of Neo; 4. a ref of Neo is deleted
 * only by `dropAttempt`, which the retention settings decide.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import type { Git } from '../../../ports/git-port.ts'
import { isNear, type Repository, rootOf, tipOf } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { mergeTrees, type Sides, workFrom } from '../merge/three-way.ts'
import { gitText, PLAIN, runGit, runPlainGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { dropBranch } from './register.ts'
import { keptRef, removeWorktree, takeAway, WITH_SUBMODULE } from './worktree.ts'

type State = Awaited<ReturnType<Git['branchState']>>

const cache = new Map<string, State>()
const MOST = 1000

export async function branchState(repository: Repository, { base }: Place, branch: string): Promise<State> {
  const ours = await tipOf(repository, base)
  const tip = await tipOf(repository, branch)
  const kept = tip ?? (await repository.living.resolve(keptRef(branch)))
  if (ours === null || kept === null) return { kind: 'gone' }
  if (ours === kept) return { kind: 'merged', commit: ours }
  const key = `${repository.top} ${ours} ${tip ?? '-'} ${kept}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const state = await compare(repository, { base, ours, tip: kept })
  const answer: State = state.kind === 'open' && tip === null ? { kind: 'gone' } : state
  if (cache.size > MOST) cache.clear()
  cache.set(key, answer)
  return answer
}

async function compare(repository: Repository, sides: Sides): Promise<State> {
  const { ours, tip } = sides
  const counts = await gitText(repository, ['rev-list', '--left-right', '--count', `${ours}...${tip}`])
  const [behind = 0, ahead = 0] = counts.trim().split(/\s+/).map(Number)
  if (ahead === 0) return { kind: 'merged', commit: ours }
  const merged = await mergeTrees(repository, sides)
  const same = merged.kind === 'clean' && merged.tree === (await rootOf(repository, ours))
  return same ? { kind: 'merged', commit: ours } : { kind: 'open', ahead, behind }
}

export async function deleteBranch(
  repository: Repository,
  place: Place,
  branch: string,
): Promise<'deleted' | 'kept'> {
  const tip = await tipOf(repository, branch)
  if (tip === null || !/^neo(?:-work)?\//.test(branch)) return 'kept'
  const base = await tipOf(repository, place.base)
  if (base !== null && (await isNear(repository, tip, base)) && dropBranch(repository, branch, tip))
    return forgetKept(repository, branch)
  // Git's own check first: it is enough if the base is checked out, and costs one process.
  const plain = await runGit(repository, ['branch', '-q', '-d', '--', branch], { ok: 'any' })
  if (plain.code === 0) return forgetKept(repository, branch)
  if ((await branchState(repository, place, branch)).kind !== 'merged') return 'kept'
  const done = await runGit(repository, ['update-ref', '-d', `refs/heads/${branch}`, tip], {
    ok: 'any',
  })
  return done.code === 0 ? forgetKept(repository, branch) : 'kept'
}

async function forgetKept(repository: Repository, branch: string): Promise<'deleted'> {
  if ((await repository.living.resolve(keptRef(branch))) !== null)
    await runGit(repository, ['update-ref', '-d', keptRef(branch)], { ok: 'any' })
  return 'deleted'
}

/** Of the branch's work alone. */
export async function diff(repository: Repository, place: Place, branch: string): Promise<string> {
  return gitText(repository, ['diff', ...PLAIN, ...(await rangeOf(repository, place, branch)), '--'])
}

/** What changed after `since`; null if that isn't a commit of the branch's own work. */
export async function diffSince(
  repository: Repository,
  place: Place,
  { branch, since }: { readonly branch: string; readonly since: string },
): Promise<string | null> {
  const [from, tip] = await rangeOf(repository, place, branch)
  const work = await gitText(repository, ['rev-list', tip, `^${from}`, '--'])
  if (!work.split('\n').includes(since)) return null
  return gitText(repository, ['diff', ...PLAIN, since, tip, '--'])
}

export async function changedPaths(
  repository: Repository,
  place: Place,
  branch: string,
): Promise<readonly string[]> {
  const range = await rangeOf(repository, place, branch)
  const args = ['diff', ...PLAIN, '--no-renames', '--name-only', '-z', ...range, '--']
  return zeroSplit((await runGit(repository, args)).out)
}

async function rangeOf(repository: Repository, { base }: Place, branch: string): Promise<[string, string]> {
  const [ours, tip] = [await tipOf(repository, base), await tipOf(repository, branch)]
  if (ours === null || tip === null) return [`refs/heads/${base}`, `refs/heads/${branch}`]
  return [await workFrom(repository, { base, ours, tip }), tip]
}

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
  const head = existsSync(file) ? readFileSync(file, 'utf8').trim().replace('ref: ', '') : ''
  const commit = head.startsWith('refs/') ? await repository.living.resolve(head) : head
  const base = await tipOf(repository, place.base)
  if (commit === null || commit === '' || (base !== null && (await isNear(repository, commit, base)))) return
  const where = ['refs/heads', 'refs/tags', 'refs/remotes', 'refs/neo']
  const args = ['for-each-ref', '--count=1', '--contains', commit, ...where]
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
