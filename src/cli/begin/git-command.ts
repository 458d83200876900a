/**
 * git as a plain command, for the little that must be known before there is a repository to open.
 * Takes arguments as an array; gives what it printed. Leaves to the git port: everything in a repository.
 * Invariant 1: no shell, no prompt, no repository but the one in `dir`.
 */
import { spawnSync } from 'node:child_process'
import { NeoError } from '../../core/model/error.ts'
import type { Env } from '../spec.ts'

/** Nothing that is asked here takes long; what hangs is a broken file system. */
const TIMEOUT_MS = 30_000

export interface GitAnswer {
  readonly code: number
  readonly out: string
}

/** Throws NeoError `git` where git cannot be started. */
export function gitCommand(dir: string, args: readonly string[], env: Env): GitAnswer {
  const own = Object.entries(env).filter(
    ([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|PREFIX)$/.test(name),
  )
  const ended = spawnSync('git', [...args], {
    cwd: dir,
    env: { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
  if (ended.error !== undefined)
    throw new NeoError('git', `Cannot run git: ${ended.error.message}`, { next: 'install git 2.39 or newer' })
  return { code: ended.status ?? 1, out: `${ended.stdout}${ended.status === 0 ? '' : ended.stderr}`.trim() }
}

/** True where `dir` is the top of a repository, or of a worktree of one. */
export function isTopLevel(dir: string, env: Env): boolean {
  const { code, out } = gitCommand(dir, ['rev-parse', '--show-cdup'], env)
  return code === 0 && out === ''
}
