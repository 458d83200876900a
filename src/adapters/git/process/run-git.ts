/**
 * Runs git in a named repository. Invariants: 1. no shell, no prompt, no pager, no editor; a time limit on every call;
 * 2. git dir, shared dir and work tree are given, nothing is discovered; 3. no program that a repository's own
 * configuration names is run.
 */
import { dirname } from 'node:path'
import { NeoError } from '../../../domain/home/error.ts'
import { linkFilterFolders } from '../filters/filters.ts'
import { locateTop, type WorkTree } from '../locate.ts'
import { shadowOf } from './shadow.ts'
import {
  ALWAYS,
  firstLine,
  type GitRun,
  gitEnvironment,
  openSimpleGit,
  type Pair,
  settings,
  spawnGit,
} from './spawn.ts'

/** A work tree; or the top of one that a person named, never a folder that a session writes. */
export type Where = WorkTree | string

export interface RunOptions {
  readonly input?: Buffer | string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are an answer; any other throws. Default: 0. `any` lets all through. */
  readonly ok?: readonly number[] | 'any'
  readonly timeoutMs?: number
  /** Settings for this call, over all configuration. */
  readonly pairs?: readonly Pair[]
  /** Another work tree for this call: a folder of Neo that holds copies. */
  readonly top?: string
}

export async function runGit(
  where: Where,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitRun> {
  const tree = workTreeAt(where)
  const top = options.top ?? tree.top
  const env = await environmentOf({ ...tree, top }, options)
  const result = await spawnGit(top, args, { ...options, env })
  const ok = options.ok ?? [0]
  if (ok === 'any' || ok.includes(result.code)) return result
  throw new NeoError(
    'git',
    `Cannot run git ${args[0] ?? ''} in ${tree.top}: ${firstLine(result.err) || `exit code ${result.code}`}`,
  )
}

/** What a reading command prints, through the library. Rejects with git's words when git refuses it. */
export async function readGit(where: Where, args: readonly string[]): Promise<string> {
  const tree = workTreeAt(where)
  const git = await openSimpleGit(tree.top, await environmentOf(tree))
  return git.raw([...args])
}

/** The output as text without its final newline. */
export async function gitText(
  where: Where,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return (await runGit(where, args, options)).out.toString('utf8').replace(/\n$/, '')
}

export function workTreeAt(where: Where): WorkTree {
  if (typeof where !== 'string') return where
  const found = locateTop(where)
  if (found !== null) return found
  throw new NeoError('git', `Cannot use ${where}: it is not the top folder of a git repository`)
}

const NO_HOOKS: Pair = ['core.hooksPath', '/dev/null']
/** So that indexes are always of a kind that index-file.ts reads. */
const PLAIN_INDEX: readonly Pair[] = [
  ['feature.manyFiles', 'false'],
  ['core.splitIndex', 'false'],
  ['core.untrackedCache', 'false'],
  ['index.sparse', 'false'],
  ['index.version', '2'],
]

/** The environment that names this work tree, its git dir and the configuration of Neo. */
export async function environmentOf(
  tree: WorkTree,
  of: Pick<RunOptions, 'env' | 'pairs'> & {
    /** Instead of the environment of this process. */
    readonly from?: Readonly<Record<string, string | undefined>>
  } = {},
): Promise<Record<string, string>> {
  linkFilterFolders(tree)
  const { dir } = await shadowOf(tree)
  const named = {
    GIT_DIR: tree.gitDir,
    GIT_COMMON_DIR: dir,
    GIT_WORK_TREE: tree.top,
    GIT_CEILING_DIRECTORIES: dirname(tree.top),
    ...settings([...ALWAYS, ...PLAIN_INDEX, NO_HOOKS, ...(of.pairs ?? [])]),
    ...of.env,
  }
  return gitEnvironment(named, of.from ?? process.env)
}

/** Runs git with the repository's real shared dir: for commands that only change refs and registrations. */
export async function runPlainGit(
  tree: WorkTree,
  args: readonly string[],
  ok: readonly number[] | 'any' = [0],
): Promise<GitRun> {
  const env = gitEnvironment({
    GIT_DIR: tree.gitDir,
    GIT_COMMON_DIR: tree.commonDir,
    GIT_WORK_TREE: tree.top,
    ...settings([...ALWAYS, NO_HOOKS]),
  })
  const result = await spawnGit(tree.top, args, { env })
  if (ok === 'any' || ok.includes(result.code)) return result
  throw new NeoError('git', `Cannot run git ${args[0] ?? ''} in ${tree.top}: ${firstLine(result.err)}`)
}
