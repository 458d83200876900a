/**
 * Merges a session's branch into its base by merge-tree and compare-and-swap (2-files, "Commits and merges").
 * Base not checked out: only the ref moves. Base checked out (the home, or a workspace that someone works in): only
 * over paths that nobody works on; then `read-tree -m -u` brings index and files along, and the ref moves.
 * Invariants: 1. never a stash, never a force; 2. nothing of a person's is overwritten, ignored files included;
 * 3. a crash in between is reversed or finished at the next start (`mendMerge`).
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../../core/model/session.ts'
import type { MergeResult } from '../../ports.ts'
import { messageOf, NEO, writeCommit } from './message.ts'
import { busyWith, commitOf, type Repository, rootOf, tipOf, workTrees } from './repository.ts'
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

/** @param markFile where a merge under way is noted, under the home's git dir */
export async function mergeBranch(
  repository: Repository,
  place: Place,
  of: { branch: string; words: Words; markFile: string },
): Promise<MergeResult> {
  const { top } = repository
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
  const now = writeCommit(repository, {
    tree,
    parents: [old, tip],
    author: NEO,
    message: messageOf(of.words),
  })
  const open = (await workTrees(top)).find((tree) => tree.branch === base)
  if (open !== undefined) return intoWorkTree({ dir: open.dir, ref, old, now }, of.markFile)
  return (await moveRef(top, { ref, old, now }))
    ? { kind: 'merged', commit: now }
    : { kind: 'waits', why: `merge waits: ${base} moved` }
}

/** As often as a person's own git may hold the ref for its moment. */
const TRIES = 20
const WAIT_MS = 15

/** False where the branch is another commit now; a ref that is only held is waited for. */
async function moveRef(
  repository: string,
  { ref, old, now }: { ref: string; old: string; now: string },
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const moved = await runGit(repository, ['update-ref', '-m', 'neo: merge', ref, now, old], { ok: 'any' })
    if (moved.code === 0) return true
    if (tries === TRIES || (await commitOf(repository, ref)) !== old) return false
    await sleep(WAIT_MS)
  }
}

async function intoWorkTree(mark: Mark, markFile: string): Promise<MergeResult> {
  const { dir, old, now } = mark
  const gitDir = await gitText(dir, ['rev-parse', '--absolute-git-dir'])
  const busy = busyWith(gitDir)
  if (busy !== null) return { kind: 'waits', why: `merge waits: ${busy} in ${dir}` }
  const worked = await workedOn(dir, old, now)
  if (worked !== null) return { kind: 'waits', why: `merge waits: you are editing ${worked}` }
  writeMark(markFile, mark)
  const moved = await runGit(dir, ['read-tree', '-m', '-u', old, now], { ok: 'any' })
  const done = moved.code === 0 && (await moveRef(dir, mark))
  const absorbed = !done && moved.code === 0 && (await isAbsorbed(mark))
  if (!done && !absorbed && moved.code === 0)
    await runGit(dir, ['read-tree', '-m', '-u', now, old], { ok: 'any' })
  rmSync(markFile, { force: true })
  if (done) return { kind: 'merged', commit: now }
  if (absorbed) return { kind: 'nothing' }
  return {
    kind: 'waits',
    why: moved.code === 0 ? 'merge waits: the branch moved' : `merge waits: ${firstLine(moved.err)}`,
  }
}

/** A person committed between our files and our ref: their commit took the merge's content along, and it stays. */
async function isAbsorbed({ dir, ref, old, now }: Mark): Promise<boolean> {
  const names = async (a: string, b: string) =>
    zeroSplit((await runGit(dir, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', a, b])).out)
  const ours = await names(old, now)
  const theirs = new Set(await names(now, ref))
  return ours.every((path) => !theirs.has(path))
}

function writeMark(file: string, mark: Mark): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify(mark), { mode: 0o600, flush: true })
}

/** Finishes or reverses a merge that a crash cut off between files and ref. */
export async function mendMerge(markFile: string): Promise<void> {
  if (!existsSync(markFile)) return
  const mark = JSON.parse(readFileSync(markFile, 'utf8')) as Mark
  if (existsSync(mark.dir) && (await commitOf(mark.dir, mark.ref)) === mark.old)
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
