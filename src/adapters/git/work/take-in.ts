/**
 * Makes a tree of what has changed in a session's worktree. Files are opened here, without following a link on any part
 * of the way; git gets bytes, or copies in a folder of Neo, and never opens a file that a model can swap. Invariants:
 * 1. a file whose filter does not run here is not taken in; nothing is then; 2. objects go into the repository's own
 * store, the index is the worktree's own.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { closeFolder, type Folder, openTop } from '../../worktree-files/walk.ts'
import { type Edit, indexInfo, patchIndex, treeOf } from '../commit/index-file.ts'
import { takeLock } from '../commit/lock-file.ts'
import { type Attributes, conversionOf, type Stage, withStage } from '../filters/filtered.ts'
import type { Repository } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { gitText, runGit } from '../process/run-git.ts'
import { type Author, filtersFor, type Shadow, shadowOf } from '../process/shadow.ts'
import { type Batch, objectId, openBatch } from '../reading/objects.ts'
import { type Read, readFile, readLink } from '../reading/read-safely.ts'
import { type Leaf, openTrees } from '../reading/tree.ts'
import { treeLeft } from '../worktree/untouched.ts'
import { type Candidate, type Changes, leafOf } from './changes.ts'
import { refusedContent } from './reserved.ts'

export type TakenIn =
  | { readonly kind: 'tree'; readonly tree: string }
  /** `filter`: the name of a filter that does not run here. */
  | { readonly kind: 'filtered'; readonly filter: string; readonly path: string }
  | { readonly kind: 'wrong'; readonly why: string }

type Wrong = Exclude<TakenIn, { kind: 'tree' }>

interface Work {
  readonly repository: Repository
  readonly tree: WorkTree
  readonly changes: Changes
  readonly shadow: Shadow
  readonly batch: Batch
  readonly top: Folder
  readonly author: Author
}

type Leaves = Map<string, Leaf | null>

export function takeIn(
  repository: Repository,
  tree: WorkTree,
  of: Pick<Work, 'changes' | 'author'>,
): Promise<TakenIn> {
  const { changes } = of
  return withWork({ repository, tree, ...of }, async (work) => {
    const leaves = await leavesIn(work)
    if ('kind' in leaves) return leaves
    for (const { path } of changes.gone) leaves.set(path, null)
    return { kind: 'tree', tree: await record(work, leaves) }
  })
}

/** True where taking in would change something, or leave something out; nothing is written but objects. */
export async function isChanged(
  repository: Repository,
  tree: WorkTree,
  of: Pick<Work, 'changes' | 'author'>,
): Promise<boolean> {
  const { changes } = of
  if (changes.gone.length > 0 || changes.leftOut.length > 0) return true
  return withWork({ repository, tree, ...of }, async (work) => {
    const leaves = await leavesIn(work)
    return 'kind' in leaves || leaves.size > 0
  })
}

/** Holds the work tree's top folder open, and drops the objects that were not landed. */
async function withWork<T>(
  of: Pick<Work, 'repository' | 'tree' | 'changes' | 'author'>,
  act: (work: Work) => Promise<T>,
): Promise<T> {
  const shadow = await shadowOf(of.tree)
  const top = openTop(of.tree.top)
  const batch = openBatch(of.repository)
  try {
    return await act({ ...of, shadow, top, batch })
  } finally {
    batch.drop()
    closeFolder(top)
  }
}

function leavesIn(work: Work) {
  return needsStage(work) ? inStage(work) : leavesOf(work, null)
}

const LARGE = 64 * 1024 * 1024

/** Something may convert a file, or one is too large for memory. */
function needsStage({ tree, changes, shadow, top }: Work): boolean {
  const { candidates, entries } = changes
  const files = candidates.filter(({ kind }) => kind === 'file')
  if (files.length === 0) return false
  const sources = [join(tree.commonDir, 'info', 'attributes'), shadow.attributesFile]
  return (
    shadow.converts ||
    entries.entries.some(({ path }) => isAttributes(path)) ||
    files.some(({ path }) => isAttributes(path)) ||
    sources.some((path) => existsSync(path)) ||
    files.some(({ path }) => (lstatSync(join(top.path, path), { throwIfNoEntry: false })?.size ?? 0) > LARGE)
  )
}

function inStage(work: Work): Promise<Leaves | Wrong> {
  return withStage(work.tree, async (stage) => {
    const files = work.changes.candidates.filter(({ kind }) => kind === 'file').map(({ path }) => path)
    for (const path of attributeFiles(work, files)) {
      const bytes = await attributesAt(work, path)
      if (bytes !== null) stage.put(path, bytes)
    }
    return leavesOf(work, { stage, attributes: await stage.attributes(files) })
  })
}

/** Those above the given files, tracked or new. */
function attributeFiles({ changes }: Work, files: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const file of files) for (let at = dirname(file); !folders.has(at); at = dirname(at)) folders.add(at)
  const paths = [...changes.entries.entries, ...changes.candidates].map(({ path }) => path)
  return new Set(paths.filter((path) => isAttributes(path) && folders.has(dirname(path))))
}

