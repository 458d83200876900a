/**
 * What is known of one repository: its folders, its queue of writers, whether git is in the middle of something; and the
 * place of a workspace: which repository, folder and base branch. Invariants: 1. writers of one repository go one after
 * the other (12-cases, C1); readers beside them; 2. a place is never guessed: an empty or bare repository and an unknown
 * base are reported (12-cases, C5, C16).
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import PQueue from 'p-queue'
import { NeoError } from '../../domain/home/error.ts'
import type { Place } from '../../domain/session/session.ts'
import { homeFolder } from '../machine.ts'
import { openSigning, type Signer } from './commit/sign.ts'
import { allWorkTrees, linkInside, locate, type WorkTree } from './locate.ts'
import { type Living, openLiving } from './process/living.ts'
import { runGit, runPlainGit, type Where, workTreeAt } from './process/run-git.ts'
import { shadowOf } from './process/shadow.ts'
import { gitEnvironment, spawnGit, zeroSplit } from './process/spawn.ts'

export interface Repository extends WorkTree {
  readonly queue: PQueue
  readonly living: Living
  readonly signing: Signer
}

/**
 * Opens the repository whose work tree holds `path`; null if there isn't one (or it is bare), or git may not use it.
 * Throws NeoError `git` if its git dir holds a link through which git would write.
 */
export async function openRepository(path: string, signing = openSigning()): Promise<Repository | null> {
  const tree = locate(path)
  if (tree === null || (await hindrance(tree)) !== null) return null
  const link = linkInside(tree)
  if (link !== null)
    throw new NeoError('git', `Cannot use ${tree.top}: ${link} is a symbolic link`, {
      next: `replace the link with the folder it points to`,
    })
  return { ...tree, queue: new PQueue({ concurrency: 1 }), living: openLiving(tree), signing }
}

/**
 * Why git itself does not take this as a repository with this work tree: its format, its owner, another work tree. The
 * one command that is not given its git dir, since only then does git look at the owner.
 */
export async function hindrance({ top: expected }: WorkTree): Promise<string | null> {
  const args = ['rev-parse', '--path-format=absolute', '--show-toplevel']
  const env = gitEnvironment({ GIT_CEILING_DIRECTORIES: dirname(expected) })
  const found = await spawnGit(expected, args, { env })
  if (found.code !== 0) return found.err.trim().split('\n')[0] ?? ''
  const top = found.out.toString('utf8').replace(/\n$/, '')
  return existsSync(top) && realpathSync(top) === expected ? null : `its work tree is ${top}`
}

/** The root tree of a commit; null if there is no such commit. */
export async function rootOf({ living }: Pick<Repository, 'living'>, commit: string): Promise<string | null> {
  const object = await living.contents(commit)
  return object === null ? null : (/^tree ([0-9a-f]+)/.exec(object.bytes.toString('latin1'))?.[1] ?? null)
}

/** The parents of a commit, that of its own line first; none if it isn't one. */
async function parentsOf({ living }: Repository, commit: string): Promise<readonly string[]> {
  const header = (await living.contents(commit))?.bytes.toString('latin1').split('\n\n', 1)[0] ?? ''
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent ?? '')
}

/** The newest commits of a commit's own line, itself first, each with its parents. */
export async function* ownLine(
  repository: Repository,
  from: string,
  most: number,
): AsyncGenerator<{ readonly commit: string; readonly parents: readonly string[] }> {
  let commit: string | undefined = from
  for (let step = 0; commit !== undefined && step < most; step++) {
    const parents = await parentsOf(repository, commit)
    yield { commit, parents }
    commit = parents[0]
  }
}

/** How far back something is looked for without a process. */
const NEAR = 50

/** True if the commit is one of the last of the other's own line, or was merged into one of them. */
export async function isNear(repository: Repository, commit: string, of: string): Promise<boolean> {
  for await (const at of ownLine(repository, of, NEAR))
    if (at.commit === commit || at.parents.includes(commit)) return true
  return false
}

/** The commit that a branch is at; null if there is no such branch. */
export function tipOf({ living }: Pick<Repository, 'living'>, branch: string): Promise<string | null> {
  return living.resolve(`refs/heads/${branch}`)
}

const UNDER_WAY: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['BISECT_LOG', 'a bisect'],
]

/** What git is in the middle of in this work tree, in words; null for nothing. */
export function busyWith(gitDir: string): string | null {
  const found = UNDER_WAY.find(([name]) => existsSync(join(gitDir, name)))
  return found === undefined ? null : `${found[1]} is under way`
}

/** The branch that HEAD is on, from the file itself; null if it is detached. */
export function headBranch(gitDir: string): string | null {
  const text = readFileSync(join(gitDir, 'HEAD'), 'utf8')
  return /^ref: refs\/heads\/(.+)\n?$/.exec(text)?.[1] ?? null
}

/** Work trees of the repository, with the branch that each has checked out; from git's own files. */
export function workTrees(repository: WorkTree): readonly (WorkTree & { readonly branch: string | null })[] {
  return allWorkTrees(repository).map((tree) => ({ ...tree, branch: headBranch(tree.gitDir) }))
}

/** The commit that a full ref name (or HEAD) has, for a repository that is not open. */
export async function commitOf(where: Where, ref: string): Promise<string | null> {
  const found = await runGit(where, ['rev-parse', '--verify', '-q', '--end-of-options', `${ref}^{commit}`], {
    ok: 'any',
  })
  return found.code === 0 ? found.out.toString().trim() : null
}

/** A relative `core.hooksPath` counts from the worktree's top. What we ourselves override on the command line is left out. */
export async function hooksDir(repository: Repository, place: Place, worktree: string): Promise<string> {
  const args = ['config', '--show-scope', '--type=path', '-z', '--get-all', 'core.hooksPath']
  const fields = zeroSplit((await runPlainGit(workTreeAt(place.repository), args, 'any')).out)
  const own = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== 'command').at(-1)
  if (own === undefined) return join(repository.commonDir, 'hooks')
  return isAbsolute(own) ? own : join(worktree, own)
}

export type Placed = Place | { readonly wrong: string; readonly hint: string }

export interface PlaceOf {
  readonly workspace: string
  readonly base: string | null
  /** The home's own branch, if known: its base, wherever HEAD is now. */
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

/** Null if there isn't one; a value if it cannot be used. */
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
