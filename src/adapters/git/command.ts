/**
 * Git for commands of the CLI: little that must be known before a home is open, and history for export and import.
 * Takes a folder that a person named, arguments and the command's environment; gives exit code and output.
 * Leaves to git.ts: everything in an open home. Invariant 1: the folder's own repository is named, or there is none.
 */
import { dirname } from 'node:path'
import { allowedFilters, allowFilter, filterHash } from './filters.ts'
import { locate, locateTop, type WorkTree } from './locate.ts'
import type { Filter } from './own-config.ts'
import { environmentOf } from './run.ts'
import { allowedFile, shadowOf } from './shadow.ts'
import { ALWAYS, gitEnvironment, type Pair, settings, spawnGit, spawnGitSync } from './spawn.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface GitAnswer {
  readonly code: number
  readonly out: string
}

/** Nothing that is asked here takes long; what hangs is a broken file system. */
const TIMEOUT_MS = 30_000
/** Longer than a bundle of a large history takes. */
const LONG_MS = 30 * 60_000
const QUIET: readonly Pair[] = [
  ['core.hooksPath', '/dev/null'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
]

/** For what reads or makes a configuration alone. Throws NeoError `git` where git cannot be started. */
export function gitCommand(dir: string, args: readonly string[], env: Env): GitAnswer {
  const tree = locateTop(dir)
  const place = tree === null ? { GIT_CEILING_DIRECTORIES: dirname(dir) } : named(tree)
  const own = gitEnvironment({ ...settings([...ALWAYS, ...QUIET]), ...place }, env)
  const { code, out, err } = spawnGitSync(dir, args, { env: own, timeoutMs: TIMEOUT_MS })
  return { code, out: `${out.toString('utf8')}${code === 0 ? '' : err}`.trim() }
}

function named({ gitDir, commonDir, top }: WorkTree): Record<string, string> {
  return { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: top }
}

/** True where `dir` is the top of a repository, or of a worktree of one. */
export function isTopLevel(dir: string): boolean {
  return locateTop(dir) !== null
}

/** For any command: with the configuration that Neo wrote. Pathspecs of these commands may have magic. */
export async function gitAnswer(dir: string, args: readonly string[], env: Env): Promise<GitAnswer> {
  const tree = locateTop(dir)
  const magic = { GIT_LITERAL_PATHSPECS: '0' }
  const own =
    tree === null
      ? gitEnvironment(
          { ...settings([...ALWAYS, ...QUIET]), GIT_CEILING_DIRECTORIES: dirname(dir), ...magic },
          env,
        )
      : await environmentOf(tree, { pairs: QUIET, env: magic, from: env })
  const { code, out, err } = await spawnGit(dir, args, { env: own, timeoutMs: LONG_MS })
  return { code, out: `${out.toString('utf8')}${code === 0 ? '' : err}` }
}

export interface FilterRow {
  readonly name: string
  /** `global`: of the user's own configuration; `allowed` and `withheld`: of the repository's. */
  readonly state: 'global' | 'allowed' | 'withheld'
  readonly hash: string
  /** `clean = …`, one a line. */
  readonly settings: readonly string[]
}

/** The filters that are configured for the repository around a folder; null where there is none. */
export async function filtersAt(dir: string): Promise<{ top: string; filters: readonly FilterRow[] } | null> {
  const tree = locate(dir)
  if (tree === null) return null
  const { filters, withheld } = await shadowOf(tree)
  const allowed = allowedFilters(allowedFile(tree))
  const row = (filter: Filter, state: FilterRow['state']): FilterRow => ({
    name: filter.name,
    state,
    hash: filterHash(filter),
    settings: [...filter.settings].map(([key, value]) => `${key} = ${value}`),
  })
  return {
    top: tree.top,
    filters: [
      ...[...filters.values()].map((filter) =>
        row(filter, allowed.has(filterHash(filter)) ? 'allowed' : 'global'),
      ),
      ...[...withheld.values()].map((filter) => row(filter, 'withheld')),
    ],
  }
}

/** Lets a filter of the repository's own configuration run, as it is configured now. False where there is none. */
export async function allowFilterAt(dir: string, name: string): Promise<boolean> {
  const tree = locate(dir)
  const filter = tree === null ? undefined : (await shadowOf(tree)).withheld.get(name)
  if (tree === null || filter === undefined) return false
  allowFilter(allowedFile(tree), filter)
  return true
}
