/**
 * git for commands of the CLI, which know no adapters. Invariant 1: no shell, no prompt, no repository but the one whose
 * top is `dir`.
 */
import { composeGitCommand } from '../../compose.ts'
import type { Env } from '../spec.ts'

export interface GitAnswer {
  readonly code: number
  readonly out: string
}

/** Throws NeoError `git` where git cannot be started. */
export async function gitCommand(dir: string, args: readonly string[], env: Env): Promise<GitAnswer> {
  return (await composeGitCommand()).gitCommand(dir, args, env)
}

/** Whether Neo's commits can be signed; null where nobody asks for it (adapters/git/process/git-invocation.ts). */
export async function trySigning(dir: string, always: boolean): Promise<string | null> {
  return (await composeGitCommand()).trySigning(dir, always)
}

/** True where `dir` is the top of a repository, or of a worktree of one. */
export async function isTopLevel(dir: string): Promise<boolean> {
  return (await composeGitCommand()).isTopLevel(dir)
}
