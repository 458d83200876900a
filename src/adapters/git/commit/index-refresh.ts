/**
 * Keeps the user's index true to a commit of Neo: for exactly Neo's paths, and only if the index still has the old entry,
 * it gets the new one. Otherwise the user's next plain commit would undo Neo's (9-facts, 5.2). Two ways: `hold` locks the
 * index while the ref moves: `git commit` reads HEAD, locks and reads the index, then swaps the ref, so it sees both old
 * and loses the swap, or both new; if the lock is taken, the refresh waits on disk and `flush` lets git do it afterwards.
 * Invariants: 1. what the user staged stays as it is; 2. what the coming commit changes is on disk before its ref moves;
 * 3. a live `index.lock` is never deleted; an abandoned one is moved away after 10 minutes, with a warning; 4. the index
 * that is replaced is the very one that was read.
 */
import { type BigIntStats, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Leaf } from '../reading/tree.ts'
import { fileStamp, readRows, writeRows } from '../state-file.ts'
import { type Edit, equal, holdsAll, indexInfo, patchIndex } from './index-file.ts'
import { type Held, healLocks, healStale, takeLock } from './lock-file.ts'
import { isWritten, personsGit } from './persons-git.ts'

/** A refresh that waits, and the commit it belongs to. */
interface Waiting extends Edit {
  readonly commit: string
}

export interface IndexKeeper {
  /** Remembers, on disk, what the coming commit changes; before the ref moves. Gives what takes it back. */
  plan(refreshes: readonly Edit[], commit: string): () => void
  /**
   * The index locked, with what was planned for these paths in it, ready to land together with the ref. Null: it
   * cannot be; then the ref goes first, and `flush` does the rest.
   */
  hold(paths: readonly string[], unborn: boolean): Promise<HeldIndex | null>
  /** Does all that waits; returns how many still wait. */
  flush(): Promise<number>
}

/** Commits to one path while its refresh waits. */
const MOST_PASSED = 100
/** Names per `ls-files`, well under the longest command line. */
const CHUNK = 200

export function openIndexKeeper(repository: Repository): IndexKeeper {
  const { waiting, save, done } = openWaiting(join(repository.gitDir, 'neo', 'refresh.json'))

  return {
    plan(refreshes, commit) {
      const before = refreshes.map(({ path }) => [path, waiting.get(path)] as const)
      for (const [at, { path, old, now }] of refreshes.entries()) {
        const earlier = before[at]?.[1]
        const passed = earlier === undefined ? [] : [...(earlier.passed ?? []), old].slice(-MOST_PASSED)
        waiting.set(path, { path, old: earlier === undefined ? old : earlier.old, now, commit, passed })
      }
      save()
      return () => {
        for (const [path, earlier] of before) {
          if (earlier === undefined) waiting.delete(path)
          else waiting.set(path, earlier)
        }
        save()
      }
    },
    async hold(paths, unborn) {
      const due = paths.flatMap((path) => waiting.get(path) ?? [])
      const held = await holdIndex(repository.gitDir, due, unborn)
      if (held === null) return null
      return { ...held, land: () => held.land() && done(due) }
    },
    async flush() {
      healLocks(repository.gitDir)
      if (waiting.size === 0) return 0
      healStale(repository, 'index')
      if (personsGit(repository) !== null) return waiting.size
      const due = [...waiting.values()]
      const lost = await lostOf(repository, due)
      const wanted = due.filter(({ commit }) => !lost.has(commit))
      if (await bringUp(repository, wanted)) done(due)
      return waiting.size
    },
  }
}

/** The refreshes that wait, by path; on disk after each `save`. */
function openWaiting(file: string): {
  readonly waiting: Map<string, Waiting>
  save(): void
  /** These stand in the index now, unless a later commit changed them again. */
  done(due: readonly Waiting[]): true
} {
  const waiting = new Map<string, Waiting>(readRows<Waiting>(file).map((refresh) => [refresh.path, refresh]))

  const save = () => writeRows(file, [...waiting.values()])
  return {
    waiting,
    save,
    done(due) {
      for (const { path, now } of due) if (waiting.get(path)?.now === now) waiting.delete(path)
      save()
      return true
    },
  }
}

