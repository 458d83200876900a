/**
 * Merges a session's branch into its base by merge-tree and compare-and-swap (2-files, "Commits and merges").
 * Base not checked out: only the ref moves. Base checked out (the home, or a workspace that someone works in): only
 * over paths that nobody works on; then `read-tree -m -u` brings index and files along, and the ref moves. The home's
 * own branch waits while HEAD is elsewhere; a checkout at the same moment is followed (landed.ts).
 * Invariants: 1. never a stash, never a force; 2. nothing of a person's is overwritten, ignored files included;
 * 3. a crash in between is reversed or finished at the next start (`mendMerge`).
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../../core/model/session.ts'
import type { MergeResult } from '../../ports.ts'
import { headStamp, type LandedKeeper } from './landed.ts'
import { messageOf, NEO, writeCommit } from './message.ts'
import { busyWith, commitOf, headBranch, type Repository, rootOf, tipOf, workTrees } from './repository.ts'
import { gitText, runGit } from './run.ts'
import { firstLine, zeroSplit } from './spawn.ts'

interface Words {
  readonly subject: string
  readonly trailers: readonly (readonly [string, string])[]
}

/** A merge whose ref is about to move; on disk while index and files of a work tree are being changed. */
interface Mark {
  readonly dir: string
  readonly ref: string
  readonly old: string
  readonly now: string
}

export interface MergeOf {
  readonly branch: string
  readonly words: Words
  /** Where a merge under way is noted, under the home's git dir. */
  readonly markFile: string
  readonly landed: LandedKeeper
  /** The branch that waits while HEAD is elsewhere: the home's; null where none does. */
  readonly waitsFor: string | null
}

export async function mergeBranch(repository: Repository, place: Place, of: MergeOf): Promise<MergeResult> {
  const { top, gitDir, commonDir } = repository
  const { base } = place
  const ref = `refs/heads/${base}`
  const old = await tipOf(repository, base)
  const tip = await tipOf(repository, of.branch)
  if (old === null || tip === null)
    return { kind: 'waits', why: `merge waits: ${old === null ? base : of.branch} is gone` }
  const merged = await runGit(
    top,
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', old, tip],
    { ok: [0, 1] },
  )
  const [tree = '', ...conflicts] = zeroSplit(merged.out)
  if (merged.code === 1)
    return { kind: 'conflict', paths: [...new Set(conflicts.filter((path) => path !== ''))] }
  if (tree === (await rootOf(repository, old))) return { kind: 'nothing' }
  const message = messageOf(of.words)
  const now = writeCommit(repository, { tree, parents: [old, tip], author: NEO, message })
  const open = (await workTrees(top)).find((tree) => tree.branch === base)
  if (open !== undefined)
    return intoWorkTree({ repository, mark: { dir: open.dir, ref, old, now }, tip, message }, of)
  const head = headBranch(gitDir)
  if (base === of.waitsFor && head !== base)
    return waits(head === null ? 'HEAD is detached' : `HEAD is on ${head}`)
  if (!(await moveRef(top, { ref, old, now }))) return waits(`${base} moved`)
  of.landed.note({ commonDir, top, ref, old, now, into: null })
  await of.landed.check()
  return { kind: 'merged', commit: now }
}

/** As often as a person's own commits, or their git holding the ref for its moment, may come in between. */
const TRIES = 20
const WAIT_MS = 15

function moveRef(repository: string, { ref, old, now }: Pick<Mark, 'ref' | 'old' | 'now'>): Promise<boolean> {
  const args = ['update-ref', '-m', 'neo: merge', ref, now, old]
  return runGit(repository, args, { ok: 'any' }).then(({ code }) => code === 0)
}

interface Landing {
  readonly repository: Repository
  readonly mark: Mark
  readonly tip: string
  readonly message: string
}

async function intoWorkTree(landing: Landing, { markFile, landed }: MergeOf): Promise<MergeResult> {
  const { dir, ref, old, now } = landing.mark
  const { top, commonDir } = landing.repository
  const gitDir = await gitText(dir, ['rev-parse', '--absolute-git-dir'])
  const head = headStamp(gitDir)
  if (!isOn(gitDir, ref)) return waits(`HEAD has left ${ref.replace('refs/heads/', '')}`)
  const busy = busyWith(gitDir)
  if (busy !== null) return { kind: 'waits', why: `merge waits: ${busy} in ${dir}` }
  const worked = await workedOn(dir, old, now)
  if (worked !== null) return { kind: 'waits', why: `merge waits: you are editing ${worked}` }
  writeMark(markFile, landing.mark)
  const moved = await runGit(dir, ['read-tree', '-m', '-u', old, now], { ok: 'any' })
  const result = moved.code === 0 ? await land(landing, gitDir) : waits(firstLine(moved.err))
  if (moved.code === 0 && result.kind === 'waits')
    await runGit(dir, ['read-tree', '-m', '-u', now, old], { ok: 'any' })
  // A checkout that was just between its index and its HEAD is seen by a later look.
  if (moved.code === 0) landed.note({ commonDir, top, ref, old, now, into: { dir, head } })
  rmSync(markFile, { force: true })
  await landed.check()
  return result
}

