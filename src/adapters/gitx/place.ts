/**
 * Finds the place of a workspace: which repository, which folder of it, which base branch.
 * Takes the text from a room or task; gives a Place, or what is wrong with it and what to do.
 * Invariant 1: never a guess: an empty repository, a bare one, an unknown base are said (12-cases, C5, C16).
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative, resolve, sep } from 'node:path'
import type { Place } from '../../core/model/session.ts'
import { headBranch, openRepository, type Repository } from './repository.ts'
import { runGit } from './run.ts'

export type Placed = Place | { readonly wrong: string; readonly hint: string }

/** @param home the home's own repository */
export async function placeOf(home: Repository, workspace: string, base: string | null): Promise<Placed> {
  const path = resolve(home.top, workspace.replace(/^~(?=\/|$)/, homedir()))
  if (!existsSync(path) || !statSync(path).isDirectory())
    return {
      wrong: `workspace "${workspace}" is no folder`,
      hint: `make it, or set workspace: to a git repository or a folder of the home`,
    }
  const real = realpathSync(path)
  const inside = real === home.top || real.startsWith(home.top + sep)
  const repository = inside ? home : await openRepository(real)
  if (repository === null)
    return {
      wrong: `workspace "${workspace}" is not a git repository with a work tree`,
      hint: `say git init in it and make a first commit`,
    }
  const branch = base ?? headBranch(repository.gitDir)
  if (branch === null)
    return {
      wrong: `workspace "${workspace}" has a detached HEAD`,
      hint: 'set base: in ROOM.md to the branch to start from',
    }
  if (branch.startsWith('-')) return { wrong: `base "${branch}" starts with a dash`, hint: 'name a branch' }
  return hasBranch(repository, {
    workspace,
    branch,
    folder: relative(repository.top, real).split(sep).join('/'),
  })
}

async function hasBranch(
  repository: Repository,
  of: { workspace: string; branch: string; folder: string },
): Promise<Placed> {
  const { workspace, branch, folder } = of
  const ref = await runGit(
    repository.top,
    ['rev-parse', '--verify', '-q', '--end-of-options', `refs/heads/${branch}^{commit}`],
    { ok: 'any' },
  )
  if (ref.code === 0) return { repository: repository.top, folder, base: branch }
  const any = await runGit(repository.top, ['rev-parse', '--verify', '-q', 'HEAD^{commit}'], { ok: 'any' })
  if (any.code !== 0)
    return {
      wrong: `workspace "${workspace}" has no commit yet`,
      hint: 'make a first commit in it: a session starts from one',
    }
  return {
    wrong: `workspace "${workspace}" has no branch "${branch}"`,
    hint: 'set base: in ROOM.md to a branch that exists',
  }
}
