/**
 * Runs git. Takes a folder, arguments as an array and what to feed it; gives exit code and output as bytes.
 * Leaves to the callers: what an exit code means.
 * Invariants: 1. no shell, no prompt, no pager, no editor; a time limit on every call; 2. no program that a
 * repository's own configuration names is run (guard.ts); 3. inherited locations (GIT_DIR, …) are taken out.
 */
import { NeoError } from '../../core/model/error.ts'
import { guardOf } from './guard.ts'
import { firstLine, type GitRun, gitEnvironment, spawnGit } from './spawn.ts'

export interface RunOptions {
  readonly input?: Buffer | string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are an answer; any other throws. Default: 0. `any` lets all through. */
  readonly ok?: readonly number[] | 'any'
  /** `on` runs the repository's own hooks. */
  readonly hooks?: 'on'
  readonly timeoutMs?: number
}

export async function runGit(
  cwd: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitRun> {
  const env = gitEnvironment({ ...(await guardOf(cwd, options.hooks ?? 'off')), ...options.env })
  const result = await spawnGit(cwd, args, { ...options, env })
  const ok = options.ok ?? [0]
  if (ok === 'any' || ok.includes(result.code)) return result
  throw new NeoError(
    'git',
    `Cannot run git ${args[0] ?? ''} in ${cwd}: ${firstLine(result.err) || `exit code ${result.code}`}`,
  )
}

/** The output as text without its final newline. */
export async function gitText(
  cwd: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return (await runGit(cwd, args, options)).out.toString('utf8').replace(/\n$/, '')
}
