/**
 * Taking our own writes back from disk, when the commit that goes with them was refused because HEAD is elsewhere: they
 * would stand in the way of the person's way back. What was decided is decided afresh when the home is home again.
 * Invariant 1: only a file that holds exactly our bytes is touched. Invariant 2: what a person had written and not
 * committed before us comes back; else the file becomes what HEAD has, or goes where HEAD has none.
 */
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { FileChange } from './file-change.ts'

/** A change, with the bytes that it replaced where they are known. */
export interface Written extends FileChange {
  readonly was?: Buffer
}

/** `some`: of at least one file it is not known what it was before; it is left as it is. */
export async function takeBack(context: Context, changes: readonly Written[]): Promise<'all' | 'some'> {
  const { git } = context.world
  const { commit } = await git.head()
  const paths = changes.map(({ path }) => path)
  const present = commit === null ? new Map<string, string>() : await git.tree(commit, paths)
  let result: 'all' | 'some' = 'all'
  for (const change of changes)
    if (!(await takeBackOne(context, change, present.get(change.path) ?? null))) result = 'some'
  return result
}

async function takeBackOne(context: Context, change: Written, head: string | null): Promise<boolean> {
  const { path, before, after, was } = change
  // A file that we took away is not in anybody's way.
  if (after === null) return true
  const { files, git } = context.world
  const full = join(context.home, path)
  const ours = git.blobId(Buffer.from(after))
  const found = files.read(full, Number.MAX_SAFE_INTEGER)
  if (found.kind !== 'file' || git.blobId(found.bytes) !== ours || head === ours) return true
  if (before !== null && before !== head && before !== context.look.tree().get(path)) {
    if (was === undefined) return false
    files.save(full, was, ours)
    return true
  }
  if (head === null) files.remove(full, ours)
  else files.save(full, await git.blob(head), ours)
  return true
}
