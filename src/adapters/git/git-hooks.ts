/** Where the hooks of a repository lie, as git would find them for a worktree. Runs none. */
import { isAbsolute, join } from 'node:path'
import type { Place } from '../../domain/session/session.ts'
import type { Repository } from './git-repository.ts'
import { runPlainGit, workTreeAt } from './process/run-git.ts'
import { zeroSplit } from './process/spawn.ts'

/** A relative `core.hooksPath` counts from the worktree's top. What we ourselves override on the command line is left out. */
export async function hooksDir(repository: Repository, place: Place, worktree: string): Promise<string> {
  const args = ['config', '--show-scope', '--type=path', '-z', '--get-all', 'core.hooksPath']
  const fields = zeroSplit((await runPlainGit(workTreeAt(place.repository), args, 'any')).out)
  const own = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== 'command').at(-1)
  if (own === undefined) return join(repository.commonDir, 'hooks')
  return isAbsolute(own) ? own : join(worktree, own)
}
