/** Stale lock files of git that block commits, for `neo status` and `neo doctor`. Deletes none of them. */
import { join } from 'node:path'
import { shellWord } from '../../domain/text/shell-word.ts'
import type { World } from '../../ports/world.ts'

/** Git holds the lock of a ref for milliseconds. */
const REF_MS = 10_000
/** `git commit` holds the lock of the index while its editor is open. */
const INDEX_MS = 10 * 60_000
const MOST = 64 * 1024 * 1024

export interface LeftLock {
  readonly name: string
  readonly says: string
  readonly next: string
}

export function leftLocks(
  { files, clock, git }: Pick<World, 'files' | 'clock' | 'git'>,
  branch: string | null,
): readonly LeftLock[] {
  const refs = ['HEAD.lock', ...(branch === null ? [] : [`refs/heads/${branch}.lock`])]
  return ['index.lock', ...refs].flatMap((name) => {
    const path = join(git.gitDir, name)
    const read = files.read(path, MOST)
    const leastMs = name === 'index.lock' ? INDEX_MS : REF_MS
    if (read.kind !== 'file' || clock.now() - read.stat.mtimeMs < leastMs) return []
    const what = name === 'index.lock' ? 'git add and git commit fail' : 'commits are slow or fail'
    const says = `stale lock file ${path}: ${what}`
    return [{ name, says, next: `make sure that no git command runs, then rm ${shellWord(path)}` }]
  })
}
