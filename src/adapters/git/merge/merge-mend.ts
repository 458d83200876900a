/**
 * Merging with files of the user around: a copy of the work tree's index for git to work in, so that the user's index
 * stays free while files are written; and what a merge leaves when it is cut off, or can't move its ref. Invariants:
 * 1. only files that hold exactly what the merge wrote are put back; what a person has changed since stays; 2. the index
 * is replaced only if it still is the one that was copied; otherwise only the entries are put in.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Edit, indexInfo } from '../commit/index-file.ts'
import { holdIndex, holdWith } from '../commit/index-refresh.ts'
import type { Held } from '../commit/lock-file.ts'
import { commitOf } from '../git-repository.ts'
import { allWorkTrees, locate, locateTop, type WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import { fileStamp, readState, writeState } from '../state-file.ts'

/** A merge whose ref is about to move; on disk while the files of a work tree are being changed. */
export interface Mark {
  readonly dir: string
  readonly ref: string
  readonly old: string
  readonly now: string
}

export function writeMark(file: string, mark: Mark): void {
  writeState(file, JSON.stringify(mark), 'flush')
}

/**
 * Reverses a merge that a crash cut off between files and ref; completes it if the branch has its content by now. If git
 * has pruned its commits, what it wrote stays as it is.
 */
export async function mendMerge(markFile: string): Promise<void> {
  if (!existsSync(markFile)) return
  // One that is torn was cut off while it was written: nothing was changed yet.
  const mark = readState(markFile) as Mark | null
  const tree = mark === null ? null : treeOfMark(mark)
  const names = mark === null ? [] : [mark.ref, mark.old, mark.now]
  const [head, ...sides] = tree === null ? [] : await Promise.all(names.map((name) => commitOf(tree, name)))
  if (mark !== null && tree !== null && typeof head === 'string' && !sides.includes(null)) {
    if (await isAbsorbed(tree, mark, head))
      await runGit(tree, ['read-tree', '-m', mark.old, mark.now], { ok: 'any' })
    else await putBack(tree, mark)
  }
  rmSync(markFile, { force: true })
}

/** The work tree of a merge that was cut off: one that a person named, or a worktree of the repository around it. */
function treeOfMark({ dir }: Mark): WorkTree | null {
  const found = locateTop(dir) ?? locate(dirname(dir))
  if (found === null) return null
  return allWorkTrees(found).find(({ top }) => top === dir) ?? null
}

type Change = Pick<Mark, 'old' | 'now'>

/** True if the branch has all that the merge changed as the merge has it. */
export function isAbsorbed(dir: WorkTree, of: Change, head: string): Promise<boolean> {
  return isLike(dir, of, [of.now, head])
}

/** True if the two commits are like each other in all that the merge changed. */
export async function isLike(dir: WorkTree, { old, now }: Change, [a, b]: readonly [string, string]) {
  const differs = new Set(await pathsBetween(dir, a, b))
  return (await pathsBetween(dir, old, now)).every((path) => !differs.has(path))
}

export async function pathsBetween(dir: WorkTree, a: string, b: string): Promise<string[]> {
  return zeroSplit((await runGit(dir, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', a, b])).out)
}

/** Puts the files that the merge wrote back to what the commit before has. The person's index is not touched. */
export async function putBack(tree: WorkTree, { old, now }: Mark): Promise<void> {
  const edits = await editsBetween(tree, old, now)
  const copy = copyIndex(tree.gitDir)
  const work = { tree, env: copy.env }
  try {
    const written = edits.filter((edit) => edit.now !== null)
    await setEntries(work, written, 'now')
    await runGit(tree, ['update-index', '-q', '--refresh'], { env: copy.env, ok: 'any' })
    const look = ['diff-files', '--ignore-submodules=all', '--name-only', '-z']
    const changed = new Set(zeroSplit((await runGit(tree, look, { env: copy.env })).out))
    const own = written.filter(({ path }) => !changed.has(path))
    for (const edit of own) if (edit.old === null) removeFile(tree.top, edit.path)
    await setEntries(work, edits, 'old')
    await checkOut(work, own, ['-f'])
    await checkOut(
      work,
      edits.filter((edit) => edit.now === null),
      [],
    )
  } finally {
    copy.drop()
  }
}

interface Work {
  readonly tree: WorkTree
  readonly env: Readonly<Record<string, string>>
}

async function setEntries({ tree, env }: Work, edits: readonly Edit[], side: 'old' | 'now'): Promise<void> {
  if (edits.length === 0) return
  const input = indexInfo(edits.map((edit) => ({ path: edit.path, now: edit[side] })))
  await runGit(tree, ['update-index', '-z', '--index-info'], { env, input, ok: 'any' })
}

async function checkOut(
  { tree, env }: Work,
  edits: readonly Edit[],
  flags: readonly string[],
): Promise<void> {
  const paths = edits.filter(({ old }) => old !== null).map(({ path }) => `${path}\0`)
  if (paths.length === 0) return
  const args = ['checkout-index', '-q', ...flags, '-z', '--stdin']
  await runGit(tree, args, { env, input: paths.join(''), ok: 'any' })
}

/** With the folders that only held it. */
function removeFile(dir: string, path: string): void {
  rmSync(join(dir, path), { force: true })
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      rmdirSync(join(dir, parent))
    } catch {
      return
    }
  }
}

export interface PrivateIndex {
  readonly env: { readonly GIT_INDEX_FILE: string }
  /**
   * The user's index locked, with the copy in it, or with these changes if it is another by now. Null: not now, or a path
   * of them was staged since.
   */
  hold(edits: readonly Edit[]): Promise<Held | null>
  drop(): void
}

let count = 0

export function copyIndex(gitDir: string): PrivateIndex {
  const dir = join(gitDir, 'neo')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, `index-${process.pid}-${++count}`)
  const from = join(gitDir, 'index')
  const stamp = fileStamp(from)
  if (existsSync(from)) copyFileSync(from, file)
  return {
    env: { GIT_INDEX_FILE: file },
    async hold(edits) {
      const like = statSync(file, { bigint: true, throwIfNoEntry: false })
      const whole =
        like === undefined || fileStamp(from) !== stamp
          ? null
          : await holdWith(gitDir, { stamp, bytes: readFileSync(file), like })
      const held = whole === null ? await holdIndex(gitDir, edits, false) : null
      if (held?.isWhole() !== false) return whole ?? held
      held.release()
      return null
    },
    drop: () => {
      for (const path of [file, `${file}.lock`]) rmSync(path, { force: true })
    },
  }
}

/** What changes from one commit to the other, as changes of the index. */
export async function editsBetween(dir: WorkTree, old: string, now: string): Promise<readonly Edit[]> {
  const listed = zeroSplit((await runGit(dir, ['diff-tree', '-r', '-z', '--no-renames', old, now])).out)
  return listed.flatMap((field, at): Edit[] => {
    const [, from, to, a, b] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w$/.exec(field) ?? []
    const path = listed[at + 1]
    if (at % 2 === 1 || path === undefined) return []
    return [{ path, old: leafOf(from, a), now: leafOf(to, b) }]
  })
}

function leafOf(mode = '', oid = ''): { readonly mode: string; readonly oid: string } | null {
  return Number(mode) === 0 ? null : { mode, oid }
}
