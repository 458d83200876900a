/**
 * The git history of an export: a bundle of all refs, and the repository that is made from it. Invariant 1: no hook,
 * template, configuration or remote is imported; git checks out no file.
 */
import { composeGitCommand } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Env } from '../spec.ts'

interface Answer {
  readonly code: number
  readonly out: string
}

/** Runs git in a folder, without a shell or a prompt. */
export async function git(dir: string, args: readonly string[], env: Env): Promise<Answer> {
  return (await composeGitCommand()).gitAnswer(dir, args, env)
}

async function done(dir: string, args: readonly string[], env: Env): Promise<string> {
  const { code, out } = await git(dir, args, env)
  if (code !== 0) throw new NeoError('git', `Cannot run git ${args[0]}: ${out.trim().slice(0, 400)}`)
  return out.trim()
}

export interface Head {
  /** Such as `refs/heads/main`; null if HEAD is detached. */
  readonly ref: string | null
  /** Null before the first commit. */
  readonly commit: string | null
}

export async function headOf(home: string, env: Env): Promise<Head> {
  const ref = await git(home, ['symbolic-ref', '-q', 'HEAD'], env)
  const commit = await git(home, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'], env)
  return {
    ref: ref.code === 0 ? ref.out.trim() : null,
    commit: commit.code === 0 ? commit.out.trim() : null,
  }
}

/** Why the history can't be exported; null if it can. */
export async function historyTrouble(
  home: string,
  env: Env,
): Promise<{ readonly why: string; readonly next: string } | null> {
  const top = await git(home, ['rev-parse', '--show-cdup'], env)
  if (top.code !== 0 || top.out.trim() !== '')
    return { why: 'it is not the top folder of a git repository', next: 'neo doctor' }
  if ((await done(home, ['rev-parse', '--is-shallow-repository'], env)) === 'true')
    return { why: 'it is a shallow clone', next: 'git fetch --unshallow' }
  const secrets = await git(home, ['log', '--all', '-1', '--format=%h', '--', ':(glob)**/.env', '.env'], env)
  if (secrets.code === 0 && secrets.out.trim() !== '')
    return {
      why: `its git history contains a .env (${secrets.out.trim()})`,
      next: 'remove it from the git history, and replace its secrets',
    }
  return null
}

/** Tracked files, or (`others`) files that are neither tracked nor ignored; nested repositories end with `/`. */
export async function pathsOf(
  home: string,
  which: 'cached' | 'others',
  env: Env,
): Promise<readonly string[]> {
  const args = ['ls-files', '-z', `--${which}`, '--exclude-standard']
  const { code, out } = await git(home, args, env)
  if (code !== 0) throw new NeoError('git', `Cannot list the home's files: ${out.trim().slice(0, 400)}`)
  return [...new Set(out.split('\0').filter((path) => path !== ''))]
}

export async function writeBundle(home: string, path: string, env: Env): Promise<void> {
  await done(home, ['bundle', 'create', '--quiet', path, '--all', 'HEAD'], env)
}

/** A new repository with this history, and an index of its last commit; writes no file of the home. */
export async function restoreRepository(
  dir: string,
  { bundle, head }: { readonly bundle: string | null; readonly head: Head },
  env: Env,
): Promise<void> {
  const branch = head.ref?.replace(/^refs\/heads\//, '') ?? 'main'
  await done(dir, ['init', '--quiet', '--template=', `--initial-branch=${branch}`], env)
  if (bundle === null || head.commit === null) return
  const refs = ['+refs/*:refs/*']
  await done(dir, ['fetch', '--quiet', '--update-head-ok', '--no-write-fetch-head', bundle, ...refs], env)
  if (head.ref === null) {
    await done(dir, ['fetch', '--quiet', '--no-write-fetch-head', bundle, 'HEAD'], env)
    await done(dir, ['update-ref', '--no-deref', 'HEAD', head.commit], env)
  }
  const found = await headOf(dir, env)
  if (found.commit !== head.commit)
    throw new NeoError('failed', 'Cannot import: its git history does not match its header')
  await done(dir, ['read-tree', 'HEAD'], env)
}

/** Refreshes the index, so that unchanged files are not shown as modified. */
export async function refreshIndex(dir: string, env: Env): Promise<void> {
  await git(dir, ['update-index', '-q', '--refresh'], env)
}