function isOn(gitDir: string, ref: string): boolean {
  return `refs/heads/${headBranch(gitDir)}` === ref
}

/**
 * Index and files hold the merge; now the ref. A person who commits meanwhile is followed, not undone: their commit may
 * have taken the merge along, else the merge is made on top of theirs. Only a commit of theirs on our paths turns it back.
 */
async function land({ repository, mark, tip, message }: Landing, gitDir: string): Promise<MergeResult> {
  const { top } = repository
  for (let tries = 1; tries <= TRIES; tries++) {
    if (!isOn(gitDir, mark.ref)) return waits(`HEAD has left ${mark.ref.replace('refs/heads/', '')}`)
    const head = await commitOf(top, mark.ref)
    if (head === null) return waits('the branch is gone')
    const commit = head === mark.old ? mark.now : await onTopOf(repository, mark, { head, tip, message })
    if (commit === 'absorbed') return { kind: 'nothing' }
    if (commit === 'overlaps') return waits('the branch moved')
    if (await moveRef(top, { ref: mark.ref, old: head, now: commit })) return { kind: 'merged', commit }
    await sleep(WAIT_MS)
  }
  return waits('the branch keeps moving')
}

async function onTopOf(
  repository: Repository,
  mark: Mark,
  of: { head: string; tip: string; message: string },
): Promise<string> {
  const { top } = repository
  if (await isAbsorbed(mark, of.head)) return 'absorbed'
  const ours = new Set(await pathsBetween(top, mark.old, mark.now))
  if ((await pathsBetween(top, mark.old, of.head)).some((path) => ours.has(path))) return 'overlaps'
  const merged = await runGit(top, ['merge-tree', '--write-tree', '--no-messages', of.head, of.tip], {
    ok: [0, 1],
  })
  if (merged.code === 1) return 'overlaps'
  const tree = merged.out.toString().trim()
  return writeCommit(repository, { tree, parents: [of.head, of.tip], author: NEO, message: of.message })
}

function waits(why: string): { readonly kind: 'waits'; readonly why: string } {
  return { kind: 'waits', why: `merge waits: ${why}` }
}

async function pathsBetween(dir: string, a: string, b: string): Promise<string[]> {
  return zeroSplit((await runGit(dir, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', a, b])).out)
}

/** A person committed between our files and our ref: their commit took the merge's content along. */
async function isAbsorbed({ dir, old, now }: Mark, head: string): Promise<boolean> {
  const theirs = new Set(await pathsBetween(dir, now, head))
  return (await pathsBetween(dir, old, now)).every((path) => !theirs.has(path))
}

function writeMark(file: string, mark: Mark): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify(mark), { mode: 0o600, flush: true })
}

/** Reverses a merge that a crash cut off between files and ref, unless the branch holds its content by now. */
export async function mendMerge(markFile: string): Promise<void> {
  if (!existsSync(markFile)) return
  const mark = JSON.parse(readFileSync(markFile, 'utf8')) as Mark
  const head = existsSync(mark.dir) ? await commitOf(mark.dir, mark.ref) : null
  if (head !== null && !(await isAbsorbed(mark, head)))
    await runGit(mark.dir, ['read-tree', '-m', '-u', mark.now, mark.old], { ok: 'any' })
  rmSync(markFile, { force: true })
}

/** Names per command line. */
const CHUNK = 200

/** The first path of the merge that a person has changed, staged or put in the way; null for none. */
async function workedOn(dir: string, old: string, now: string): Promise<string | null> {
  const listed = zeroSplit(
    (await runGit(dir, ['diff-tree', '-r', '-z', '--name-status', '--no-renames', old, now])).out,
  )
  const changes = listed.flatMap((status, at) =>
    at % 2 === 0 ? [{ status, path: listed[at + 1] ?? '' }] : [],
  )
  const inTheWay = changes.find(({ status, path }) => status === 'A' && blocked(dir, path))
  if (inTheWay !== undefined) return inTheWay.path
  const present = changes.filter(({ status }) => status !== 'A').map(({ path }) => path)
  for (let at = 0; at < changes.length; at += CHUNK) {
    const paths = changes.slice(at, at + CHUNK).map(({ path }) => path)
    const staged = zeroSplit(
      (await runGit(dir, ['diff-index', '--cached', '--name-only', '-z', old, '--', ...paths])).out,
    )
    if (staged[0] !== undefined) return staged[0]
  }
  for (let at = 0; at < present.length; at += CHUNK) {
    const paths = present.slice(at, at + CHUNK)
    // Brings the stat data up, so that a touched but equal file does not count as changed.
    await runGit(dir, ['add', '--refresh', '--', ...paths], { ok: 'any' })
    const changed = zeroSplit((await runGit(dir, ['diff-files', '--name-only', '-z', '--', ...paths])).out)
    if (changed[0] !== undefined) return changed[0]
  }
  return null
}

/** True where something stands at a path that must be new, or a file stands where a folder must be. */
function blocked(dir: string, path: string): boolean {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stat = standsAt(join(dir, parent))
    if (stat !== undefined && !stat.isDirectory()) return true
  }
  return standsAt(join(dir, path)) !== undefined
}

/** Undefined also where a folder on the way is a file. */
function standsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw error
  }
}
