/**
 * Runs git for commands of the CLI, which import no adapters. Invariant 1: no shell, no prompt, and only the repository
 * whose top folder is `dir`.
 */
import { composeGitCommand } from '../../compose.ts'
import type { Env } from '../spec.ts'

export interface GitAnswer {
  readonly code: number
  readonly out: string
}

/** Throws NeoError `git` if git can't be started. */
export async function gitCommand(dir: string, args: readonly string[], env: Env): Promise<GitAnswer> {
  return (await composeGitCommand()).gitCommand(dir, args, env)
}

/** Whether Neo's commits can be signed; null if signing is off (adapters/git/process/git-invocation.ts). */
export async function trySigning(dir: string, always: boolean): Promise<string | null> {
  return (await composeGitCommand()).trySigning(dir, always)
}

/** True if `dir` is the top folder of a repository or of a worktree. */
export async function isTopLevel(dir: string): Promise<boolean> {
  return (await composeGitCommand()).isTopLevel(dir)
}
