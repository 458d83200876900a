/**
 * Merges of the last few seconds, looked at again: `git checkout` sets HEAD a moment after it has let go of the index,
 * so a work tree may have come to the branch, or have left it, while the branch was being moved. Invariants: 1. git's
 * own two-tree merge does it, which refuses if the user has changed a path of it; 2. if no HEAD has moved since,
 * no process is started.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeOf } from '../commit/index-file.ts'
import { personsGit } from '../commit/persons-git.ts'
import { isOn } from '../commit/ref.ts'
import { filteredBetween } from '../filters/filtered.ts'
import { commitOf } from '../git-repository.ts'
import { allWorkTrees, locateTop, type WorkTree } from '../locate.ts'
import { gitText, runGit } from '../process/run-git.ts'
import type { Author } from '../process/shadow.ts'
import { zeroSplit } from '../process/spawn.ts'
import { fileStamp, readRows, writeRows } from '../state-file.ts'
import { isLike, pathsBetween } from './merge-mend.ts'

/** A branch that moved. */
export interface Landing {
  /** Whose work the branch got; a model's if that isn't known. */
  readonly author?: Author
  readonly commonDir: string
  /** Top of the main work tree. */
  readonly top: string
  readonly ref: string
  readonly old: string
  readonly now: string
  /** The work tree that was brought along, and its HEAD before; null if the branch was not checked out. */
  readonly into: { readonly dir: string; readonly head: string } | null
}

interface Landed extends Landing {
  readonly until: number
}

export interface LandedKeeper {
  note(landing: Landing): void
  /** Looks at each again. Gives how many are still looked at. */
  check(): Promise<number>
}

/** No checkout takes so long from its index to its HEAD, also on a busy machine. */
const WATCHED_MS = 15_000

export function openLanded(file: string): LandedKeeper {
  let landed = readRows<Landed>(file)

  return {
    note(landing) {
      landed = [...landed, { ...landing, until: Date.now() + WATCHED_MS }]
      writeRows(file, landed)
    },
    async check() {
      const due = landed
      if (due.length === 0) return 0
      const acted = new Set<Landed>()
      // What fails is looked at until its time is over: a person may have taken its commits back, and pruned them.
      for (const one of due) if (await checkOne(one).catch(() => false)) acted.add(one)
      // What was turned may have been turned at the wrong moment too: it is looked at once more from now on.
      const until = Date.now() + WATCHED_MS
      landed = landed.flatMap((one) => {
        if (acted.has(one)) return [{ ...one, until }]
        return due.includes(one) && one.until <= Date.now() ? [] : [one]
      })
      if (acted.size > 0 || landed.length < due.length) writeRows(file, landed)
      return landed.length
    },
  }
}

/** What a work tree was like when nothing was to be done in it. */
const quiet = new Map<string, string>()

/** Gives true if a work tree was turned, or could not be looked at. */
async function checkOne(landing: Landing): Promise<boolean> {
  const { into, ref, old, now } = landing
  let acted = false
  for (const tree of workTreesOf(landing)) {
    const { top: dir, gitDir } = tree
    if (into?.dir === dir && headStamp(gitDir) === into.head) continue
    const isThere = isOn(gitDir, ref)
    if (!isThere && into?.dir !== dir) continue
    const key = `${dir} ${old} ${now}`
    const state = stateOf(gitDir)
    if (quiet.get(key) === state) continue
    // The user's git is at work: looked at again when it is over.
    if (personsGit({ top: dir, gitDir }) !== null) {
      acted = true
      continue
    }
    const index = fileStamp(join(gitDir, 'index'))
    const due = isThere ? await isAt(tree, landing, now) : !(await isArriving(landing, tree))
    const done =
      due &&
      (await turn(tree, {
        ...(isThere ? { from: old, to: now } : { from: now, to: old }),
        author: landing.author,
      }))
    acted ||= index !== fileStamp(join(gitDir, 'index'))
    // Only what stayed as it was all the while: HEAD may have come after the turn.
    if ((done || (isThere && !due)) && stateOf(gitDir) === state) remember(key, state)
  }
  return acted
}

function remember(key: string, state: string): void {
  if (quiet.size > MOST) quiet.clear()
  quiet.set(key, state)
}

const MOST = 200

function stateOf(gitDir: string): string {
  return `${headStamp(gitDir)} ${fileStamp(join(gitDir, 'index'))}`
}

/**
 * From one commit to the other in index and files, where both still are at the first. An index that is at the second is
 * not written again: that would make each other merge be looked at again, for ever. False if git refuses.
 */
async function turn(
  dir: WorkTree,
  { from, to, author = 'model' }: { from: string; to: string; author: Author | undefined },
): Promise<boolean> {
  const listed = await runGit(dir, ['diff-index', '--cached', '--name-only', '-z', to])
  const behind = new Set(zeroSplit(listed.out))
  if (!(await pathsBetween(dir, from, to)).some((path) => behind.has(path))) return true
  if ((await filteredBetween(dir, { from, to, author })) !== null) return false
  await runGit(dir, ['update-index', '-q', '--refresh'], { ok: 'any' })
  return (await runGit(dir, ['read-tree', '-m', '-u', from, to], { ok: 'any' })).code === 0
}

/**
 * HEAD is elsewhere. True if it holds the merge too, or if the index is that of the branch and has been so for a
 * moment only: then HEAD may come next.
 */
async function isArriving(landing: Landing, tree: WorkTree): Promise<boolean> {
  const { top: dir, gitDir } = tree
  if (!(await isAt(tree, landing, landing.old))) return true
  const file = join(gitDir, 'index')
  const noted = existsSync(file) ? treeOf(readFileSync(file)) : null
  if (noted === null || noted !== (await gitText(tree, ['rev-parse', `${landing.ref}^{tree}`]))) return false
  const state = stateOf(gitDir)
  const known = arriving.get(dir)
  if (known?.state !== state) arriving.set(dir, { state, since: Date.now() })
  return Date.now() - (arriving.get(dir)?.since ?? 0) < ARRIVING_MS
}

const ARRIVING_MS = 400
const arriving = new Map<string, { readonly state: string; readonly since: number }>()

/** True if the commit of this work tree's HEAD is like this one in all that the merge changed. */
async function isAt(dir: WorkTree, landing: Landing, commit: string): Promise<boolean> {
  const head = await commitOf(dir, 'HEAD')
  return head !== null && (await isLike(dir, landing, [commit, head]))
}

/** From git's own files: no process. */
function workTreesOf({ top }: Landing): readonly WorkTree[] {
  const main = locateTop(top)
  return main === null ? [] : allWorkTrees(main)
}

/** Changes whenever HEAD is written: git renames a new file over it. */
export function headStamp(gitDir: string): string {
  return fileStamp(join(gitDir, 'HEAD'))
}
