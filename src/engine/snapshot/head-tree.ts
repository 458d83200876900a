/**
 * The tree of HEAD, and how a file compares with it: new, same, edited or stale. Invariants: 1. a `neo:` block that is
 * older than the committed one, or missing, is stale, never an edit; 2. an edit of what came after the committed block is
 * an edit: the commit went back. What a commit undid without an edit is stale, and effects/adopt.ts restores it.
 */
import type { GitStatus } from '../../domain/plan/snapshot.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { sameData } from '../../files/values/equal.ts'
import { neoBlockOf } from '../../files/merge/merge-stale.ts'
import type { Git } from '../../ports/git-port.ts'
import type { FileChange } from '../commit/journal.ts'

export interface HeadComparison {
  readonly gitStatus: GitStatus
  readonly status: TaskStatus | null
}

export interface HeadTree {
  /** Loads the tree of this commit. True if it was another one before. */
  load(commit: string | null): Promise<boolean>
  /** Applies a commit of Neo, so that the tree is not read again. */
  advance(parent: string | null, commit: string, changes: readonly FileChange[]): void
  paths(): ReadonlyMap<string, string>
  compareToHead(path: string, hash: string, text: string): Promise<HeadComparison>
}

/** How many versions of a file are searched for the block that it carries. */
const VERSIONS = 200
const FOLDERS = ['rooms', 'workspace', 'templates', 'neo.yaml', '.env']

/** @param paths the only ones of the tree that are read; absent: all that a home may have */
export function openHeadTree(
  git: Git,
  zone: () => string,
  { paths = FOLDERS }: { readonly paths?: readonly string[] } = {},
): HeadTree {
  let blobs = new Map<string, string>()
  let known: string | null | undefined
  const texts = committedTexts(git)

  async function compareToHead(path: string, hash: string, text: string): Promise<HeadComparison> {
    const blob = blobs.get(path)
    if (blob === undefined) return { gitStatus: 'new', status: null }
    if (blob === hash) return { gitStatus: 'same', status: null }
    const committed = await texts(blob)
    if (committed.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n'))
      return { gitStatus: 'same', status: null }
    if (isUnhandled(path, committed, text)) return { gitStatus: 'stale', status: null }
    const status = statusOf(path, committed, zone())
    return { gitStatus: await compare(path, { git, texts, committed, text }), status }
  }

  return {
    async load(commit) {
      if (commit === known) return false
      blobs = commit === null ? new Map() : await git.tree(commit, paths)
      known = commit
      return true
    },
    advance(parent, commit, changes) {
      if (parent !== known) return
      known = commit
      for (const { path, after } of changes) {
        if (after === null) blobs.delete(path)
        else blobs.set(path, git.blobId(Buffer.from(after)))
      }
    },
    paths: () => blobs,
    compareToHead,
  }
}

type Texts = (blob: string) => Promise<string>

/** Cached: an edited file is compared at each look. */
function committedTexts(git: Git): Texts {
  const texts = new Map<string, Promise<string>>()
  return (blob) => {
    const cached = texts.get(blob)
    if (cached !== undefined) return cached
    if (texts.size > REMEMBERED) texts.clear()
    const text = git.blob(blob).then((bytes) => bytes.toString('utf8'))
    texts.set(blob, text)
    // The next look asks git again.
    text.catch(() => texts.delete(blob))
    return text
  }
}

const REMEMBERED = 500

interface Pair {
  readonly git: Git
  readonly texts: Texts
  readonly committed: string
  readonly text: string
}

async function compare(path: string, { git, texts, committed, text }: Pair): Promise<GitStatus> {
  const ours = neoBlockOf(committed)
  const theirs = neoBlockOf(text)
  if (ours === null || sameData(ours, theirs)) return 'edited'
  if (theirs === null || theirs['id'] !== ours['id']) return 'stale'
  let carried: 'no' | 'block' | 'whole' = 'no'
  for (const version of await git.versions(path, VERSIONS)) {
    const found = await texts(version.blob)
    const block = neoBlockOf(found)
    if (carried === 'block' && sameData(block, ours)) return 'edited'
    if (found === text) carried = 'whole'
    else if (carried === 'no' && sameData(block, theirs)) carried = 'block'
  }
  return carried === 'no' ? 'edited' : 'stale'
}

/** A request that was handled stays so, whatever an open editor saves over it. */
function isUnhandled(path: string, committed: string, text: string): boolean {
  return path.includes('/asks/') && HANDLED.test(committed) && !HANDLED.test(text)
}

const HANDLED = /^handled_at:/m

function statusOf(path: string, text: string, zone: string): TaskStatus | null {
  const read = path.includes('/tasks/') ? readTask(path, text, zone) : null
  return read?.kind === 'ok' ? read.value.status : null
}
