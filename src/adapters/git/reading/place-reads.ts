/** What is read of a place's repository: the work of a branch, and commits of the base. */
import type { Place } from '../../../domain/session/session.ts'
import type { Worktrees } from '../../../ports/worktree-port.ts'
import type { Repository } from '../git-repository.ts'
import { gitText } from '../process/run-git.ts'
import { changedPaths, diff, diffSince } from '../worktree/branch.ts'
import { log } from './git-log.ts'

type Reads = Pick<Worktrees, 'diff' | 'diffSince' | 'changedPaths' | 'history' | 'commitDiff' | 'commitPaths'>

export function placeReads(of: (place: Place) => Promise<Repository>): Reads {
  return {
    diff: async (place, branch) => diff(await of(place), place, branch),
    diffSince: async (place, branch, since) => diffSince(await of(place), place, { branch, since }),
    changedPaths: async (place, branch) => changedPaths(await of(place), place, branch),
    history: async (place, options) => log(await of(place), { ...options, from: `refs/heads/${place.base}` }),
    commitPaths: async (place, commit) => commitPaths(await of(place), commit),
    commitDiff: async (place, commit, paths) => commitDiff(await of(place), commit, paths),
  }
}

async function commitPaths(repository: Repository, commit: string): Promise<readonly string[]> {
  const args = ['show', '--format=', '--name-only', '-z', '--diff-merges=first-parent', '--no-renames']
  const safe = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature']
  const text = await gitText(repository, [...args, ...safe, '--end-of-options', commit, '--'])
  return text.split('\0').filter((path) => path !== '')
}

async function commitDiff(repository: Repository, commit: string, paths: readonly string[]): Promise<string> {
  const safe = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-show-signature']
  const args = ['show', '--format=', '--diff-merges=first-parent', ...safe, '--end-of-options', commit, '--']
  return gitText(repository, [...args, ...paths])
}
