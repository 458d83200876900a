/**
 * Trees: files of a commit, and rewriting a tree, where only trees on the way to the changed paths are read and written.
 * Nothing is read from the work tree, so ignored files never are. Invariants: 1. a rewritten tree handles names as bytes
 * (latin1 strings), so that no name is ever changed; 2. links and submodules aren't files.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { TrackedFiles } from '../../../ports/worktree-port.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import type { Living } from '../process/living.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'
import type { Batch } from './objects.ts'

export interface Leaf {
  /** `100644`, `100755`, `120000` */
  readonly mode: string
  readonly oid: string
}

type Changes = ReadonlyMap<string, Leaf | null>

/** Entries of one tree by name. */
type Entries = ReadonlyMap<string, Leaf>

export const TREE_MODE = '40000'
/** Trees remembered; a home's changes go to the same few folders again and again. */
const MOST = 300
/** Entries of all trees remembered, about 5 MB; the latest trees of one change are kept whatever their size. */
const MOST_ENTRIES = 60_000
const LATEST = 8

export interface Trees {
  /** The tree with these paths set, or removed if the leaf is null. Null: it would be empty. */
  rewrite(root: string | null, changes: Changes, batch: Batch): Promise<string | null>
  /** What is at a path. */
  at(root: string | null, path: string): Promise<Leaf | null>
}

export function openTrees(repository: Repository): Trees {
  const { entriesOf, remember } = openEntries(repository)

  async function rewrite(root: string | null, changes: Changes, batch: Batch): Promise<string | null> {
    const entries = new Map(root === null ? [] : await entriesOf(root))
    const below = new Map<string, Map<string, Leaf | null>>()
    for (const [path, leaf] of changes) {
      const slash = path.indexOf('/')
      if (slash < 0) put(entries, path, leaf)
      else inner(below, path.slice(0, slash)).set(path.slice(slash + 1), leaf)
    }
    for (const [name, deeper] of below) {
      // A file took the folder's place: what is taken out below it is gone with it.
      if (changes.get(name)) continue
      const old = entries.get(name)
      const tree = old?.mode === TREE_MODE ? old.oid : null
      const oid = await rewrite(tree, deeper, batch)
      if (oid !== null) entries.set(name, { mode: TREE_MODE, oid })
      else if (tree !== null) entries.delete(name)
    }
    if (entries.size === 0) return null
    const oid = batch.add('tree', renderTree(entries))
    remember(oid, entries)
    return oid
  }

  async function at(root: string | null, path: string): Promise<Leaf | null> {
    let leaf: Leaf | null = root === null ? null : { mode: TREE_MODE, oid: root }
    for (const name of bytesOf(path).split('/')) {
      if (leaf === null || leaf.mode !== TREE_MODE) return null
      leaf = (await entriesOf(leaf.oid)).get(name) ?? null
    }
    return leaf
  }

  return {
    at,
    rewrite: (root, changes, batch) =>
      rewrite(root, new Map([...changes].map(([path, leaf]) => [bytesOf(path), leaf])), batch),
  }
}

/** A tree's entries by name (latin1); none if there is no such tree. */
export async function readTree({ contents }: Pick<Living, 'contents'>, oid: string): Promise<Entries> {
  const object = await contents(oid)
  return object === null ? new Map() : parseTree(object.bytes)
}

/** Parsed trees by id, the latest few. */
function openEntries(repository: Repository): {
  entriesOf(oid: string): Promise<Entries>
  remember(oid: string, entries: Entries): Entries
} {
  const cache = new Map<string, Entries>()
  let held = 0
  function remember(oid: string, entries: Entries): Entries {
    forget(oid)
    cache.set(oid, entries)
    held += entries.size
    for (const old of cache.keys()) {
      if (cache.size <= LATEST || (cache.size <= MOST && held <= MOST_ENTRIES)) break
      forget(old)
    }
    return entries
  }
  function forget(oid: string): void {
    held -= cache.get(oid)?.size ?? 0
    cache.delete(oid)
  }
  return {
    remember,
    async entriesOf(oid) {
      const cached = cache.get(oid)
      if (cached !== undefined) return cached
      return remember(oid, await readTree(repository.living, oid))
    },
  }
}

function put(entries: Map<string, Leaf>, name: string, leaf: Leaf | null): void {
  if (leaf === null) entries.delete(name)
  else entries.set(name, leaf)
}

function inner<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>()
  map.set(key, found)
  return found
}

function bytesOf(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1')
}

function parseTree(bytes: Buffer): Entries {
  const entries = new Map<string, Leaf>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const zero = bytes.indexOf(0, space)
    const mode = bytes.toString('latin1', at, space)
    entries.set(bytes.toString('latin1', space + 1, zero), {
      mode,
      oid: bytes.toString('hex', zero + 1, zero + 21),
    })
    at = zero + 21
  }
  return entries
}

/** Git orders folders as if their name ended in a slash. */
function renderTree(entries: Entries): Buffer {
  const keyed = [...entries].map(([name, leaf]) => ({
    name,
    leaf,
    key: leaf.mode === TREE_MODE ? `${name}/` : name,
  }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const parts = keyed.flatMap(({ name, leaf }) => [
    Buffer.from(`${leaf.mode} ${name}\0`, 'latin1'),
    Buffer.from(leaf.oid, 'hex'),
  ])
  return Buffer.concat(parts)
}

/**
 * The tracked files of a workspace's base branch; null if the base is gone. `unless`: no list for this commit; `only`: just
 * these files and folders.
 */
export async function filesAt(
  repository: Repository,
  { folder, base }: Place,
  { unless, only }: { readonly unless: string; readonly only?: readonly string[] | undefined },
): Promise<TrackedFiles | null> {
  const commit = await tipOf(repository, base)
  if (commit === null || commit === unless) return commit === null ? null : { commit, files: new Map() }
  const inside = folder === '' ? '' : `${folder}/`
  const paths = only?.map((path) => `${inside}${path}`) ?? (folder === '' ? [] : [inside])
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...paths]
  const listed = await runGit(repository, args)
  const files = zeroSplit(listed.out).flatMap((line) => {
    const [, id, size, path] = /^100\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? []
    if (id === undefined || path === undefined) return []
    return [[folder === '' ? path : path.slice(folder.length + 1), { id, size: Number(size) }] as const]
  })
  return { commit, files: new Map(files) }
}

export async function blobAt({ living }: Repository, id: string): Promise<Buffer | null> {
  return (await living.contents(id))?.bytes ?? null
}
