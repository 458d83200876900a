/**
 * Makes a new branch with a worktree that is not checked out yet, as `git worktree add --no-checkout -b` does, without
 * its five processes: files in git's own layout (gitrepository-layout, "worktrees") and the ref under git's own lock.
 * Removes such a branch, and repairs the absolute paths between a repository and its worktrees after the home was moved.
 * Invariants: 1. a ref that exists is never written; 2. cut off anywhere it leaves what `git worktree add` and `prune`
 * clear: first the branch, then the whole registration by one rename, then the folder with its `.git`; 3. a repair only
 * changes registrations that have the worktree's own name, and only if the folder is there.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Place } from '../../../domain/session/session.ts'
import { prepare } from '../commit/lock-file.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { linkedAt, statAt } from '../locate.ts'
import { runGit, runPlainGit } from '../process/run-git.ts'

export interface Registration {
  /** Folder to make. */
  readonly dir: string
  readonly branch: string
  /** Full id. */
  readonly commit: string
}

/** `branch`: that much was made, and git has to do the rest; `nothing`: git has to do it all. */
export type Registered = 'made' | 'branch' | 'nothing'

/** Makes branch and registration, or as much as can be made here; nothing that it leaves is in git's way. */
export async function registerWorktree({ commonDir }: Repository, wanted: Registration): Promise<Registered> {
  const { dir, branch } = wanted
  const ref = `refs/heads/${branch}`
  const entry = join(commonDir, 'worktrees', basename(dir))
  let made: Registered = 'nothing'
  try {
    if (
      !isPlainName(branch) ||
      existsSync(dir) ||
      statAt(entry) !== undefined ||
      !isPlainRepository(commonDir)
    )
      return made
    if (!(await createRef(commonDir, ref, wanted.commit))) return made
    made = 'branch'
    enter(commonDir, entry, { dir: join(realpathSync(dirname(dir)), basename(dir)), ref })
    mkdirSync(dir)
    writeFileSync(join(dir, '.git'), `gitdir: ${entry}\n`)
    return 'made'
  } catch {
    // A full disk, or somebody else's git at the same moment: git tries, and says what is wrong.
    if (made === 'branch')
      for (const path of [entry, join(dir, '.git')]) rmSync(path, { recursive: true, force: true })
    return made
  }
}

/** Names that we make ourselves: git's rules for names allow more. */
function isPlainName(branch: string): boolean {
  return /^neo(?:-work)?\/[\p{L}\p{N}_-]+(?:\/[\p{L}\p{N}_-]+)*$/u.test(branch)
}

