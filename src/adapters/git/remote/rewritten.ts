/**
 * Whether the history that a home and its remote shared was rewritten on one side: a force push, an amend, a reset.
 * Invariant 1: a merge or a push by a person decides, and then it is said no more.
 */
import type { Rewritten } from '../../../ports/remote-port.ts'
import { DROPPED } from './dropped.ts'
import { isAncestor } from './remote.ts'
import { commitOf } from '../git-repository.ts'
import { gitText, runGit } from '../process/run-git.ts'

interface InStep {
  readonly commit: string
  /** `ours`: written by `keepInStep`; `git`: the remote-tracking branch as it was before the fetch. */
  readonly from: 'ours' | 'git'
}

/** Asked before a fetch. Null where both were never seen together. */
export async function lastInStep(home: string, branch: string): Promise<InStep | null> {
  const own = await commitOf(home, stepRef(branch))
  if (own !== null) return { commit: own, from: 'ours' }
  const tracked = await commitOf(home, `refs/remotes/origin/${branch}`)
  return tracked === null ? null : { commit: tracked, from: 'git' }
}

export async function keepInStep(home: string, branch: string, commit: string): Promise<void> {
  await runGit(home, ['update-ref', '-m', 'neo: sync', stepRef(branch), commit], { ok: 'any' })
}

/** In none of git's own folders of branches: no push, fetch or branch list shows it. */
function stepRef(branch: string): string {
  return `refs/neo/synced/${branch}`
}

export async function rewrittenSince(
  home: string,
  last: InStep,
  { local, remote }: { readonly local: string; readonly remote: string },
): Promise<Rewritten | null> {
  const was = last.commit
  if (local === remote || (was === remote && last.from === 'git')) return null
  const atRemote = was === remote || (await isAncestor(home, was, remote))
  const here = was === local || (await isAncestor(home, was, local))
  if (atRemote === here) return null
  if (atRemote) return last.from === 'git' ? null : { side: 'here', dropped: await countOf(home, was, local) }
  if ((await isAncestor(home, remote, local)) && !(await isAncestor(home, remote, was))) return null
  const kept = `${DROPPED}/${was.slice(0, 12)}`
  await runGit(home, ['update-ref', '-m', 'neo: sync', kept, was])
  return { side: 'remote', dropped: await countOf(home, was, remote), kept }
}

async function countOf(home: string, commit: string, without: string): Promise<number> {
  return Number(await gitText(home, ['rev-list', '--count', commit, `^${without}`, '--']))
}
