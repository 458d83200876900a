/**
 * Worktrees of sessions: made, committed once, let go, removed. A workspace that is a folder is checked out sparse, so
 * that a session sees only it, and 10,000 other files cost nothing.
 * Invariants: 1. a commit goes only to the session's own branch, from its own folder (12-cases, C6); 2. removed by git
 * only, never by force, never a path that is or holds a repository of somebody else (C9, C14).
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NeoError } from '../../core/model/error.ts'
import type { Place } from '../../core/model/session.ts'
import type { Git, WorktreeRequest } from '../../ports.ts'
import { commonDirAbove, guardOf } from './guard.ts'
import { treeOf } from './index-file.ts'
import { messageOf, NEO, writeCommit } from './message.ts'
import { registerWorktree } from './register.ts'
import { headBranch, linkedGitDir, type Repository, rootOf, tipOf } from './repository.ts'
import { gitText, runGit } from './run.ts'
import { firstLine, zeroSplit } from './spawn.ts'
import { isUntouched, leftWith, removeRest, removeUntouched } from './untouched.ts'

/** Sparse settings as flags: the user's repository configuration is not changed. */
const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'] as const
/** As 12-cases, C27: hooks end within a minute. */
const HOOKS_MS = 60_000
const AS_NEO = {
  GIT_AUTHOR_NAME: NEO.name,
  GIT_AUTHOR_EMAIL: NEO.email,
  GIT_COMMITTER_NAME: NEO.name,
  GIT_COMMITTER_EMAIL: NEO.email,
}

export async function addWorktree(
  repository: Repository,
  { place, dir, branch, from }: WorktreeRequest,
): Promise<{ readonly head: string }> {
  const sparse = place.folder !== ''
  mkdirSync(dirname(dir), { recursive: true })
  const commit = sparse && from !== branch ? await commitAt(repository, from) : null
  const made = commit === null ? 'nothing' : await registerWorktree(repository, { dir, branch, commit })
  if (made !== 'made') await addByGit({ place, dir, branch, from: made === 'branch' ? branch : from })
  if (sparse) await checkOutFolder(dir, place.folder)
  mkdirSync(join(dir, place.folder), { recursive: true })
  const head = (made === 'made' ? commit : await tipOf(repository, branch)) ?? ''
  leftWith(dir, { tree: head === '' ? null : await rootOf(repository, head), folder: place.folder })
  return { head }
}

/** The commit that a branch or a full id names. */
async function commitAt(repository: Repository, from: string): Promise<string | null> {
  const tip = await tipOf(repository, from)
  if (tip !== null) return tip
  return (await repository.living.contents(from))?.type === 'commit' ? from : null
}

async function addByGit({ place, dir, branch, from }: WorktreeRequest): Promise<void> {
  const target = from === branch ? [dir, branch] : ['--no-track', '-b', branch, dir, from]
  const add = ['worktree', 'add', '-q', ...(place.folder === '' ? [] : ['--no-checkout']), ...target]
  const first = await runGit(place.repository, add, { ok: 'any' })
  if (first.code === 0) return
  if (!/already registered|already used|already checked out|missing but/i.test(first.err))
    throw refused(place, first.err)
  await runGit(place.repository, ['worktree', 'prune'])
  const second = await runGit(place.repository, add, { ok: 'any' })
  if (second.code !== 0) throw refused(place, second.err)
}

function refused(place: Place, err: string): NeoError {
  return new NeoError(
    'git',
    `Cannot make a worktree of ${place.repository}: ${firstLine(err.replace(/^Preparing .*\n/, ''))}`,
  )
}

async function checkOutFolder(dir: string, folder: string): Promise<void> {
  writeSparse(linkedGitDir(dir) ?? '', folder)
  await runGit(dir, [...SPARSE, 'read-tree', '-mu', 'HEAD'])
}

function writeSparse(gitDir: string, folder: string): void {
  const info = join(gitDir, 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'sparse-checkout'), `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/\n`)
}

