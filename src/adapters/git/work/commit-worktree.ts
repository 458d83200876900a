/**
 * The one commit of a session's work, on its own branch. Invariants: 1. a commit goes only to the session's own branch,
 * from its own folder (12-cases, C6); 2. what is left out stays in the worktree and is named; if that is everything,
 * that isn't a success.
 */
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../../../ports/git-port.ts'
import type { WorkCommitted } from '../../../ports/worktree-port.ts'
import { messageOf, NEO, writeSigned } from '../commit/ref.ts'
import { notRun } from '../filters/filtered.ts'
import { headBranch, type Repository, rootOf, tipOf } from '../git-repository.ts'
import { linkedAt, linkInside, pointerOf, type WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { isUntouched, leftWith } from '../worktree/untouched.ts'
import { keptRef } from '../worktree/worktree.ts'
import { authorOf } from './branch-work.ts'
import { type Changes, changesIn, isPointer } from './changes.ts'
import { type TakenIn, takeIn } from './take-in.ts'

type Request = Parameters<Git['commitWorktree']>[0]
type Refused = Extract<WorkCommitted, { kind: 'refused' }>

export async function commitWorktree(
  repository: Repository,
  request: Request,
): ReturnType<Git['commitWorktree']> {
  const { dir, branch, place } = request
  const worktree = ours(repository, dir, branch)
  if ('kind' in worktree) return worktree
  const head = await tipOf(repository, branch)
  const root = head === null ? null : await rootOf(repository, head)
  if (head === null || root === null) return { kind: 'refused', why: `the branch ${branch} is gone` }
  const same = await isUntouched(repository, worktree, root)
  const changes = same ? null : await changesIn(worktree, place.folder)
  const taken =
    changes === null
      ? { kind: 'tree' as const, tree: root }
      : await takeIn(repository, worktree, { changes, author: authorOf(request.trailers) })
  if (taken.kind !== 'tree') return refusal(repository, taken)
  const { tree } = taken
  const leftOut = changes?.leftOut ?? []
  if (tree === root && leftOut.length > 0 && request.leftOut !== 'listed')
    return { kind: 'refused', why: leftOutText(leftOut) }
  const commit = tree === root ? head : await commitTree(repository, { request, worktree }, { tree, head })
  if (typeof commit !== 'string') return commit
  leftWith(worktree, { tree, folder: place.folder })
  healPointer(worktree)
  const from = (await tipOf(repository, request.from)) ?? request.from
  const changed = tree !== (await rootOf(repository, from))
  return { kind: 'ok', commit, changed, ...(leftOut.length === 0 ? {} : { leftOut }) }
}

function refusal(repository: WorkTree, taken: Exclude<TakenIn, { kind: 'tree' }>): Refused {
  if (taken.kind === 'wrong') return { kind: 'refused', why: taken.why }
  const { filter, path } = taken
  return { kind: 'refused', why: notRun(taken, repository), filter, path }
}

/** As many as a person reads in one line. */
const MOST_NAMED = 5

function leftOutText(leftOut: Changes['leftOut']): string {
  const named = leftOut.slice(0, MOST_NAMED).map(({ path, why }) => `${path}: ${why}`)
  const more = leftOut.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** The worktree, by its registration; a model can change whatever is in its folder. */
function ours(repository: Repository, dir: string, branch: string): WorkTree | Refused {
  const tree = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() ? linkedAt(repository, dir) : null
  if (tree === null) return { kind: 'refused', why: `${dir} is no worktree of ${repository.top}` }
  const link = linkInside(tree)
  if (link !== null) return { kind: 'refused', why: `${link} is a symbolic link` }
  const head = headBranch(tree.gitDir)
  if (head === branch) return tree
  return { kind: 'refused', why: `the worktree is on ${head ?? 'no branch'}, not on ${branch}` }
}

async function commitTree(
  repository: Repository,
  { request, worktree }: { readonly request: Request; readonly worktree: WorkTree },
  of: { readonly tree: string; readonly head: string },
): Promise<string | Refused> {
  const message = messageOf(request)
  const ref = `refs/heads/${request.branch}`
  const written = await writeSigned(repository, { tree: of.tree, parents: [of.head], author: NEO, message })
  if ('refused' in written) return { kind: 'refused', why: written.refused }
  const { commit } = written
  await runGit(worktree, ['update-ref', '-m', 'neo: commit', ref, commit, of.head])
  // Keeps the commits when the branch is deleted by hand, and tells a merged branch from a lost one.
  await runGit(repository, ['update-ref', keptRef(request.branch), commit])
  return commit
}

/** People will use git in the folder: `.git` is to lead to this repository again, unless there is a folder in its place. */
export function healPointer(tree: WorkTree): void {
  const path = join(tree.top, '.git')
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory() || (stat !== undefined && isPointer(tree))) return
  const temp = `${path}.${process.pid}.tmp`
  rmSync(temp, { force: true })
  writeFileSync(temp, pointerOf(tree), { flag: 'wx' })
  renameSync(temp, path)
}
