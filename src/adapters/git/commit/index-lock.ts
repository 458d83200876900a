/**
 * Holds the user's index, with our paths already changed in it, across the move of a ref. Why: `git commit` reads HEAD,
 * then locks and reads the index, then compares and swaps the ref with that HEAD. Under the lock, ref and index change
 * together for it: it sees both old and loses the swap, or sees both new. Invariant 1: the index that gives way is the
 * very one that was read.
 */
import { type BigIntStats, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Edit, patchIndex } from './index-file.ts'
import { type Held, takeLock } from './lock-file.ts'
import { isWritten } from './persons-git.ts'

export interface HeldIndex extends Held {
  /** The tree that git noted for the whole index, before our edits; null for none. */
  readonly tree: string | null
  /** Differs for each index file. */
  readonly stamp: string
}

/** As long as a lock may be held before we go the other way. */
const PATIENCE_MS = 1000
/** The same for one that a living process has open: a `git status` of a large folder, or of a busy machine. */
const LIVING_MS = 10_000
/** Locks that were waited for in vain: not again for the same one. */
const waitedFor = new Map<string, string>()

/** @param unborn the branch has no commit: then no index means an empty one */
export async function holdIndex(
  gitDir: string,
  edits: readonly Edit[],
  unborn: boolean,
): Promise<HeldIndex | null> {
  const file = join(gitDir, 'index.lock')
  const lock = stampOf(gitDir, 'index.lock')
  const began = Date.now()
  const isKnown = lock !== '' && waitedFor.get(gitDir) === lock
  const last = began + (isKnown ? 0 : LIVING_MS)
  let end = began + (isKnown ? 0 : PATIENCE_MS)
  for (;;) {
    const seen = readIndex(gitDir)
    if (seen === null && !unborn) return null
    const patched = patchIndex(seen?.bytes ?? null, edits)
    if (patched === null) return null
    const { bytes, tree } = patched
    const like = seen === null ? {} : { like: seen.stat, time: 'like' as const }
    const held = await takeLock({ gitDir, name: 'index', bytes, ...like }, end - Date.now())
    if (held !== null && stampOf(gitDir) === (seen?.stamp ?? ''))
      return { ...held, tree, stamp: seen?.stamp ?? '' }
    held?.release()
    // An index that was written while we waited is read again, whatever the time.
    if (held !== null && Date.now() < last) continue
    if (held === null && Date.now() < last && isWritten(file)) end = Math.min(last, Date.now() + PATIENCE_MS)
    else break
  }
  waitedFor.set(gitDir, stampOf(gitDir, 'index.lock'))
  return null
}

/** Holds the index with these bytes for it. Null if it is not the one of `stamp` any more, or somebody holds it. */
export async function holdWith(
  gitDir: string,
  { stamp, bytes, like }: { readonly stamp: string; readonly bytes: Buffer; readonly like: BigIntStats },
): Promise<Held | null> {
  const held = await takeLock({ gitDir, name: 'index', bytes, like, time: 'like' }, 0)
  if (held === null || indexStamp(gitDir) === stamp) return held
  held.release()
  return null
}

/** Differs for each index file. */
export function indexStamp(gitDir: string): string {
  return stampOf(gitDir)
}

function readIndex(gitDir: string) {
  for (;;) {
    const stamp = stampOf(gitDir)
    const file = join(gitDir, 'index')
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return null
    const bytes = readFileSync(file)
    if (stampOf(gitDir) === stamp) return { bytes, stat, stamp }
  }
}

function stampOf(gitDir: string, name = 'index'): string {
  const stat = statSync(join(gitDir, name), { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}
