/**
 * Packs the loose objects of the home, as `git maintenance` does it. Nothing is pruned: what is unreachable is packed
 * too, and goes when the person's own `git gc` lets it go.
 * What a rewritten history dropped weeks ago is let go (dropped.ts).
 * Takes the repository; gives whether anything was done. Invariant 1: never while a git of a person is at work here.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pruneDropped } from './dropped.ts'
import { untilFree } from './persons-git.ts'
import type { Repository } from './repository.ts'
import { runPlainGit } from './run.ts'

/** Loose objects from which on packing pays; git's own `gc.auto` is 6,700. */
const MANY = 2_000

export async function maintain(repository: Repository): Promise<'done' | 'nothing'> {
  await pruneDropped(repository, Date.now())
  if (looseObjects(repository) < MANY || (await untilFree(repository)) !== null) return 'nothing'
  const lock = join(repository.commonDir, 'objects', 'maintenance.lock')
  if (existsSync(lock)) return 'nothing'
  const args = ['maintenance', 'run', '--quiet', '--task=loose-objects']
  // The first run packs them, the second deletes what is in a pack by then, and joins small packs.
  for (const more of [[], ['--task=incremental-repack']]) {
    const done = await runPlainGit(repository, [...args, ...more], 'any')
    // Stopped by the time limit: git had no chance to let go of its lock.
    if (done.code !== 0) rmSync(lock, { force: true })
  }
  return 'done'
}

/** By one of the 256 folders, as git itself estimates it: names are hashes. */
function looseObjects({ commonDir }: Repository): number {
  const sample = ['17', '2b', 'c4', 'e9']
  const found = sample.map((name) => {
    const dir = join(commonDir, 'objects', name)
    return existsSync(dir) ? readdirSync(dir).length : 0
  })
  return (found.reduce((sum, count) => sum + count, 0) / sample.length) * 256
}
