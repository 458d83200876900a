/**
 * One commit on the home's branch of just the given bytes: private objects, then the ref by compare-and-swap together
 * with the user's index (index-refresh.ts). No hooks, no index of ours, nothing of the user's swept up.
 * Invariants: 1. never an empty commit; 2. never while git is in the middle of something, or HEAD is elsewhere;
 * 3. HEAD never moves back: a branch that moved is read again; 4. a person's `git commit` at the same moment takes our
 * paths along or fails on its own compare-and-swap, it does not undo them.
 */
import type { Change, CommitRequest, CommitResult } from '../../ports.ts'
import type { HeldIndex } from './index-lock.ts'
import type { IndexKeeper, Refresh } from './index-refresh.ts'
import { messageOf, writeCommit } from './message.ts'
import { writeBlob, writeObject } from './objects.ts'
import { moveHead } from './ref.ts'
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
  if (await together(committer, { ref, commit, parent, root }, refreshes))
    return { kind: 'committed', commit, parent }
  forget()
  return 'moved'
}

interface Move {
  readonly ref: string
  readonly commit: string
  readonly parent: string | null
  /** The tree of `parent`. */
  readonly root: string | null
}

/** Moves the ref while the index is held. False: something moved meanwhile, nothing was done. */
async function together(
  { repository, index }: Committer,
  { ref, commit, parent, root }: Move,
  refreshes: readonly Refresh[],
): Promise<boolean> {
  const paths = refreshes.map(({ path }) => path)
  const held = await index.hold(paths, parent === null)
  try {
    const fits = !isBetween(repository, held, root)
    if (!fits || !(await moveHead(repository, { ref, to: commit, old: parent ?? ZERO }))) {
      held?.release()
      return false
    }
  } catch (error) {
    held?.release()
    throw error
  }
  held?.land()
  return true
}

/** So long may a checkout take from its index to its HEAD. */
const BETWEEN_MS = 250
const odd = new Map<string, { readonly stamp: string; readonly since: number }>()

/**
 * True where git has written the index for another commit, and HEAD not yet: a checkout, reset, merge or commit is just
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
