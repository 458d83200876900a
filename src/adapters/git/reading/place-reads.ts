/** What is read of a place's repository: the work of a branch, and commits and files of the base. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import type { Entry, LogEntry, Worktrees } from '../../../ports/worktree-port.ts'
import { type Repository, rootOf, tipOf } from '../git-repository.ts'
import { gitText, PLAIN } from '../process/run-git.ts'
import { changedPaths, diff, diffSince } from '../worktree/branch.ts'
import { log } from './git-log.ts'
import { openTrees, TREE_MODE } from './tree.ts'

type Reads = Pick<
  Worktrees,
  'diff' | 'diffSince' | 'changedPaths' | 'history' | 'commitDiff' | 'commitPaths' | 'entryAt'
>

/** Entries are kept for at most so many questions; each has at most `limit` commits. */
const MOST_HISTORIES = 100
const MOST_COMMITS = 1_000

export function placeReads(of: (place: Place) => Promise<Repository>): Reads {
  const histories = keepLatest<readonly LogEntry[]>(MOST_HISTORIES)
  const paths = keepLatest<readonly string[]>(MOST_COMMITS)
  return {
    diff: async (place, branch) => diff(await of(place), place, branch),
    diffSince: async (place, branch, since) => diffSince(await of(place), place, { branch, since }),
    changedPaths: async (place, branch) => changedPaths(await of(place), place, branch),
    history: async (place, options) => {
      const repository = await of(place)
      const tip = await tipOf(repository, place.base)
      if (tip === null) return []
      const { grep = '', paths: only = [], limit } = options
      const key = [repository.commonDir, shallowOf(repository), tip, grep, limit, ...only].join('\0')
      return histories(key, () => log(repository, { ...options, from: tip }))
    },
    commitPaths: async (place, commit) => {
      const repository = await of(place)
      return paths(`${repository.commonDir}\0${commit}`, () => commitPaths(repository, commit))
    },
    commitDiff: async (place, commit, only) => commitDiff(await of(place), commit, only),
    entryAt: async (place, path) => entryAt(await of(place), place, path),
  }
}

/** A fetch can lengthen the history of the same commit. */
function shallowOf({ commonDir }: Repository): string {
  const stat = statSync(join(commonDir, 'shallow'), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`
}

async function entryAt(repository: Repository, place: Place, path: string): Promise<Entry | null> {
  const tip = await tipOf(repository, place.base)
  if (tip === null) return null
  const below = [place.folder, path].filter((part) => part !== '').join('/')
  const leaf = await openTrees(repository).at(await rootOf(repository, tip), below)
  if (leaf === null) return null
  const kind = leaf.mode === TREE_MODE ? 'folder' : leaf.mode.startsWith('100') ? 'file' : 'other'
  return { kind, id: leaf.oid }
}

const SHOW = ['show', '--format=', '--diff-merges=first-parent', '--no-show-signature'] as const

async function commitPaths(repository: Repository, commit: string): Promise<readonly string[]> {
  const args = [...SHOW, '--name-only', '-z', '--no-renames']
  const text = await gitText(repository, [...args, ...PLAIN, '--end-of-options', commit, '--'])
  return text.split('\0').filter((path) => path !== '')
}

async function commitDiff(repository: Repository, commit: string, paths: readonly string[]): Promise<string> {
  return gitText(repository, [...SHOW, ...PLAIN, '--end-of-options', commit, '--', ...paths])
}

/**
 * Answers about commits, which never change: the latest few are kept, so that the same question starts no git.
 * @returns gives what is kept under a key, or reads it; a read that failed isn't kept
 */
function keepLatest<T>(most: number): (key: string, read: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, Promise<T>>()
  return (key, read) => {
    const value = kept.get(key) ?? read()
    kept.delete(key)
    kept.set(key, value)
    value.catch(() => kept.get(key) === value && kept.delete(key))
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break
      kept.delete(oldest)
    }
    return value
  }
}
