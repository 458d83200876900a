/**
 * Keeps the user's index true to a commit of Neo: for exactly our paths, and only if the index still has the old
 * entry, the new one is put in. Else the user's next plain commit would undo ours (9-facts, 5.2).
 * Two ways: `hold` keeps the index locked while the ref moves (index-lock.ts); where that cannot be, the refresh waits
 * on disk and `flush` lets git do it afterwards.
 * Invariants: 1. what the user staged is left as it is; 2. what the coming commit changes is on disk before its ref
 * moves; 3. a live `index.lock` is never deleted; one of nobody is healed
 * after 10 minutes, and that is said.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Repository } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Leaf } from '../reading/tree.ts'
import { type HeldIndex, holdIndex } from './index-lock.ts'
import { healLocks, healStale } from './lock-file.ts'
import { personsGit } from './persons-git.ts'

export interface Refresh {
  readonly path: string
  readonly old: Leaf | null
  readonly now: Leaf | null
}

/** A refresh that waits, and the commit it belongs to. */
interface Waiting extends Refresh {
  readonly commit: string
  /** What earlier commits of Neo made of it in the meantime: the user's git may have brought the index so far. */
  readonly passed?: readonly (Leaf | null)[]
}

export interface IndexKeeper {
  /** Remembers, on disk, what the coming commit changes; before the ref moves. Gives what takes it back. */
  plan(refreshes: readonly Refresh[], commit: string): () => void
  /**
   * The index locked, with what was planned for these paths in it, ready to land together with the ref. Null: it
   * cannot be; then the ref goes first, and `flush` does the rest.
   */
  hold(paths: readonly string[], unborn: boolean): Promise<HeldIndex | null>
  /** Does all that waits; gives how many still wait. */
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
  const waiting = new Map<string, Waiting>(load(file).map((refresh) => [refresh.path, refresh]))

  function save(): void {
    if (waiting.size === 0) {
      rmSync(file, { force: true })
      return
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // A name of our own: a command may commit at the same time as a daemon.
    const temp = `${file}.${process.pid}.tmp`
    writeFileSync(temp, JSON.stringify([...waiting.values()]), { mode: 0o600 })
    renameSync(temp, file)
  }

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

/** Commits that a person has reset away, or that a crash kept from the branch: the index is not to hold them. */
async function lostOf(repository: Repository, due: readonly Waiting[]): Promise<ReadonlySet<string>> {
  const head = await repository.living.resolve('HEAD')
  const commits = [...new Set(due.map(({ commit }) => commit))].filter((commit) => commit !== head)
  if (commits.length === 0) return new Set()
  const input = `${[...commits, ...(head === null ? [] : [`^${head}`])].join('\n')}\n`
  const listed = await runGit(repository, ['rev-list', '--stdin'], { input, ok: 'any' })
  return new Set(listed.out.toString().split('\n'))
}

/** False if the lock was held. */
async function bringUp(top: WorkTree, refreshes: readonly Waiting[]): Promise<boolean> {
  const staged = new Map<string, Leaf | 'conflict'>()
  for (let at = 0; at < refreshes.length; at += CHUNK) {
    const paths = refreshes.slice(at, at + CHUNK).map(({ path }) => path)
    const listed = await runGit(top, ['ls-files', '-s', '-z', '--', ...paths])
    for (const line of zeroSplit(listed.out)) {
      const [, mode = '', oid = '', stage, path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? []
      staged.set(path, stage === '0' ? { mode, oid } : 'conflict')
    }
  }
  const lines = refreshes
    .filter(({ path, old, passed = [] }) =>
      [old, ...passed].some((one) => same(staged.get(path) ?? null, one)),
    )
    .map(lineOf)
  if (lines.length === 0) return true
  const done = await runGit(top, ['update-index', '-z', '--index-info'], { input: lines.join(''), ok: 'any' })
  return done.code === 0
}

function same(a: Leaf | 'conflict' | null, b: Leaf | null): boolean {
  if (a === null || b === null || a === 'conflict') return a === b
  return a.mode === b.mode && a.oid === b.oid
}

/** Mode 0 takes the path out. */
function lineOf({ path, now }: Refresh): string {
  return now === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `${now.mode} ${now.oid}\t${path}\0`
}

function load(file: string): readonly Waiting[] {
  if (!existsSync(file)) return []
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Waiting[]
  } catch {
    return []
  }
}
