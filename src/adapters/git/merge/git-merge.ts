/**
 * Merges a session's branch into its base by merge-tree and compare-and-swap (2-files, "Commits and merges").
 * Base not checked out: only the ref moves. Base checked out (the home, or a workspace that someone works in): only
 * over paths that nobody works on and while no git of theirs is at work; `read-tree -m -u` writes the files with a copy
 * of the index, then index and ref move in one moment. The home's own branch waits while HEAD is elsewhere; a checkout
 * at the same moment is followed (landed.ts).
 * Invariants: 1. never a stash, never a force; 2. nothing of the user is overwritten, ignored files included;
 * 3. a crash in between is reversed or finished at the next start (merge-mend.ts); 4. the person's index is locked for
 * the moment of the move only: a `git add` of theirs never finds it held while files are written.
 */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../../../domain/session/session.ts'
import type { MergeResult, MergeWords, Settle } from '../../../ports/merge-port.ts'
import type { Held } from '../commit/lock-file.ts'
import { untilFree, waitingFor } from '../commit/persons-git.ts'
import {
  isOn,
  messageOf,
  moveHead,
  moveTogether,
  NEO,
  prepareMove,
  type RefMove,
  writeSigned,
} from '../commit/ref.ts'
import { filteredBetween, notRun } from '../filters/filtered.ts'
import {
  busyWith,
  commitOf,
  headBranch,
  type Repository,
  rootOf,
  tipOf,
  workTrees,
} from '../git-repository.ts'
import { statAt, type WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import type { Author } from '../process/shadow.ts'
import { firstLine, zeroSplit } from '../process/spawn.ts'
import { holdsModelWork } from '../work/branch-work.ts'
import { headStamp, type LandedKeeper } from './landed.ts'
import {
  copyIndex,
  editsBetween,
  isAbsorbed,
  type Mark,
  type PrivateIndex,
  pathsBetween,
  putBack,
  writeMark,
} from './merge-mend.ts'
import { mergeTrees } from './three-way.ts'

/** Names per command line. */
const CHUNK = 200

/** The first path of the merge that a person has changed, staged or put in the way; null for none. */
async function workedOn(
  tree: WorkTree,
  [old, now]: readonly [string, string],
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const listed = zeroSplit(
    (await runGit(tree, ['diff-tree', '-r', '-z', '--name-status', '--no-renames', old, now])).out,
  )
  const changes = listed.flatMap((status, at) =>
    at % 2 === 0 ? [{ status, path: listed[at + 1] ?? '' }] : [],
  )
  const inTheWay = changes.find(({ status, path }) => status === 'A' && blocked(tree.top, path))
  if (inTheWay !== undefined) return inTheWay.path
  const present = changes.filter(({ status }) => status !== 'A').map(({ path }) => path)
  const firstOf = async (args: readonly string[], paths: readonly string[]) =>
    zeroSplit((await runGit(tree, [...args, '--name-only', '-z', '--', ...paths], { env })).out)[0]
  for (const paths of chunksOf(changes.map(({ path }) => path))) {
    const staged = await firstOf(['diff-index', '--cached', old], paths)
    if (staged !== undefined) return staged
  }
  for (const paths of chunksOf(present)) {
    // Brings the stat data up, so that a touched but equal file does not count as changed.
    await runGit(tree, ['add', '--refresh', '--', ...paths], { env, ok: 'any' })
    const changed = await firstOf(['diff-files', '--ignore-submodules=all'], paths)
    if (changed !== undefined) return changed
  }
  return null
}

function* chunksOf(paths: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at < paths.length; at += CHUNK) yield paths.slice(at, at + CHUNK)
}

/** Whether something is at a path that must be new, or a file is in place of a folder. */
function blocked(dir: string, path: string): boolean {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stat = statAt(join(dir, parent))
    if (stat !== undefined && !stat.isDirectory()) return true
  }
  return statAt(join(dir, path)) !== undefined
}

export interface MergeOf {
  readonly branch: string
  readonly words: MergeWords
  /** Where a merge under way is noted, under the home's git dir. */
  readonly markFile: string
  readonly landed: LandedKeeper
  /** The branch that waits while HEAD is elsewhere: the home's; null if none does. */
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
  if (of.words.tip !== undefined && tip !== of.words.tip) return waits(`${of.branch} moved`)
  const author = (await holdsModelWork(repository, place, of.branch)) ? 'model' : 'person'
  const { settle } = of.words
  const merged = await mergeTrees(repository, { base, ours: old, tip, author, settle })
  if (merged.kind === 'conflict') return merged
  const { tree, parents } = merged
  if (tree === (await rootOf(repository, old))) return { kind: 'nothing' }
  const message = messageOf(of.words)
  const written = await writeSigned(repository, { tree, parents, author: NEO, message })
  if ('refused' in written) return waits(written.refused)
  const now = written.commit
  const open = workTrees(repository).find((tree) => tree.branch === base)
  if (open !== undefined)
    return intoWorkTree(
      { repository, tree: open, mark: { dir: open.top, ref, old, now }, tip, author, message, settle },
      of,
    )
  const head = headBranch(gitDir)
  if (base === of.waitsFor && head !== base)
    return waits(
      `${head === null ? 'HEAD is detached' : `HEAD is on ${head}`}; go back with git switch ${base}`,
    )
  if (!(await moveRef(repository, { ref, old, to: now }))) return waits(`${base} moved`)
  of.landed.note({ author, commonDir, top, ref, old, now, into: null })
  await of.landed.check()
  return { kind: 'merged', commit: now }
}