type Request = Parameters<Git['commitWorktree']>[0]

export async function commitWorktree(
  repository: Repository,
  request: Request,
): ReturnType<Git['commitWorktree']> {
  const { dir, branch, place } = request
  const wrong = notOurs(repository, dir, branch)
  if (wrong !== null) return { kind: 'refused', why: wrong }
  const head = await tipOf(repository, branch)
  if (head === null) return { kind: 'refused', why: `the branch ${branch} is gone` }
  const root = await rootOf(repository, head)
  const tree = (await isUntouched(repository, dir, root)) ? root : await addAll(request, root)
  if (tree === null || typeof tree !== 'string')
    return tree ?? { kind: 'refused', why: `${head} is no commit` }
  const commit = tree === root ? head : await commitTree(repository, request, { tree, head })
  if (typeof commit !== 'string') return commit
  leftWith(dir, { tree, folder: place.folder })
  const from = (await tipOf(repository, request.from)) ?? request.from
  return { kind: 'ok', commit, changed: tree === (await rootOf(repository, from)) ? 'no' : 'yes' }
}

/** The tree with all that is in the worktree and not ignored. */
async function addAll(
  { dir, place }: Request,
  root: string | null,
): Promise<string | { kind: 'refused'; why: string }> {
  const added = await runGit(join(dir, place.folder), ['add', '-A', '--', '.'], { ok: 'any' })
  if (added.code !== 0) return notAdded(dir, added.err)
  return notedTree(dir) === root && root !== null ? root : await gitText(dir, ['write-tree'])
}

/** The tree that git noted in the worktree's index, where nothing has changed in it since; no process for it. */
function notedTree(dir: string): string | null {
  const file = join(linkedGitDir(dir) ?? dir, 'index')
  return existsSync(file) ? treeOf(readFileSync(file)) : null
}

/** A repository in the worktree that has no commit yet cannot even be added; anything else is a fault. */
function notAdded(dir: string, err: string): { kind: 'refused'; why: string } {
  const nested = /'(.*)' does not have a commit checked out/.exec(err)?.[1]
  if (nested === undefined) throw new NeoError('git', `Cannot run git add in ${dir}: ${firstLine(err)}`)
  return { kind: 'refused', why: `${nested}: a git repository of its own cannot be committed` }
}

async function commitTree(
  repository: Repository,
  request: Request,
  of: { tree: string; head: string },
): Promise<string | { kind: 'refused'; why: string }> {
  const { dir, branch, place } = request
  const nested = await embedded(dir)
  if (nested.length > 0)
    return { kind: 'refused', why: `${nested.join(', ')}: a git repository of its own cannot be committed` }
  const message = messageOf(request)
  const commit =
    request.hooks === 'on'
      ? await withHooks(dir, message)
      : writeCommit(repository, { tree: of.tree, parents: [of.head], author: NEO, message })
  if (typeof commit !== 'string') return commit
  if (request.hooks === 'off')
    await runGit(dir, ['update-ref', '-m', 'neo: commit', `refs/heads/${branch}`, commit, of.head])
  // Keeps the commits when the branch is deleted by hand, and tells a merged branch from a lost one.
  await runGit(place.repository, ['update-ref', keptRef(branch), commit])
  return commit
}

function notOurs(repository: Repository, dir: string, branch: string): string | null {
  const gitDir = linkedGitDir(dir)
  if (gitDir === null) return `${dir} is no worktree`
  const common = commonDirAbove(dir)
  if (common === null || realpathSync(common) !== realpathSync(repository.commonDir))
    return `${dir} is a worktree of another repository`
  const head = headBranch(gitDir)
  return head === branch ? null : `the worktree is on ${head ?? 'no branch'}, not on ${branch}`
}

