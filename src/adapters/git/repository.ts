/**
 * What is known of one repository: its folders, its queue of writers, whether git is in the middle of something.
 * Invariant 1: writers of one repository go one after the other (12-cases, C1); readers beside them.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import PQueue from 'p-queue'
import { type Living, openLiving } from './living.ts'
import { gitText, runGit } from './run.ts'

export interface Repository {
  /** Top level of the work tree, real path. */
  readonly top: string
  /** Of this work tree. */
  readonly gitDir: string
  /** Shared by all work trees. */
  readonly commonDir: string
  readonly queue: PQueue
  readonly living: Living
}

/** Opens the repository whose work tree holds `path`; null where there is none (or it is bare). */
export async function openRepository(path: string): Promise<Repository | null> {
  const found = await runGit(
    path,
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    { ok: 'any' },
  )
  const [top, gitDir, commonDir] = found.out.toString('utf8').split('\n')
  if (found.code !== 0 || !top || !gitDir || !commonDir) return null
  return {
    top: realpathSync(top),
    gitDir,
    commonDir,
    queue: new PQueue({ concurrency: 1 }),
    living: openLiving(top),
  }
}

/** The root tree of a commit; null where there is no such commit. */
export async function rootOf({ living }: Pick<Repository, 'living'>, commit: string): Promise<string | null> {
  const object = await living.contents(commit)
  return object === null ? null : (/^tree ([0-9a-f]+)/.exec(object.bytes.toString('latin1'))?.[1] ?? null)
}

/** The commit that a branch is at; null where there is no such branch. */
export function tipOf({ living }: Pick<Repository, 'living'>, branch: string): Promise<string | null> {
  return living.resolve(`refs/heads/${branch}`)
}

/** The git dir of a linked worktree, where `.git` is a file that names it; null for anything else. */
export function linkedGitDir(dir: string): string | null {
  const file = join(dir, '.git')
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null
  const named = /^gitdir: (.*)\n?$/.exec(readFileSync(file, 'utf8'))?.[1]
  return named === undefined ? null : resolve(dir, named)
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

/** The branch that HEAD is on, from the file itself; null where it is detached. */
export function headBranch(gitDir: string): string | null {
  const text = readFileSync(join(gitDir, 'HEAD'), 'utf8')
  return /^ref: refs\/heads\/(.+)\n?$/.exec(text)?.[1] ?? null
}

/** Work trees of the repository, with the branch that each has checked out. */
export async function workTrees(
  top: string,
): Promise<readonly { readonly dir: string; readonly branch: string | null }[]> {
  const listed = await gitText(top, ['worktree', 'list', '--porcelain', '-z'])
  return listed.split('\0\0').flatMap((block) => {
    const fields = block.split('\0').filter((field) => field !== '')
    const dir = fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length)
    const branch =
      fields.find((field) => field.startsWith('branch '))?.slice('branch refs/heads/'.length) ?? null
    return dir === undefined || fields.includes('bare') ? [] : [{ dir, branch }]
  })
}

/** The commit that a ref names, for a folder whose repository is not open. */
export async function commitOf(dir: string, ref: string): Promise<string | null> {
  const found = await runGit(dir, ['rev-parse', '--verify', '-q', '--end-of-options', `${ref}^{commit}`], {
    ok: 'any',
  })
  return found.code === 0 ? found.out.toString().trim() : null
}
