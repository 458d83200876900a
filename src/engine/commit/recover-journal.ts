/**
 * Finishes what a crash left in the journal. An intent is carried out as a whole, or nothing of it stays on disk:
 * 1. once its first file was written, it is finished. What a person has saved since stays on disk; the next look
 * compares it with the commit, and takes it for an edit or merges it; 2. if a person changed the first file before
 * that, or restored what was to be deleted, the intent is dropped, and its other files are taken back.
 */
import { join } from 'node:path'
import { closestBase } from '../../files/merge/merge-stale.ts'
import type { Context } from '../context.ts'
import { type FileChange, type JournalEntry, MAX_BYTES } from './journal.ts'
import { commit, inExistingRooms, isStillHome, type Transacted, write } from './transact.ts'
import { undoWrites } from './undo-writes.ts'

/** Returns how many intents still wait for git, and how many ended: then earlier snapshots are outdated. */
export async function recoverJournal(context: Context): Promise<{ waiting: number; ended: number }> {
  let waiting = 0
  const open = context.journal.unfinished()
  for (const entry of open) {
    const outcome = await recoverEntry(context, entry)
    if (outcome === 'waits') waiting++
    else context.journal.done(entry.seq)
  }
  return { waiting, ended: open.length - waiting }
}

async function recoverEntry(context: Context, entry: JournalEntry): Promise<Transacted> {
  if (entry.commit === null) return 'done'
  const all: FileChange[] = entry.changes.map(({ path, before, after }) => ({ path, before, after }))
  const changes = inExistingRooms(context, all)
  if (!(await isStillHome(context, entry.branch)))
    return (await undoWrites(context, changes)) === 'all' ? 'lost' : 'waits'
  if (context.look.branch() !== entry.branch) return 'waits'
  if (changes.length === 0 && all.length > 0) {
    await putBack(context, all)
    return drop(context, all)
  }
  const [contested] = changes
  // A file whose deletion was to be committed is there again.
  if (contested?.after === null && hashAt(context, contested.path) !== null) return drop(context, changes)
  const written = entry.notes.some(({ state }) => state === 'written')
  if (!(written && isWritten(context, changes))) {
    const first = (await hadBegun(context, changes)) ? 'written before' : 'contested'
    if ((await write(context, changes, first)) === 'lost') return drop(context, changes)
  }
  const result = await commit(context, entry.seq, { branch: entry.branch, changes, ...entry.commit })
  // The next look finds the new commit, and compares each file with it.
  return result.kind === 'busy' ? 'waits' : 'done'
}

/** Invariant 2. What nothing can restore stays: the next look takes it for an edit. */
async function drop(context: Context, changes: readonly FileChange[]): Promise<Transacted> {
  await undoWrites(context, changes)
  return 'lost'
}

/** The room that a file was to move to is gone: the file stays in its room. */
async function putBack(context: Context, changes: readonly FileChange[]): Promise<void> {
  const { files, git } = context.world
  for (const { path, before, after } of changes)
    if (after === null && before !== null && context.look.tree().get(path) === before)
      files.save(join(context.home, path), await git.blob(before), null)
}

/**
 * The first file was written before the crash, whatever it says now: a later one has our bytes, or its text is made of
 * ours rather than of what it was before.
 */
async function hadBegun(context: Context, changes: readonly FileChange[]): Promise<boolean> {
  const [first, ...later] = changes
  if (first === undefined || later.some((change) => isOurs(context, change))) return true
  const read = context.world.files.read(join(context.home, first.path), MAX_BYTES)
  if (first.after === null || read.kind !== 'file') return false
  return (
    closestBase(read.bytes.toString('utf8'), [await textBefore(context, first), first.after]) === first.after
  )
}

function isOurs(context: Context, { path, before, after }: FileChange): boolean {
  const ours = after === null ? null : context.world.git.blobId(Buffer.from(after))
  return before !== ours && hashAt(context, path) === ours
}

/** Of text that was never committed, git knows nothing; then what HEAD has is nearest. */
async function textBefore({ world, look }: Context, { path, before }: FileChange): Promise<string> {
  const { git } = world
  const head = look.tree().get(path)
  const bytes = async (blob: string | null | undefined): Promise<Buffer | null> =>
    blob === null || blob === undefined ? null : await git.blob(blob).catch(() => null)
  return ((await bytes(before)) ?? (await bytes(head)) ?? '').toString()
}

/** False if a change was undone on disk since it was written: by a checkout and back, or a stash. */
function isWritten(context: Context, changes: readonly FileChange[]): boolean {
  return changes.every(({ path, before, after }) => {
    const hash = hashAt(context, path)
    return after === null ? hash === null : before === null ? hash !== null : hash !== before
  })
}

/** Of transcripts too, which are long. */
function hashAt(context: Context, path: string): string | null {
  const read = context.world.files.read(join(context.home, path), Number.MAX_SAFE_INTEGER)
  return read.kind === 'file' ? context.world.git.blobId(read.bytes) : null
}