/** Paths that `git add` took as links to a repository of their own. */
async function embedded(dir: string): Promise<string[]> {
  const raw = zeroSplit((await runGit(dir, ['diff-index', '--cached', '--raw', '-z', 'HEAD'])).out)
  return raw.flatMap((field, at) =>
    /^:\d+ 160000 /.test(field) && !/^:160000 /.test(field) ? [raw[at + 1] ?? ''] : [],
  )
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

export function keptRef(branch: string): string {
  return `refs/neo/kept/${branch}`
}

/** Takes a worktree off its branch, at the same commit. A second time changes nothing. */
export async function detachWorktree(dir: string): Promise<void> {
  const gitDir = linkedGitDir(dir)
  if (gitDir === null || headBranch(gitDir) === null) return
  const head = looseCommit(gitDir) ?? (await gitText(dir, ['rev-parse', 'HEAD']))
  // As git does it: the lock file becomes HEAD in one step, and whoever holds the lock goes first.
  const lock = join(gitDir, 'HEAD.lock')
  writeFileSync(
    lock,
    `${head}
`,
    { flag: 'wx' },
  )
  renameSync(lock, join(gitDir, 'HEAD'))
}

/** The commit of the branch that HEAD is on, where its ref is a plain file; else git is asked. */
function looseCommit(gitDir: string): string | null {
  const branch = headBranch(gitDir)
  const common = join(gitDir, 'commondir')
  if (branch === null || !existsSync(common)) return null
  const file = join(resolve(gitDir, readFileSync(common, 'utf8').trim()), 'refs', 'heads', branch)
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null
  return /^([0-9a-f]{40,64})\n$/.exec(readFileSync(file, 'utf8'))?.[1] ?? null
}

export async function removeWorktree(
  repository: Repository,
  place: Place,
  dir: string,
): Promise<{ readonly kind: 'removed' } | { readonly kind: 'kept'; readonly why: string }> {
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  if (stat === undefined) {
    removeRest(dir)
    await runGit(place.repository, ['worktree', 'prune'])
    return { kind: 'removed' }
  }
  if (!stat.isDirectory()) return { kind: 'kept', why: `${dir} is no folder of ours` }
  if (!lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile())
    return { kind: 'kept', why: `${dir} is no worktree` }
  if (await removeUntouched(repository, dir)) return { kind: 'removed' }
  await completeHalfMade(place, dir)
  // Git looks into the worktree from there, so the guard is that of the worktree and its own configuration.
  const env = await guardOf(dir, 'off')
  const done = await runGit(place.repository, ['worktree', 'remove', '--', dir], { env, ok: 'any' })
  if (done.code === 0) return { kind: 'removed' }
  const dirty = /modified or untracked files/.test(done.err)
  return { kind: 'kept', why: dirty ? 'it holds changes that are not committed' : firstLine(done.err) }
}

/** The git child of a killed daemon ends by itself; after this its lock is nobody's. */
const ORPHAN_MS = 5_000

/**
 * A worktree without an index was cut off before its first checkout ended: only git has written in it. It is checked
 * out whole, so that it is clean and can be removed like any other. A worktree that has an index is left as it is.
 */
async function completeHalfMade(place: Place, dir: string): Promise<void> {
  const gitDir = linkedGitDir(dir)
  if (gitDir === null || !existsSync(gitDir) || existsSync(join(gitDir, 'index'))) return
  const lock = join(gitDir, 'index.lock')
  for (const end = Date.now() + ORPHAN_MS; existsSync(lock) && Date.now() < end; ) await sleep(20)
  if (existsSync(join(gitDir, 'index'))) return
  rmSync(lock, { force: true })
  const locked = join(gitDir, 'locked')
  if (existsSync(locked) && readFileSync(locked, 'utf8').trim() === 'initializing') rmSync(locked)
  if (place.folder !== '') writeSparse(gitDir, place.folder)
  const sparse = place.folder === '' ? [] : SPARSE
  await runGit(dir, [...sparse, 'read-tree', '--reset', '-u', 'HEAD'])
}
