/**
 * Branches of sessions: where one stands against its base, and when it may go.
 * Invariants: 1. squash merges count: a branch is merged when merging it would change nothing; 2. only branches under
 * `neo/` or `neo-work/` are ever deleted, and only when nothing in them is unmerged.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { Git } from '../../../ports/git-port.ts'
import { type Repository, rootOf, tipOf } from '../git-repository.ts'
import { mergeTrees, type Sides, workFrom } from '../merge/three-way.ts'
import { gitText, runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { dropBranch } from './register.ts'
import { keptRef } from './worktree.ts'

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
  if ((await isNear(repository, place.base, tip)) && dropBranch(repository, branch, tip))
    return forgetKept(repository, branch)
  // Git's own check first: it is enough where the base is checked out, and costs one process.
  const plain = await runGit(repository, ['branch', '-q', '-d', '--', branch], { ok: 'any' })
  if (plain.code === 0) return forgetKept(repository, branch)
  if ((await branchState(repository, place, branch)).kind !== 'merged') return 'kept'
  const done = await runGit(repository, ['update-ref', '-d', `refs/heads/${branch}`, tip], {
    ok: 'any',
  })
  return done.code === 0 ? forgetKept(repository, branch) : 'kept'
}

/** How far back a session's start or merge lies, at most, when its branch is cleared away at once. */
const NEAR = 50

/** True if the commit is one of the last of base's own line, or was merged into one of them. */
export async function isNear(repository: Repository, base: string, commit: string): Promise<boolean> {
  let at = await tipOf(repository, base)
  for (let step = 0; at !== null && step < NEAR; step++) {
    if (at === commit) return true
    const header = (await repository.living.contents(at))?.bytes.toString('latin1').split('\n\n', 1)[0] ?? ''
    const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent ?? '')
    if (parents.includes(commit)) return true
    at = parents[0] ?? null
  }
  return false
}

async function forgetKept(repository: Repository, branch: string): Promise<'deleted'> {
  if ((await repository.living.resolve(keptRef(branch))) !== null)
    await runGit(repository, ['update-ref', '-d', keptRef(branch)], { ok: 'any' })
  return 'deleted'
}

/** Of the branch's work alone. */
export async function diff(repository: Repository, place: Place, branch: string): Promise<string> {
  const range = await rangeOf(repository, place, branch)
  return gitText(repository, ['diff', '--no-ext-diff', '--no-textconv', '--no-color', ...range, '--'])
}

export async function changedPaths(
  repository: Repository,
  place: Place,
  branch: string,
): Promise<readonly string[]> {
  const range = await rangeOf(repository, place, branch)
  const args = ['diff', '--no-ext-diff', '--no-textconv', '--no-renames', '--name-only', '-z', ...range, '--']
  return zeroSplit((await runGit(repository, args)).out)
}

async function rangeOf(repository: Repository, { base }: Place, branch: string): Promise<[string, string]> {
  const [ours, tip] = [await tipOf(repository, base), await tipOf(repository, branch)]
  if (ours === null || tip === null) return [`refs/heads/${base}`, `refs/heads/${branch}`]
  return [await workFrom(repository, { base, ours, tip }), tip]
}