async function attributesAt({ repository, changes, top }: Work, path: string): Promise<Buffer | null> {
  const entry = changes.entries.entries.find((one) => one.path === path)
  if (entry?.isSkipped === true) return (await repository.living.contents(entry.oid))?.bytes ?? null
  return readFile(top, path)?.bytes ?? null
}

function isAttributes(path: string): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes')
}

interface Staged {
  readonly stage: Stage
  readonly attributes: ReadonlyMap<string, Attributes>
}

async function leavesOf(work: Work, staged: Staged | null): Promise<Leaves | Wrong> {
  const { changes, top, batch, shadow } = work
  const runs = { converts: shadow.converts, filters: filtersFor(shadow, work.author) }
  const leaves: Leaves = new Map()
  const forGit = new Map<string, string>()
  for (const candidate of changes.candidates) {
    const { path, old, kind } = candidate
    const read = kind === 'link' ? readLink(top, path) : readFile(top, path)
    if (read === null) return { kind: 'wrong', why: `${path} changed while it was read` }
    const mode = modeOf(read, candidate, shadow)
    const isSame = read.bytes !== null && old !== null && objectId('blob', read.bytes) === old.oid
    if (isSame && mode === old.mode) continue
    const refused = read.bytes === null || kind === 'link' ? null : refusedContent(path, read.bytes)
    if (refused !== null) return { kind: 'wrong', why: refused }
    const conversion = kind === 'link' ? 'none' : conversionOf(staged?.attributes.get(path), runs)
    if (typeof conversion !== 'string') return { kind: 'filtered', filter: conversion.filter, path }
    if (read.bytes !== null && conversion === 'none')
      leaves.set(path, { mode, oid: batch.add('blob', read.bytes) })
    else forGit.set(path, mode)
  }
  return staged === null || forGit.size === 0 ? leaves : hashed(work, staged.stage, { forGit, leaves })
}

/** Git converts, and writes, copies of Neo. */
async function hashed(
  { top, changes }: Work,
  stage: Stage,
  { forGit, leaves }: { readonly forGit: ReadonlyMap<string, string>; readonly leaves: Leaves },
): Promise<Leaves | Wrong> {
  const paths = [...forGit.keys()]
  for (const path of paths)
    if (!isAttributes(path) && !stage.copy(top, path))
      return { kind: 'wrong', why: `${path} changed while it was read` }
  const oids = await stage.hash(paths)
  if ('wrong' in oids) return { kind: 'wrong', why: oids.wrong }
  const olds = new Map(changes.candidates.map(({ path, old }) => [path, old]))
  for (const [at, path] of paths.entries()) {
    const leaf = { mode: forGit.get(path) ?? '100644', oid: oids[at] ?? '' }
    const old = olds.get(path) ?? null
    if (old?.oid !== leaf.oid || old.mode !== leaf.mode) leaves.set(path, leaf)
  }
  return leaves
}

/** Where files have no modes that count, git keeps what it had. */
function modeOf({ isLink, isExecutable }: Read, { old }: Candidate, { fileMode }: Shadow): string {
  if (isLink) return '120000'
  if (!fileMode) return old === null || old.mode === '120000' ? '100644' : old.mode
  return isExecutable ? '100755' : '100644'
}

/** The tree of the index with these leaves, and the index with them. */
async function record({ repository, tree, changes, batch }: Work, leaves: Leaves): Promise<string> {
  const file = join(tree.gitDir, 'index')
  const bytes = existsSync(file) ? readFileSync(file) : null
  const base = bytes === null ? null : (treeOf(bytes) ?? treeLeft(tree))
  const made = base === null || leaves.size === 0 ? base : await rewritten(base)
  await batch.land()
  if (leaves.size > 0) {
    const olds = new Map(changes.entries.entries.map((entry) => [entry.path, entry]))
    const edits = [...leaves].map(([path, now]) => ({ path, old: leafOf(olds.get(path) ?? null), now }))
    await writeIndex(tree, bytes, edits)
  }
  return made ?? gitText(tree, ['write-tree'])

  async function rewritten(root: string): Promise<string> {
    return (await openTrees(repository).rewrite(root, leaves, batch)) ?? batch.add('tree', Buffer.alloc(0))
  }
}

/** As long as somebody's git in the worktree may hold its index. */
const LOCK_MS = 2000

async function writeIndex(tree: WorkTree, bytes: Buffer | null, edits: readonly Edit[]): Promise<void> {
  const patched = patchIndex(bytes, edits)
  const { gitDir } = tree
  const wish = patched === null ? null : { gitDir, name: 'index', bytes: patched.bytes }
  const held = wish === null ? null : await takeLock(wish, LOCK_MS)
  if (held?.land() === true) return
  await runGit(tree, ['update-index', '-z', '--index-info'], { input: indexInfo(edits) })
}
