/**
 * Packs the loose objects of the home, as `git maintenance` does it. Nothing is pruned: what is unreachable is packed
 * too, and goes when the person's own `git gc` lets it go. What a rewritten history dropped weeks ago is let go
 * (dropped.ts). Invariant 1: packing begins never while a git of the user is at work here. Invariant 2: only the look
 * before it holds a place in the queue of our commits: packing takes minutes, git packs beside commits safely, and
 * nothing could start in the meantime.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { untilFree } from './commit/persons-git.ts'
import type { Repository } from './git-repository.ts'
import { runPlainGit } from './process/run-git.ts'
import { pruneDropped } from './remote/dropped.ts'

/** Loose objects from which on packing pays; git's own `gc.auto` is 6,700. */
const MANY = 2_000

/** What is being packed. */
const packing = new WeakMap<Repository, Promise<void>>()

export async function maintain(repository: Repository): Promise<'done' | 'nothing'> {
  if ((await repository.queue.add(() => beforePacking(repository))) === 'nothing') return 'nothing'
  packing.set(repository, pack(repository))
  await packing.get(repository)
  return 'done'
}

/** Resolves when nothing is packed any more. */
export async function packed(repository: Repository): Promise<void> {
  await packing.get(repository)?.catch(() => undefined)
}

/** Gives `pack` if packing pays; to be called in the queue. */
async function beforePacking(repository: Repository): Promise<'pack' | 'nothing'> {
  await pruneDropped(repository, Date.now())
  if (looseObjects(repository) < MANY || (await untilFree(repository)) !== null) return 'nothing'
  return existsSync(lockOf(repository)) ? 'nothing' : 'pack'
}

/** To be called beside the queue. */
async function pack(repository: Repository): Promise<void> {
  const args = ['maintenance', 'run', '--quiet', '--task=loose-objects']
  // The first run packs them, the second deletes what is in a pack by then, and joins small packs.
  for (const more of [[], ['--task=incremental-repack']]) {
    const done = await runPlainGit(repository, [...args, ...more], 'any')
    // Stopped by the time limit: git had no chance to let go of its lock.
    if (done.code !== 0) rmSync(lockOf(repository), { force: true })
  }
}

function lockOf({ commonDir }: Repository): string {
  return join(commonDir, 'objects', 'maintenance.lock')
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
