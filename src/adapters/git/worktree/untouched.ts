/**
 * Worktrees in which nothing has changed, told and taken away without a process: most runbooks change no file.
 * Invariants: 1. untouched is a worktree whose index is the file that was left, and whose files are those of the folder,
 * each with its bytes and mode, and none more, ignored ones included; 2. only such files are removed, one by one: what
 * comes in between stays, and so does the worktree.
 */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { converts } from '../filters/filtered.ts'
import { type Repository, rootOf } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { objectId } from '../reading/objects.ts'
import { type Leaf, readTree, TREE_MODE } from '../reading/tree.ts'
import { fileStamp } from '../state-file.ts'

interface Left {
  readonly stamp: string
  readonly tree: string
  readonly folder: string
}

/** Worktrees of this process by folder, as their index was left. */
const left = new Map<string, Left>()
/** More than runbooks have around them; beyond it git's look at times is cheaper than ours at bytes. */
const MOST_FILES = 100

/** The index of this worktree is that of the tree now. */
export function leftWith(
  tree: WorkTree,
  of: { readonly tree: string | null; readonly folder: string },
): void {
  const stamp = stampOf(tree)
  if (of.tree === null || stamp === '') left.delete(tree.top)
  else left.set(tree.top, { stamp, tree: of.tree, folder: of.folder })
}

/** The tree of the worktree's index, where we left it so; null if that is not sure. */
export function treeLeft(tree: WorkTree): string | null {
  const known = left.get(tree.top)
  return known !== undefined && known.stamp === stampOf(tree) ? known.tree : null
}

/** True where index and files of the worktree are those of this tree. False also if that is not sure. */
export async function isUntouched(
  repository: Repository,
  worktree: WorkTree,
  tree: string | null,
): Promise<boolean> {
  return (await filesAsIn(repository, worktree, tree)) !== null
}

/** Takes an untouched worktree away, its registration too. False: it has to be looked at more closely. */
export async function removeUntouched(repository: Repository, worktree: WorkTree): Promise<boolean> {
  const { top: dir, gitDir } = worktree
  if (existsSync(join(gitDir, 'locked')) || existsSync(goneOf(dir))) return false
  const head = /^([0-9a-f]{40})\n$/.exec(readFileSync(join(gitDir, 'HEAD'), 'latin1'))?.[1]
  const tree = head === undefined ? null : await rootOf(repository, head)
  const paths = await filesAsIn(repository, worktree, tree)
  if (paths === null || !removeFiles(dir, paths)) return false
  forget(repository, worktree)
  return true
}

/** The registration goes, and what is known of the worktree. */
export function forget(repository: WorkTree, { top, gitDir }: WorkTree): void {
  left.delete(top)
  removeEntry(repository, gitDir)
}

/** What a removal has left that was cut off after its first step. */
export function removeRest(dir: string): void {
  const gone = goneOf(dir)
  if (!existsSync(gone)) return
  for (const path of foundIn(gone) ?? []) unlinkSync(join(gone, path))
  if (isEmptied(gone)) rmSync(gone, { recursive: true })
}

/** The files of the worktree, all of them as in this tree; null if they are not, or that is not sure. */
async function filesAsIn(
  repository: Repository,
  worktree: WorkTree,
  tree: string | null,
): Promise<string[] | null> {
  const { top: dir } = worktree
  const known = left.get(dir)
  if (known === undefined || known.tree !== tree || known.stamp !== stampOf(worktree)) return null
  if (known.folder === '' || !lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile()) return null
  if (await converts(repository)) return null
  const files = await filesOf(repository, known)
  if (files === null) return null
  try {
    const found = foundIn(dir)
    const same = found?.length === files.size && found.every((path) => isAs(dir, path, files.get(path)))
    return same ? found : null
  } catch {
    return null
  }
}

/** Under another name first: then nobody finds it any more. False where something came in between; it is there again. */
function removeFiles(dir: string, paths: readonly string[]): boolean {
  const gone = goneOf(dir)
  renameSync(dir, gone)
  for (const path of paths) unlinkSync(join(gone, path))
  if (isEmptied(gone)) {
    unlinkSync(join(gone, '.git'))
    rmdirSync(gone)
    return true
  }
  renameSync(gone, dir)
  return false
}

export function goneOf(dir: string): string {
  return `${dir}.gone`
}

function stampOf({ gitDir }: WorkTree): string {
  return fileStamp(join(gitDir, 'index'))
}

/** The plain files of the folder in this tree, by path from the top; null for too many, and for anything else in it. */
async function filesOf({ living }: Repository, { tree, folder }: Left): Promise<Map<string, Leaf> | null> {
  let oid: string | undefined = tree
  for (const name of folder.split('/')) {
    const leaf: Leaf | undefined = oid === undefined ? undefined : (await readTree(living, oid)).get(name)
    oid = leaf?.mode === TREE_MODE ? leaf.oid : undefined
  }
  const files = new Map<string, Leaf>()
  const folders: [string, string][] = oid === undefined ? [] : [[folder, oid]]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const [name, leaf] of await readTree(living, next[1])) {
      const path = `${next[0]}/${Buffer.from(name, 'latin1').toString('utf8')}`
      if (leaf.mode === TREE_MODE) folders.push([path, leaf.oid])
      else if (leaf.mode === '100644' || leaf.mode === '100755') files.set(path, leaf)
      else return null
      if (files.size > MOST_FILES) return null
    }
  }
  return files
}

/** Paths of all that is in the worktree but its `.git`; null for too many. Folders count for nothing, as for git. */
function foundIn(dir: string): string[] | null {
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (path === '.git') continue
      if (entry.isDirectory()) folders.push(path)
      else found.push(path)
    }
    if (found.length > MOST_FILES || folders.length > MOST_FILES) return null
  }
  return found
}

function isAs(dir: string, path: string, leaf: Leaf | undefined): boolean {
  const stat = lstatSync(join(dir, path))
  if (leaf === undefined || !stat.isFile()) return false
  const mode = stat.mode & 0o100 ? '100755' : '100644'
  return mode === leaf.mode && objectId('blob', readFileSync(join(dir, path))) === leaf.oid
}

/** Removes folders that are empty. True if nothing but `.git` is left. */
function isEmptied(dir: string): boolean {
  const rest = readdirSync(dir, { withFileTypes: true }).filter(({ name }) => name !== '.git')
  return rest.every((entry) => entry.isDirectory() && isRemoved(join(dir, entry.name)))
}

function isRemoved(folder: string): boolean {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (!entry.isDirectory() || !isRemoved(join(folder, entry.name))) return false
  rmdirSync(folder)
  return true
}

/** Away with one rename: git sees a registration that is whole, or none. */
function removeEntry({ commonDir }: WorkTree, gitDir: string): void {
  const temp = join(commonDir, 'neo', `${gitDir.slice(gitDir.lastIndexOf('/') + 1)}.tmp`)
  rmSync(temp, { recursive: true, force: true })
  renameSync(gitDir, temp)
  rmSync(temp, { recursive: true, force: true })
}
