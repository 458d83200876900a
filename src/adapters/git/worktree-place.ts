/**
 * Finds the place of a workspace: which repository, which folder of it, which base branch. Invariant 1: never a guess:
 * an empty repository, a bare one, an unknown base are said (12-cases, C5, C16).
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Place } from '../../domain/session/session.ts'
import { homeFolder } from '../account.ts'
import { commitOf, headBranch, type Repository, tipOf } from './git-repository.ts'
import { shadowOf } from './process/shadow.ts'

export type Placed = Place | { readonly wrong: string; readonly hint: string }

export interface PlaceOf {
  readonly workspace: string
  readonly base: string | null
  /** The home's own branch, where it is known: its base wherever HEAD is just now. */
  readonly branchOfHome: string | null
  /** Gives the repository of a folder, the same one each time. */
  readonly open: (path: string) => Promise<Repository | null>
}

/** @param home the home's own repository */
export async function placeOf(home: Repository, of: PlaceOf): Promise<Placed> {
  const { workspace, base, branchOfHome } = of
  const path = resolve(home.top, workspace.replace(/^~(?=\/|$)/, homeFolder()))
  if (!existsSync(path) || !statSync(path).isDirectory())
    return {
      wrong: `workspace "${workspace}" is no folder`,
      hint: `make it, or set workspace: to a git repository or a folder of the home`,
    }
  const real = realpathSync(path)
  const inside = real === home.top || real.startsWith(home.top + sep)
  const repository = inside ? home : await openedAt(real, of)
  if (repository !== null && 'wrong' in repository) return repository
  if (repository === null)
    return {
      wrong: `workspace "${workspace}" is not a git repository with a work tree`,
      hint: `say git init in it and make a first commit`,
    }
  const branch = base ?? (inside ? branchOfHome : null) ?? headBranch(repository.gitDir)
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

/** Null if there is none; a value if it cannot be used. */
async function openedAt(
  real: string,
  { workspace, open }: PlaceOf,
): Promise<Repository | { readonly wrong: string; readonly hint: string } | null> {
  try {
    const repository = await open(real)
    const format = repository === null ? 'sha1' : (await shadowOf(repository)).objectFormat
    if (format === 'sha1') return repository
    return {
      wrong: `workspace "${workspace}" is a ${format} repository; Neo works in sha1 repositories only`,
      hint: 'set workspace: to a repository that git init made without --object-format',
    }
  } catch (error) {
    if (!(error instanceof NeoError)) throw error
    return { wrong: `workspace "${workspace}": ${error.message}`, hint: 'neo doctor' }
  }
}

async function hasBranch(
  repository: Repository,
  of: { workspace: string; branch: string; folder: string },
): Promise<Placed> {
  const { workspace, branch, folder } = of
  if ((await tipOf(repository, branch)) !== null) return { repository: repository.top, folder, base: branch }
  if ((await commitOf(repository, 'HEAD')) === null)
    return {
      wrong: `workspace "${workspace}" has no commit yet`,
      hint: 'make a first commit in it: a session starts from one',
    }
  return {
    wrong: `workspace "${workspace}" has no branch "${branch}"`,
    hint: 'set base: in ROOM.md to a branch that exists',
  }
}
