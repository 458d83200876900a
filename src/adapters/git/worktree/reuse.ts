/**
 * A worktree that is used again: for the next task of a session that waits for tasks. Invariant 1: what is not committed
 * in it is never overwritten: then it is not used. Invariant 2: what git ignores stays.
 */
import type { Git } from '../../../ports/git-port.ts'
import type { WorktreeRequest } from '../../../ports/worktree-port.ts'
import { headBranch, type Repository, tipOf } from '../git-repository.ts'
import { linkedAt } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { shadowOf, withoutPrograms } from '../process/shadow.ts'
import { firstLine } from '../process/spawn.ts'
import { holdsModelWork } from '../work/model-work.ts'
import { isClean } from './remove-worktree.ts'
import { SPARSE, settleIndex } from './worktree.ts'

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
