/**
 * Undoes writes whose intent is not carried out, so that they block no checkout and don't pass for edits of the user. Only
 * a file with exactly our bytes is touched: it becomes what the person had saved before, else what HEAD has.
 */
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { FileChange } from './journal.ts'

/** A change, with the bytes that it replaced if they are known. */
export interface Written extends FileChange {
  readonly was?: Buffer
}

/** `some`: a file was left, because nothing says what it was. */
export async function undoWrites(context: Context, changes: readonly Written[]): Promise<'all' | 'some'> {
  const { git } = context.world
  const { commit } = await git.head()
  const paths = changes.map(({ path }) => path)
  const present = commit === null ? new Map<string, string>() : await git.tree(commit, paths)
  let result: 'all' | 'some' = 'all'
  for (const change of changes)
    if (!(await undoWrite(context, change, present.get(change.path) ?? null))) result = 'some'
  return result
}

async function undoWrite(context: Context, change: Written, head: string | null): Promise<boolean> {
  const { path, before, after, was } = change
  // A missing file blocks nothing, and the user may have deleted it.
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
