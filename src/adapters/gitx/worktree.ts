/**
 * Worktrees of sessions: made, committed once, let go, removed. A workspace that is a folder is checked out sparse, so
 * that a session sees only it, and 10,000 other files cost nothing.
 * Invariants: 1. a commit goes only to the session's own branch, from its own folder (12-cases, C6); 2. removed by git
 * only, never by force, never a path that is or holds a repository of somebody else (C9, C14).
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import type { Place } from '../../core/model/session.ts'
import type { Git, WorktreeRequest } from '../../ports.ts'
import { messageOf } from './commit.ts'
import { gitText, runGit } from './run.ts'
import { firstLine, zeroSplit } from './spawn.ts'

/** Sparse settings by environment-free flags: the user's repository configuration is not changed. */
const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'] as const
/** As 12-cases, C27: hooks end within a minute. */
const HOOKS_MS = 60_000
const AS_NEO = {
  GIT_AUTHOR_NAME: 'Neo',
  GIT_AUTHOR_EMAIL: 'neo@localhost',
  GIT_COMMITTER_NAME: 'Neo',
  GIT_COMMITTER_EMAIL: 'neo@localhost',
}

export async function addWorktree({
  place,
  dir,
  branch,
  from,
}: WorktreeRequest): Promise<{ readonly head: string }> {
  const sparse = place.folder !== ''
  mkdirSync(dirname(dir), { recursive: true })
  const target = from === branch ? [dir, branch] : ['-b', branch, dir, from]
  const add = ['worktree', 'add', ...(sparse ? ['--no-checkout'] : []), ...target]
  const first = await runGit(place.repository, add, { ok: 'any' })
  if (first.code !== 0) {
    if (!/already registered|already used|missing but/i.test(first.err)) throw refused(place, first.err)
    await runGit(place.repository, ['worktree', 'prune'])
    const second = await runGit(place.repository, add, { ok: 'any' })
    if (second.code !== 0) throw refused(place, second.err)
  }
  if (sparse) await checkOutFolder(dir, place.folder)
  mkdirSync(join(dir, place.folder), { recursive: true })
  return { head: await gitText(dir, ['rev-parse', 'HEAD']) }
}

function refused(place: Place, err: string): NeoError {
  return new NeoError(
    'git',
    `Cannot make a worktree of ${place.repository}: ${firstLine(err.replace(/^Preparing .*\n/, ''))}`,
  )
}

async function checkOutFolder(dir: string, folder: string): Promise<void> {
  const info = join(gitDirOf(dir), 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'sparse-checkout'), `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/\n`)
  await runGit(dir, [...SPARSE, 'read-tree', '-mu', 'HEAD'])
}

/** In a worktree `.git` is a file that names its git dir. */
function gitDirOf(dir: string): string {
  const named = /^gitdir: (.*)\n?$/.exec(readFileSync(join(dir, '.git'), 'utf8'))?.[1]
  if (named === undefined) throw new NeoError('git', `Cannot use ${dir}: its .git names no git dir`)
  return resolve(dir, named)
}

export const commitWorktree: Git['commitWorktree'] = async (request) => {
  const { dir, branch, from, place } = request
  const wrong = await notOurs(dir, branch)
  if (wrong !== null) return { kind: 'refused', why: wrong }
  const head = await gitText(dir, ['rev-parse', 'HEAD'])
  await runGit(join(dir, place.folder), ['add', '-A', '--', '.'])
  const nested = await embedded(dir)
  if (nested.length > 0)
    return { kind: 'refused', why: `${nested.join(', ')}: a git repository of its own cannot be committed` }
  const tree = await gitText(dir, ['write-tree'])
  const same = tree === (await gitText(dir, ['rev-parse', 'HEAD^{tree}']))
  const message = messageOf(request)
  const commit = same
    ? head
    : request.hooks === 'on'
      ? await withHooks(dir, message)
      : await plainly(dir, { tree, head, branch, message })
  if (typeof commit !== 'string') return commit
  await keepRef(place.repository, branch, commit)
  const changed = tree !== (await gitText(dir, ['rev-parse', '--end-of-options', `${from}^{tree}`]))
  return { kind: 'ok', commit, changed: changed ? 'yes' : 'no' }
}

