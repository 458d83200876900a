/**
 * Git for commands of the CLI: little that must be known before a home is open, and history for export and import.
 * Invariant 1: the folder's own repository is named, or there isn't one.
 */
import { dirname } from 'node:path'
import type { GitFilter } from '../../../ports/worktree-port.ts'
import { signatureOf } from '../commit/sign.ts'
import { mayFilter } from '../filters/filtered.ts'
import { allowFilter, denyFilter, filterHash, programInside } from '../filters/filters.ts'
import { locate, locateTop } from '../locate.ts'
import { secretsIn } from '../remote/remote.ts'
import type { Filter } from './own-config.ts'
import { environmentOf } from './run-git.ts'
import { allowedFile, shadowOf } from './shadow.ts'
import { ALWAYS, gitEnvironment, type Pair, placeIn, settings, spawnGit, spawnGitSync } from './spawn.ts'

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

/** For what reads or makes a configuration alone. Throws NeoError `git` if git cannot be started. */
export function gitCommand(dir: string, args: readonly string[], env: Env): GitAnswer {
  const tree = locateTop(dir)
  const place = tree === null ? { GIT_CEILING_DIRECTORIES: dirname(dir) } : placeIn(tree)
  const own = gitEnvironment({ ...settings([...ALWAYS, ...QUIET]), ...place }, env)
  const { code, out, err } = spawnGitSync(dir, args, { env: own, timeoutMs: TIMEOUT_MS })
  return { code, out: `${out.toString('utf8')}${code === 0 ? '' : err}`.trim() }
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

/** Where the history of a repository holds values that this process knows to be secret: paths, never values. */
export async function secretsInHistory(dir: string): Promise<readonly string[]> {
  const tree = locateTop(dir)
  return tree === null ? [] : secretsIn(tree.top, ['--all', '--'])
}

/**
 * Whether a commit of Neo's can be signed here, by a signature that is thrown away. Null: the person's settings ask for
 * none, and `always` is not given; `ok`, or why not.
 */
export async function trySigning(dir: string, always: boolean): Promise<string | null> {
  const tree = locateTop(dir)
  if (tree === null) return null
  const { signing } = await shadowOf(tree)
  if (!signing.asked && !always) return null
  const made = await signatureOf(signing, Buffer.from('neo doctor\n'))
  return 'why' in made ? made.why : 'ok'
}

export interface FilterRow {
  readonly name: string
  /** `global`: of the user's own configuration, not over what a model wrote; `withheld`: of the repository's, not at all. */
  readonly state: 'global' | 'allowed' | 'withheld'
  readonly hash: string
  /** Whether attributes of the commit that is checked out, of the repository or of the user name any filter. */
  readonly isUsed: boolean
  /** `clean = …`, one a line. */
  readonly settings: readonly string[]
  /** A file of the repository that its commands name: it can't be allowed. */
  readonly inside: string | null
}

/** The filters that are configured for the repository around a folder; null if there isn't one. */
export async function filtersAt(dir: string): Promise<{ top: string; filters: readonly FilterRow[] } | null> {
  const tree = locate(dir)
  if (tree === null) return null
  const shadow = await shadowOf(tree)
  const { filters, allowed, withheld } = shadow
  const isUsed = await mayFilter(tree, shadow, 'HEAD')
  const row = (filter: Filter, state: FilterRow['state']): FilterRow => ({
    name: filter.name,
    state,
    hash: filterHash(filter),
    isUsed,
    settings: [...filter.settings].map(([key, value]) => `${key} = ${value}`),
    inside: programInside(filter, tree),
  })
  return {
    top: tree.top,
    filters: [
      ...[...filters.values()].map((filter) => row(filter, allowed.has(filter.name) ? 'allowed' : 'global')),
      ...[...withheld.values()].map((filter) => row(filter, 'withheld')),
    ],
  }
}

/** One of them. */
export async function filterAt(dir: string, name: string): Promise<GitFilter | null> {
  const found = (await filtersAt(dir))?.filters.find((filter) => filter.name === name)
  if (found === undefined) return null
  const { hash, settings, state, inside } = found
  return { hash, settings, isAllowed: state === 'allowed', inside }
}

/**
 * Lets a filter run in this repository, over what models write too, as it is configured now. False if nothing changed.
 * @param hash what a person was shown; default: whatever is configured
 */
export async function allowFilterAt(dir: string, name: string, hash?: string): Promise<boolean> {
  const tree = locate(dir)
  const shadow = tree === null ? null : await shadowOf(tree)
  const filter = shadow?.withheld.get(name) ?? shadow?.filters.get(name)
  if (tree === null || filter === undefined || shadow?.allowed.has(name)) return false
  if (hash !== undefined && hash !== filterHash(filter)) return false
  if (programInside(filter, tree) !== null) return false
  allowFilter(allowedFile(tree), filter)
  return true
}

/** Takes that back. False if nothing by this name was allowed. */
export async function denyFilterAt(dir: string, name: string): Promise<boolean> {
  const tree = locate(dir)
  if (tree === null) return false
  const { allowed } = await shadowOf(tree)
  const filter = allowed.get(name)
  return denyFilter(allowedFile(tree), name, filter === undefined ? null : filterHash(filter))
}
