/**
 * One commit on the home's branch of just the given bytes: private objects, compare-and-swap of the ref, then the user's
 * index is brought up (index.ts). No hooks, no index of ours, nothing of the user's swept up.
 * Invariants: 1. never an empty commit; 2. never while git is in the middle of something, or HEAD is elsewhere;
 * 3. HEAD never moves back: a branch that moved is read again.
 */
import type { Change, CommitRequest, CommitResult } from '../../ports.ts'
import type { IndexKeeper, Refresh } from './index-refresh.ts'
import { messageOf, writeCommit } from './message.ts'
import { writeBlob, writeObject } from './objects.ts'
import { busyWith, headBranch, type Repository, rootOf } from './repository.ts'
import type { Leaf, Trees } from './tree.ts'

export interface Committer {
  readonly repository: Repository
  readonly trees: Trees
  readonly index: IndexKeeper
}

const ZERO = '0'.repeat(40)
/** Races against a person's own commits; each loses at most once per commit of theirs. */
const TRIES = 20

export async function commitOn(
  committer: Committer,
  branch: string,
  request: CommitRequest,
): Promise<CommitResult> {
  const { repository } = committer
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const busy = busyWith(repository.gitDir)
    if (busy !== null) return { kind: 'busy', why: busy }
    const head = headBranch(repository.gitDir)
    if (head !== branch)
      return { kind: 'busy', why: head === null ? 'HEAD is detached' : `HEAD is on ${head}` }
    const result = await tryOnce(committer, `refs/heads/${branch}`, request)
    if (result !== 'moved') return result
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * (attempt + 1)))
  }
  return { kind: 'busy', why: `${branch} keeps moving` }
}

async function tryOnce(
  committer: Committer,
  ref: string,
  request: CommitRequest,
): Promise<CommitResult | 'moved'> {
  const { repository, trees, index } = committer
  const parent = await repository.living.resolve(ref)
  const root = parent === null ? null : await rootOf(repository, parent)
  const { leaves, refreshes } = await leavesOf(committer, root, request.changes)
  const tree = (await trees.rewrite(root, leaves)) ?? writeObject(repository, 'tree', Buffer.alloc(0))
  if (tree === root || (root === null && leaves.size === 0)) return { kind: 'nothing' }
  const commit = writeCommit(repository, {
    tree,
    parents: parent === null ? [] : [parent],
    author: request.author,
    message: messageOf(request),
  })
  const forget = index.plan(refreshes, commit)
  if (!(await repository.living.updateRef(ref, commit, parent ?? ZERO))) {
    forget()
    return 'moved'
  }
  return { kind: 'committed', commit, parent }
}

async function leavesOf(
  committer: Committer,
  root: string | null,
  changes: readonly Change[],
): Promise<{ leaves: Map<string, Leaf | null>; refreshes: Refresh[] }> {
  const leaves = new Map<string, Leaf | null>()
  const refreshes: Refresh[] = []
  for (const [path, bytes] of changes) {
    const old = await committer.trees.at(root, path)
    const now =
      bytes === null
        ? null
        : { mode: old?.mode ?? '100644', oid: await writeBlob(committer.repository, path, bytes) }
    if (bytes === null && old === null) continue
    leaves.set(path, now)
    refreshes.push({ path, old, now })
  }
  return { leaves, refreshes }
}
