/**
 * One commit on the home's branch of just the given bytes: private objects, then the ref by compare-and-swap together
 * with the user's index (index-refresh.ts). No hooks, no index of Neo, nothing of the user's swept up.
 * Invariants: 1. never an empty commit; 2. never while git is in the middle of something, or HEAD is elsewhere;
 * 3. HEAD never moves back: a branch that moved is read again; 4. the user's `git commit` at the same moment takes our
 * paths along or fails on its own compare-and-swap, it does not undo them; 5. the ref is not moved while a git command of
 * a person is at work here (persons-git.ts): it is looked for right before the locks are taken.
 */

import type { Change, CommitRequest, CommitResult } from '../../../ports/git-port.ts'
import { type Filtered, notRun, writeBlob } from '../filters/filtered.ts'
import { busyWith, headBranch, type Repository, rootOf } from '../git-repository.ts'
import { type Batch, openBatch } from '../reading/objects.ts'
import { type Leaf, TREE_MODE, type Trees } from '../reading/tree.ts'
import type { Edit } from './index-file.ts'
import type { HeldIndex, IndexKeeper } from './index-refresh.ts'
import type { Prepared } from './lock-file.ts'
import { untilFree, waitingFor } from './persons-git.ts'
import { commitBytes, messageOf, moveHead, moveTogether, prepareMove, type RefMove } from './ref.ts'

export interface Committer {
  readonly repository: Repository
  readonly trees: Trees
  readonly index: IndexKeeper
}

const ZERO = '0'.repeat(40)
/** Races against the user's own commits; each loses at most once per commit of theirs. */
const TRIES = 20

export async function commitOn(
  committer: Committer,
  branch: string,
  request: CommitRequest,
): Promise<CommitResult> {
  const { repository } = committer
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const atWork = await untilFree(repository)
    if (atWork !== null) return { kind: 'busy', why: waitingFor(atWork), atWork }
    const busy = busyWith(repository.gitDir)
    if (busy !== null) return { kind: 'busy', why: busy }
    const head = headBranch(repository.gitDir)
    if (head !== branch)
      return { kind: 'busy', why: head === null ? 'HEAD is detached' : `HEAD is on ${head}` }
    const batch = openBatch(repository)
    const result = await tryOnce(committer, `refs/heads/${branch}`, { ...request, batch }).finally(batch.drop)
    if (result !== 'moved') return result
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * (attempt + 1)))
  }
  return { kind: 'busy', why: `${branch} keeps moving` }
}

async function tryOnce(
  committer: Committer,
  ref: string,
  request: CommitRequest & { readonly batch: Batch },
): Promise<CommitResult | 'moved'> {
  const { repository, trees, index } = committer
  const { batch } = request
  const parent = await repository.living.resolve(ref)
  const root = parent === null ? null : await rootOf(repository, parent)
  const found = await leavesOf(committer, root, request)
  if ('filter' in found) return { kind: 'busy', why: notRun(found, committer.repository) }
  const { leaves, refreshes } = found
  const tree = (await trees.rewrite(root, leaves, batch)) ?? batch.add('tree', Buffer.alloc(0))
  if (tree === root || (root === null && leaves.size === 0)) return { kind: 'nothing' }
  const parents = parent === null ? [] : [parent]
  const parts = { tree, parents, author: request.author, message: messageOf(request) }
  const bytes = await repository.signing.sign(repository, commitBytes(parts))
  if ('refused' in bytes) return { kind: 'busy', why: bytes.refused }
  const commit = batch.add('commit', bytes)
  const move = { ref, to: commit, old: parent ?? ZERO }
  const next = prepareMove(repository, move)
  await Promise.all([batch.land(), next?.synced(), request.beside?.()]).catch((error: unknown) => {
    next?.drop()
    throw error
  })
  const forget = index.plan(refreshes, commit)
  if (await together(committer, { move, next, root }, refreshes).finally(() => next?.drop()))
    return { kind: 'committed', commit, parent }
  forget()
  return 'moved'
}

interface Move {
  readonly move: RefMove
  readonly next: Prepared | null
  /** The tree of the commit before. */
  readonly root: string | null
}

function together(
  { repository, index }: Committer,
  { move, next, root }: Move,
  refreshes: readonly Edit[],
): Promise<boolean> {
  const paths = refreshes.map(({ path }) => path)
  return moveTogether({
    tree: repository,
    hold: () => index.hold(paths, move.old === ZERO),
    fits: (held) => !isBetween(repository, held, root),
    move: () => moveHead(repository, move, next),
  })
}

/** So long may a checkout take from its index to its HEAD. */
const BETWEEN_MS = 250
const odd = new Map<string, { readonly stamp: string; readonly since: number }>()

/**
 * True if git has written the index for another commit, and HEAD not yet: a checkout, reset, merge or commit is just
 * between the two. An index that stays so for a while is what somebody staged.
 */
function isBetween({ gitDir }: Repository, held: HeldIndex | null, root: string | null): boolean {
  if (held === null || held.tree === null || held.tree === root) return false
  const known = odd.get(gitDir)
  if (known?.stamp === held.stamp) return Date.now() - known.since < BETWEEN_MS
  odd.set(gitDir, { stamp: held.stamp, since: Date.now() })
  return true
}

async function leavesOf(
  committer: Committer,
  root: string | null,
  { changes, batch }: { readonly changes: readonly Change[]; readonly batch: Batch },
): Promise<{ leaves: Map<string, Leaf | null>; refreshes: Edit[] } | Filtered> {
  const leaves = new Map<string, Leaf | null>()
  const refreshes: Edit[] = []
  for (const [path, bytes] of changes) {
    const there = await committer.trees.at(root, path)
    const old = there?.mode === TREE_MODE ? null : there
    const oid = bytes === null ? null : await writeBlob(committer.repository, { path, bytes, batch })
    if (oid !== null && typeof oid !== 'string') return { path, filter: oid.filter }
    const now = oid === null ? null : { mode: old?.mode === '100755' ? old.mode : '100644', oid }
    if (bytes === null && old === null) continue
    leaves.set(path, now)
    refreshes.push({ path, old, now })
  }
  return { leaves, refreshes }
}
