/**
 * Git for commands of the CLI: little that must be known before a home is open, and history for export and import.
 * Takes a folder that a person named, arguments and the command's environment; gives exit code and output.
 * Leaves to git.ts: everything in an open home. Invariant 1: the folder's own repository is named, or there is none.
 */
import { dirname } from 'node:path'
import { locateTop, type WorkTree } from './locate.ts'
import { environmentOf } from './run.ts'
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
