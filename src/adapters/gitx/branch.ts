/**
 * Branches of sessions: where one stands against its base, and when it may go.
 * Invariants: 1. squash merges count: a branch is merged when merging it would change nothing; 2. only branches under
 * `neo/` are ever deleted, and only when nothing in them is unmerged.
 */
import type { Place } from '../../core/model/session.ts'
import type { Git } from '../../ports.ts'
import { gitText, runGit } from './run.ts'
import { zeroSplit } from './spawn.ts'
import { keptRef } from './worktree.ts'

type State = Awaited<ReturnType<Git['branchState']>>

const cache = new Map<string, State>()
const MOST = 1000

export async function commitOf(repository: string, ref: string): Promise<string | null> {
  const found = await runGit(
    repository,
    ['rev-parse', '--verify', '-q', '--end-of-options', `${ref}^{commit}`],
    { ok: 'any' },
  )
  return found.code === 0 ? found.out.toString().trim() : null
}

export async function branchState({ repository, base }: Place, branch: string): Promise<State> {
  const ours = await commitOf(repository, `refs/heads/${base}`)
  const tip = await commitOf(repository, `refs/heads/${branch}`)
  const kept = tip ?? (await commitOf(repository, keptRef(branch)))
  if (ours === null || kept === null) return { kind: 'gone' }
  const key = `${repository} ${ours} ${tip ?? '-'} ${kept}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const state = await compare(repository, { ours, kept })
  const answer: State = state.kind === 'open' && tip === null ? { kind: 'gone' } : state
  if (cache.size > MOST) cache.clear()
  cache.set(key, answer)
  return answer
}

async function compare(repository: string, { ours, kept }: { ours: string; kept: string }): Promise<State> {
  const ahead = Number(await gitText(repository, ['rev-list', '--count', `${ours}..${kept}`]))
  if (ahead === 0) return { kind: 'merged', commit: ours }
  const merged = await runGit(repository, ['merge-tree', '--write-tree', ours, kept], { ok: 'any' })
  if (merged.code !== 0) return { kind: 'open', ahead }
  const same = merged.out.toString().trim() === (await gitText(repository, ['rev-parse', `${ours}^{tree}`]))
  return same ? { kind: 'merged', commit: ours } : { kind: 'open', ahead }
}

export async function deleteBranch(place: Place, branch: string): Promise<'deleted' | 'kept'> {
  const tip = await commitOf(place.repository, `refs/heads/${branch}`)
  if (tip === null || !branch.startsWith('neo/')) return 'kept'
  const state = await branchState(place, branch)
  if (state.kind !== 'merged') return 'kept'
  const done = await runGit(place.repository, ['update-ref', '-d', `refs/heads/${branch}`, tip], {
    ok: 'any',
  })
  if (done.code !== 0) return 'kept'
  await runGit(place.repository, ['update-ref', '-d', keptRef(branch)], { ok: 'any' })
  return 'deleted'
}

export async function diff({ repository, base }: Place, branch: string): Promise<string> {
  return gitText(repository, [
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    `refs/heads/${base}...refs/heads/${branch}`,
    '--',
  ])
}

export async function changedPaths({ repository, base }: Place, branch: string): Promise<readonly string[]> {
  const range = `refs/heads/${base}...refs/heads/${branch}`
  return zeroSplit(
    (await runGit(repository, ['diff', '--no-ext-diff', '--no-textconv', '--name-only', '-z', range, '--']))
      .out,
  )
}