/** Commits that a person has reset away (and pruned), or that a crash kept from the branch: the index is not to hold them. */
async function lostOf(repository: Repository, due: readonly Waiting[]): Promise<ReadonlySet<string>> {
  const head = await repository.living.resolve('HEAD')
  const commits = [...new Set(due.map(({ commit }) => commit))].filter((commit) => commit !== head)
  if (commits.length === 0) return new Set()
  const input = `${[...commits, ...(head === null ? [] : [`^${head}`])].join('\n')}\n`
  const listed = await runGit(repository, ['rev-list', '--ignore-missing', '--stdin'], { input, ok: 'any' })
  const there = await runGit(repository, ['cat-file', '--batch-check'], { input: `${commits.join('\n')}\n` })
  const missing = [...there.out.toString().matchAll(/^(\w+) missing$/gm)].map(([, commit = '']) => commit)
  return new Set([...listed.out.toString().split('\n'), ...missing])
}

/** False if the lock was held. */
async function bringUp(top: WorkTree, refreshes: readonly Waiting[]): Promise<boolean> {
  const staged = new Map<string, Leaf | 'kept'>()
  for (let at = 0; at < refreshes.length; at += CHUNK) {
    const paths = refreshes.slice(at, at + CHUNK).map(({ path }) => path)
    const listed = await runGit(top, ['ls-files', '-s', '-z', '--', ...paths])
    for (const line of zeroSplit(listed.out)) {
      const [, mode = '', oid = '', stage, path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
      staged.set(path, stage === '0' ? { mode, oid } : 'kept')
    }
  }
  const input = indexInfo(
    refreshes.filter(({ path, old, passed = [] }) =>
      [old, ...passed].some((one) => equal(staged.get(path) ?? null, one)),
    ),
  )
  if (input === '') return true
  return (await runGit(top, ['update-index', '-z', '--index-info'], { input, ok: 'any' })).code === 0
}

export interface HeldIndex extends Held {
  /** The tree that git noted for the whole index, before our edits; null for none. */
  readonly tree: string | null
  /** Differs for each index file. */
  readonly stamp: string
  /** False: it leaves out an edit, whose path somebody has staged. */
  isWhole(): boolean
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
  const index = join(gitDir, 'index')
  const lock = fileStamp(file)
  const began = Date.now()
  const isKnown = lock !== '' && waitedFor.get(gitDir) === lock
  const last = began + (isKnown ? 0 : LIVING_MS)
  let end = began + (isKnown ? 0 : PATIENCE_MS)
  for (;;) {
    const seen = readIndex(index)
    if (seen === null && !unborn) return null
    const patched = patchIndex(seen?.bytes ?? null, edits)
    if (patched === null) return null
    const { bytes, tree } = patched
    const like = seen === null ? {} : { like: seen.stat, time: 'like' as const }
    const held = await takeLock({ gitDir, name: 'index', bytes, ...like }, end - Date.now())
    if (held !== null && fileStamp(index) === (seen?.stamp ?? ''))
      return { ...held, tree, stamp: seen?.stamp ?? '', isWhole: () => holdsAll(bytes, edits) }
    held?.release()
    // An index that was written while we waited is read again, whatever the time.
    if (held !== null && Date.now() < last) continue
    if (held === null && Date.now() < last && isWritten(file)) end = Math.min(last, Date.now() + PATIENCE_MS)
    else break
  }
  waitedFor.set(gitDir, fileStamp(file))
  return null
}

/** Holds the index with these bytes for it. Null if it is not the one of `stamp` any more, or somebody holds it. */
export async function holdWith(
  gitDir: string,
  { stamp, bytes, like }: { readonly stamp: string; readonly bytes: Buffer; readonly like: BigIntStats },
): Promise<Held | null> {
  const held = await takeLock({ gitDir, name: 'index', bytes, like, time: 'like' }, 0)
  if (held === null || fileStamp(join(gitDir, 'index')) === stamp) return held
  held.release()
  return null
}

function readIndex(file: string) {
  for (;;) {
    const stamp = fileStamp(file)
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
    if (stat === undefined) return null
    const bytes = readFileSync(file)
    if (fileStamp(file) === stamp) return { bytes, stat, stamp }
  }
}