/** As often as the user's own commits, or their git holding the ref for its moment, may come in between. */
const TRIES = 20
const WAIT_MS = 15

function moveRef(repository: WorkTree, { ref, old, to }: RefMove): Promise<boolean> {
  const args = ['update-ref', '-m', 'neo: merge', ref, to, old]
  return runGit(repository, args, { ok: 'any' }).then(({ code }) => code === 0)
}

interface Landing {
  readonly repository: Repository
  /** The work tree that is on the branch. */
  readonly tree: WorkTree
  readonly mark: Mark
  readonly tip: string
  readonly author: Author
  readonly message: string
  readonly settle: Settle | undefined
}

async function intoWorkTree(landing: Landing, { markFile, landed }: MergeOf): Promise<MergeResult> {
  const { dir, ref, old, now } = landing.mark
  const { top, commonDir } = landing.repository
  const { tree, author } = landing
  const { gitDir } = tree
  const atWork = await untilFree({ top: dir, gitDir })
  if (atWork !== null) return waits(waitingFor(atWork))
  const head = headStamp(gitDir)
  if (!isOn(gitDir, ref)) return waits(leftText(ref))
  const busy = busyWith(gitDir)
  if (busy !== null) return waits(`${busy} in ${dir}`)
  const index = copyIndex(gitDir)
  try {
    const worked = await workedOn(tree, [old, now], index.env)
    if (worked !== null)
      return waits(`you are editing ${worked}; commit the change, or put it aside with git stash`)
    const filtered = await filteredBetween(tree, { from: old, to: now, author })
    if (filtered !== null) return waits(notRun(filtered, landing.repository))
    writeMark(markFile, landing.mark)
    const moved = await runGit(tree, ['read-tree', '-m', '-u', old, now], { env: index.env, ok: 'any' })
    const result = moved.code === 0 ? await land(landing, index) : waits(firstLine(moved.err))
    if (moved.code === 0 && result.kind === 'waits') await putBack(tree, landing.mark)
    // A checkout that was just between its index and its HEAD is seen by a later look.
    if (moved.code === 0) landed.note({ author, commonDir, top, ref, old, now, into: { dir, head } })
    rmSync(markFile, { force: true })
    await landed.check()
    return result
  } finally {
    index.drop()
  }
}

/**
 * The files hold the merge; now index and ref, in one moment. A person who commits in the meantime is followed, not undone:
 * their commit may have taken the merge along, else the merge is made on top of theirs. Only a commit of theirs on our
 * paths turns it back, or a git of theirs that stays at work.
 */
async function land(landing: Landing, index: PrivateIndex): Promise<MergeResult> {
  const { repository, tree, mark } = landing
  const { gitDir } = tree
  const edits = await editsBetween(tree, mark.old, mark.now)
  for (let tries = 1; tries <= TRIES; tries++) {
    if (!isOn(gitDir, mark.ref)) return waits(leftText(mark.ref))
    const atWork = await untilFree(tree)
    if (atWork !== null) return waits(waitingFor(atWork))
    const head = await commitOf(repository, mark.ref)
    if (head === null) return waits('the branch is gone')
    const commit = head === mark.old ? mark.now : await onTopOf(landing, head)
    if (commit === 'absorbed') return { kind: 'nothing' }
    if (commit === 'overlaps') return waits('the branch moved')
    const move = { ref: mark.ref, old: head, to: commit, says: 'neo: merge' }
    if (await together(landing, move, () => index.hold(edits))) return { kind: 'merged', commit }
    await sleep(WAIT_MS)
  }
  return waits('the branch or the index keeps changing')
}

async function together(
  { repository, tree }: Landing,
  move: RefMove,
  hold: () => Promise<Held | null>,
): Promise<boolean> {
  const isMain = tree.gitDir === repository.gitDir
  const next = isMain ? prepareMove(repository, move) : null
  try {
    await next?.synced()
    return await moveTogether({
      tree,
      hold,
      fits: (held) => held !== null && isOn(tree.gitDir, move.ref),
      move: () => (isMain ? moveHead(repository, move, next) : moveRef(repository, move)),
    })
  } finally {
    next?.drop()
  }
}

async function onTopOf(landing: Landing, head: string): Promise<string> {
  const { repository, mark, tip, author, message, settle } = landing
  if (await isAbsorbed(repository, mark, head)) return 'absorbed'
  const ours = new Set(await pathsBetween(repository, mark.old, mark.now))
  if ((await pathsBetween(repository, mark.old, head)).some((path) => ours.has(path))) return 'overlaps'
  const base = mark.ref.replace('refs/heads/', '')
  const merged = await mergeTrees(repository, { base, ours: head, tip, author, settle })
  if (merged.kind === 'conflict') return 'overlaps'
  const { tree, parents } = merged
  const written = await writeSigned(repository, { tree, parents, author: NEO, message })
  return 'refused' in written ? 'overlaps' : written.commit
}

function leftText(ref: string): string {
  const branch = ref.replace('refs/heads/', '')
  return `HEAD has left ${branch}; go back with git switch ${branch}`
}

function waits(why: string): { readonly kind: 'waits'; readonly why: string } {
  return { kind: 'waits', why: `merge waits: ${why}` }
}
