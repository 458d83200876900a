/**
 * Lock files that a git left behind when it was killed: moved away once no git can own them, and that is said.
 * Invariant 1: a lock is kept for 10 minutes, and after that for as long as some git may own it.
 */
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkTree } from '../locate.ts'
import { mayBeOwned } from './persons-git.ts'

/** A younger lock may belong to a git that cannot be seen from here: in a container, on another host. */
const STALE_MS = 10 * 60_000

/** However old it is: `git commit -a` holds the index as long as its editor is open. */
export function healStale(tree: WorkTree, name: string): void {
  const path = `${join(name.startsWith('refs/') ? tree.commonDir : tree.gitDir, name)}.lock`
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || Date.now() - stat.mtimeMs < STALE_MS || mayBeOwned(path, tree)) return
  // Not beside a ref: there its name would be that of a broken ref.
  const dir = join(tree.gitDir, 'neo', 'stale')
  const to = join(dir, `${encodeURIComponent(name)}.lock`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    renameSync(path, to)
  } catch {
    // Somebody else was quicker, or nothing can be written here: the lock is waited for as before.
    return
  }
  process.emitWarning(`${path} was older than 10 minutes and is now ${to}`)
}