/** Extensions may ask for other formats of refs or registrations than these. */
function isPlainRepository(commonDir: string): boolean {
  if (existsSync(join(commonDir, 'reftable')) || !statSync(join(commonDir, 'HEAD')).isFile()) return false
  return !/^\s*\[\s*(extensions|include)/im.test(readFileSync(join(commonDir, 'config'), 'utf8'))
}

async function createRef(commonDir: string, ref: string, commit: string): Promise<boolean> {
  mkdirSync(dirname(join(commonDir, ref)), { recursive: true })
  const wish = prepare({ gitDir: commonDir, name: ref, bytes: Buffer.from(`${commit}\n`) })
  try {
    await wish.synced()
    const held = wish.take()
    if (held === null) return false
    if (statAt(join(commonDir, ref)) === undefined && !isPacked(commonDir, ref)) return held.land()
    held.release()
    return false
  } finally {
    wish.drop()
  }
}

/** The name, one above it or one below it is in use. */
function isPacked(commonDir: string, ref: string): boolean {
  const file = join(commonDir, 'packed-refs')
  if (!existsSync(file)) return false
  return readFileSync(file, 'utf8')
    .split('\n')
    .some((line) => {
      const name = line.slice(line.indexOf(' ') + 1)
      return name === ref || name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`)
    })
}

/** Written beside and renamed: git sees a registration that is whole, or none. */
export function enter(commonDir: string, entry: string, { dir, ref }: { dir: string; ref: string }): void {
  const temp = join(commonDir, 'neo', `${basename(entry)}.tmp`)
  rmSync(temp, { recursive: true, force: true })
  mkdirSync(temp, { recursive: true })
  writeFileSync(join(temp, 'commondir'), '../..\n')
  writeFileSync(join(temp, 'gitdir'), `${join(dir, '.git')}\n`)
  writeFileSync(join(temp, 'HEAD'), `ref: ${ref}\n`)
  mkdirSync(dirname(entry), { recursive: true })
  renameSync(temp, entry)
}

/** Deletes a branch that is at `commit` and checked out nowhere. False if git has to do it; nothing was done then. */
export function dropBranch({ commonDir }: Repository, branch: string, commit: string): boolean {
  const ref = `refs/heads/${branch}`
  try {
    if (!isPlainName(branch) || !isPlainRepository(commonDir) || isNamed(commonDir, branch)) return false
    const wish = prepare({ gitDir: commonDir, name: ref, bytes: Buffer.alloc(0) })
    const held = wish.take()
    try {
      if (held === null || isPacked(commonDir, ref) || !isLoose(commonDir, ref, commit)) return false
      rmSync(join(commonDir, 'logs', ref), { force: true })
      rmSync(join(commonDir, ref))
      return true
    } finally {
      held?.release()
      wish.drop()
    }
  } catch {
    return false
  }
}

/** Some work tree is on the branch, or the configuration says something about it. */
function isNamed(commonDir: string, branch: string): boolean {
  const linked = join(commonDir, 'worktrees')
  const heads = existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name, 'HEAD')) : []
  return (
    readFileSync(join(commonDir, 'config'), 'utf8').includes(`"${branch}"`) ||
    [join(commonDir, 'HEAD'), ...heads].some(
      (head) => existsSync(head) && readFileSync(head, 'utf8').trimEnd() === `ref: refs/heads/${branch}`,
    )
  )
}

function isLoose(commonDir: string, ref: string, commit: string): boolean {
  const file = join(commonDir, ref)
  return lstatSync(file).isFile() && readFileSync(file, 'latin1') === `${commit}\n`
}

/** Sparse settings as flags: the user's repository configuration is not changed. */
export const SPARSE = ['-c', 'core.sparseCheckout=true', '-c', 'core.sparseCheckoutCone=false'] as const

export function writeSparse(gitDir: string, folder: string): void {
  const info = join(gitDir, 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'sparse-checkout'), `/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/\n`)
}

export async function repairWorktree(
  repository: Repository,
  place: Place,
  of: { readonly dir: string; readonly branch: string },
): Promise<void> {
  repairPointers(repository, of.dir)
  await restoreEntry(repository, place, of)
}

/** As `git worktree repair`, by the registration alone. */
function repairPointers({ commonDir }: Pick<Repository, 'commonDir'>, dir: string): void {
  const entry = join(commonDir, 'worktrees', basename(dir))
  if (!existsSync(join(entry, 'gitdir')) || !lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const pointer = join(dir, '.git')
  const stat = lstatSync(pointer, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isFile()) return
  const [there, back] = [`${pointer}\n`, `gitdir: ${entry}\n`]
  if (readFileSync(join(entry, 'gitdir'), 'utf8') !== there) writeFileSync(join(entry, 'gitdir'), there)
  if (stat === undefined || readFileSync(pointer, 'utf8') !== back) writeFileSync(pointer, back)
}

/**
 * Makes the registration of a worktree again that is gone from the git dir (`git worktree prune` while a disk was away):
 * the folder holds a session's work. The index is that of the branch, the files stay as they are.
 */
export async function restoreEntry(
  repository: Repository,
  place: Place,
  { dir, branch, from }: { readonly dir: string; readonly branch: string; readonly from?: string },
): Promise<void> {
  const { commonDir, living } = repository
  const entry = join(commonDir, 'worktrees', basename(dir))
  if (existsSync(entry) || !lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile()) return
  if (isOfAnother(commonDir, dir)) return
  if ((await tipOf(repository, branch)) === null) {
    if (from === undefined || (await living.contents(from))?.type !== 'commit') return
    await runPlainGit(repository, ['update-ref', `refs/heads/${branch}`, from, ''], 'any')
  }
  enter(commonDir, entry, {
    dir: join(realpathSync(dirname(dir)), basename(dir)),
    ref: `refs/heads/${branch}`,
  })
  const tree = linkedAt(repository, dir)
  if (tree === null) return
  writeFileSync(join(dir, '.git'), `gitdir: ${entry}\n`)
  if (place.folder !== '') writeSparse(tree.gitDir, place.folder)
  await runGit(tree, [...(place.folder === '' ? [] : SPARSE), 'read-tree', '-m', 'HEAD'])
}

/** True if the folder's `.git` leads to a git dir that is there and is not one of this repository's worktrees. */
function isOfAnother(commonDir: string, dir: string): boolean {
  const named = /^gitdir: (.*?)\s*$/.exec(readFileSync(join(dir, '.git'), 'utf8'))?.[1]
  if (named === undefined) return false
  const gitDir = resolve(dir, named)
  return existsSync(gitDir) && realpathSync(dirname(gitDir)) !== join(realpathSync(commonDir), 'worktrees')
}

/** The home that a registration of Neo names; null if there isn't one. */
export function registeredHome({ commonDir }: Pick<Repository, 'commonDir'>): string | null {
  const folder = join(commonDir, 'worktrees')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name, 'gitdir')
    const at = existsSync(file)
      ? /^(.*)\/\.neo\/worktrees\/[^/]+\/\.git\n?$/.exec(readFileSync(file, 'utf8'))
      : null
    if (at?.[1] !== undefined) return at[1]
  }
  return null
}
