/**
 * Care at rest: packs the loose objects of the home, as `git maintenance` does it, and deletes refs of what a rewritten
 * history dropped weeks ago. Nothing is pruned: unreachable objects are packed too, and go with the user's own `git gc`.
 * Invariants: 1. packing never begins while a git of the user is at work here; 2. only the look before it is in the queue
 * of Neo's commits: packing takes minutes, git packs beside commits safely, and nothing could start in the meantime; 3. a
 * dropped ref of unknown age is young: a file that is lost or broken deletes nothing.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { untilFree } from './commit/persons-git.ts'
import type { Repository } from './git-repository.ts'
import { gitText, runGit, runPlainGit } from './process/run-git.ts'
import { readState, writeState } from './state-file.ts'

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

/** To be called in the queue. */
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

export const DROPPED = 'refs/neo/dropped'
/** As long as a person may be away. */
export const DROPPED_MS = 8 * 7 * 24 * 3_600_000

/**
 * What a rewritten history dropped is kept for some weeks. A ref has no date of its own: the first time that it is seen here
 * counts, in `<git dir>/neo/dropped.json`.
 */
export async function pruneDropped(repository: Repository, now: number): Promise<number> {
  const listed = await gitText(repository, ['for-each-ref', '--format=%(refname) %(objectname)', DROPPED])
  const file = join(repository.owner, 'neo', 'dropped.json')
  const known = new Map(
    Object.entries(readState(file) ?? {}).filter(
      (row): row is [string, number] => typeof row[1] === 'number',
    ),
  )
  const refs = listed.split('\n').filter((line) => line !== '')
  if (refs.length === 0 && known.size === 0) return 0
  const seen = new Map(refs.map((line) => [line, Math.min(known.get(line) ?? now, now)]))
  const old = refs.filter((line) => now - (seen.get(line) ?? now) >= DROPPED_MS)
  for (const line of old) {
    const [name = '', commit = ''] = line.split(' ')
    await runGit(repository, ['update-ref', '-d', name, commit], { ok: 'any' })
    seen.delete(line)
  }
  writeState(file, `${JSON.stringify(Object.fromEntries(seen))}\n`)
  return old.length
}
