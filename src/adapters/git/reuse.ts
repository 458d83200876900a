/**
 * A worktree that is used again: for the next task of a session that waits for tasks.
 * Takes a worktree of ours and a branch; leaves the worktree on it. Leaves to worktree.ts: making and removing them.
 * Invariant 1: what is not committed in it is never overwritten: then it is not used. Invariant 2: what git ignores stays.
 */
import { realpathSync } from 'node:fs'
import type { Git, WorktreeRequest } from '../../ports.ts'
import { commonDirAbove } from './guard.ts'
import { headBranch, linkedGitDir, type Repository, tipOf } from './repository.ts'
import { runGit } from './run.ts'
import { firstLine } from './spawn.ts'

const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'] as const

export async function reuseWorktree(
  repository: Repository,
  { place, dir, branch, from }: WorktreeRequest,
): ReturnType<Git['reuseWorktree']> {
  const gitDir = linkedGitDir(dir)
  const common = commonDirAbove(dir)
  if (gitDir === null || common === null) return { wrong: `${dir} is no worktree` }
  if (realpathSync(common) !== realpathSync(repository.commonDir))
    return { wrong: `${dir} is a worktree of another repository` }
  if (headBranch(gitDir) !== branch) {
    const sparse = place.folder === '' ? [] : SPARSE
    const dirty = await runGit(dir, [...sparse, 'status', '--porcelain', '--untracked-files=all', '-z'])
    if (dirty.out.length > 0) return { wrong: `${dir} holds changes that are not committed` }
    const target = from === branch ? [branch] : ['--no-track', '-b', branch, from]
    const done = await runGit(dir, [...sparse, 'checkout', '-q', ...target, '--'], { ok: 'any' })
    if (done.code !== 0) return { wrong: firstLine(done.err) }
  }
  return { head: (await tipOf(repository, branch)) ?? '' }
}