async function notOurs(dir: string, branch: string): Promise<string | null> {
  if (!existsSync(join(dir, '.git'))) return `${dir} is no worktree`
  const top = await runGit(dir, ['rev-parse', '--show-toplevel'], { ok: 'any' })
  if (top.code !== 0 || realpathSync(top.out.toString().trim()) !== realpathSync(dir))
    return `${dir} is not the top of its worktree`
  const head = await gitText(dir, ['symbolic-ref', '-q', 'HEAD'], { ok: [0, 1] })
  return head === `refs/heads/${branch}`
    ? null
    : `the worktree is on ${head || 'no branch'}, not on ${branch}`
}

/** Paths that `git add` took as links to a repository of their own. */
async function embedded(dir: string): Promise<string[]> {
  const raw = zeroSplit((await runGit(dir, ['diff-index', '--cached', '--raw', '-z', 'HEAD'])).out)
  return raw.flatMap((field, at) =>
    /^:\d+ 160000 /.test(field) && !/^:160000 /.test(field) ? [raw[at + 1] ?? ''] : [],
  )
}

async function plainly(
  dir: string,
  of: { tree: string; head: string; branch: string; message: string },
): Promise<string> {
  const commit = await gitText(dir, ['commit-tree', of.tree, '-p', of.head, '-F', '-'], {
    input: of.message,
    env: AS_NEO,
  })
  await runGit(dir, ['update-ref', '-m', 'neo: commit', `refs/heads/${of.branch}`, commit, of.head])
  return commit
}

async function withHooks(dir: string, message: string): Promise<string | { kind: 'refused'; why: string }> {
  const done = await runGit(dir, ['commit', '-q', '-F', '-'], {
    input: message,
    env: AS_NEO,
    hooks: 'on',
    timeoutMs: HOOKS_MS,
    ok: 'any',
  })
  if (done.code === 0) return gitText(dir, ['rev-parse', 'HEAD'])
  return {
    kind: 'refused',
    why: `a git hook refused the commit: ${`${done.out.toString()}\n${done.err}`.trim().slice(-2000)}`,
  }
}

/** Keeps the commits from being lost when the branch is deleted by hand, and tells a merged branch from a lost one. */
export async function keepRef(repository: string, branch: string, commit: string): Promise<void> {
  await runGit(repository, ['update-ref', keptRef(branch), commit])
}

export function keptRef(branch: string): string {
  return `refs/neo/kept/${branch}`
}

export async function detachWorktree(dir: string): Promise<void> {
  const head = await gitText(dir, ['rev-parse', 'HEAD'])
  await runGit(dir, ['update-ref', '--no-deref', '-m', 'neo: detach', 'HEAD', head])
}

export async function removeWorktree(
  place: Place,
  dir: string,
): Promise<{ readonly kind: 'removed' } | { readonly kind: 'kept'; readonly why: string }> {
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  if (stat === undefined) {
    await runGit(place.repository, ['worktree', 'prune'])
    return { kind: 'removed' }
  }
  if (!stat.isDirectory()) return { kind: 'kept', why: `${dir} is no folder of ours` }
  if (!lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile())
    return { kind: 'kept', why: `${dir} is no worktree` }
  const left = await gitText(dir, ['status', '--porcelain', '--untracked-files=all', '--no-renames'])
  if (left !== '')
    return { kind: 'kept', why: `it holds changes that are not committed: ${firstLine(left).trim()}` }
  const done = await runGit(place.repository, ['worktree', 'remove', '--', dir], { ok: 'any' })
  return done.code === 0 ? { kind: 'removed' } : { kind: 'kept', why: firstLine(done.err) }
}
