/**
 * The writes of one decision and their commit, as one thing that a crash can't cut in two. Invariants: 1. the whole
 * intent is in the journal, on disk, before the first file is touched; 2. the first change is the contested one (a file
 * that people edit): if it fails, nothing else was written; 3. `recoverJournal` carries an unfinished intent out, once,
 * at the next start or look; 4. nothing is written while HEAD is away from Neo's branch, or while a git command of the
 * user checks files out (pull, rebase, stash, …): what was just written then is undone and decided again; 5. writes are
 * on disk before the branch moves, and before the intent is done.
 */
import { dirname, join } from 'node:path'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { CommitResult, Person } from '../../ports/git-port.ts'
import type { Context } from '../context.ts'
import type { JournalEntry } from './journal.ts'
import { type FileChange, MAX_BYTES } from './journal.ts'

export interface Intent {
  readonly kind: string
  readonly changes: readonly FileChange[]
  readonly subject: string
  readonly body?: string
  readonly trailers: readonly (readonly [string, string])[]
  readonly author: Person
}

/** `lost`: a file had changed, nothing was done. `waits`: written; the commit follows when git is free. */
export type Transacted = 'done' | 'lost' | 'waits'

export async function transact(context: Context, intent: Intent): Promise<Transacted> {
  const { journal } = context
  const branch = context.look.branch()
  const wanted = inExistingRooms(context, intent.changes)
  if (wanted.length === 0 && intent.changes.length > 0) return 'lost'
  if (branch === null || (await isCheckoutRunning(context)) || !(await isStillHome(context))) return 'lost'
  const seq = journal.begin({
    key: `${intent.kind}:${intent.changes[0]?.path ?? ''}:${intent.changes[0]?.before ?? ''}`,
    kind: intent.kind,
    changes: [...wanted],
    commit: {
      subject: intent.subject,
      body: intent.body ?? '',
      trailers: [...intent.trailers],
      author: intent.author,
    },
    branch,
  })
  const changes = wanted.map((change) => withBytes(context, change))
  const written = await write(context, changes)
  if (written === 'lost') {
    journal.done(seq)
    return 'lost'
  }
  journal.note(seq, 'written')
  const result = await commit(context, seq, { branch, ...intent, changes: wanted })
  if (result.kind === 'committed') context.look.committed(result.parent, result.commit, wanted)
  if (result.kind !== 'busy') return 'done'
  const inTheWay = result.atWork?.files === 'moved' || !(await isStillHome(context, branch))
  if (!inTheWay || (await undoWrites(context, changes)) === 'some') return 'waits'
  journal.done(seq)
  return 'lost'
}

/**
 * Without new files for rooms whose folder was renamed or deleted: it must not come back with those alone. Empty if one of
 * them was to move there from another room. The lobby exists without a folder.
 */
export function inExistingRooms(
  { world, home }: Pick<Context, 'world' | 'home'>,
  changes: readonly FileChange[],
): readonly FileChange[] {
  const made = new Set(changes.flatMap(({ path }) => (path.endsWith('/ROOM.md') ? roomAt(path) : [])))
  const living = new Map<string, boolean>()
  const kept = changes.filter(({ path, before, after }) => {
    const room = roomAt(path)
    if (room === '' || room === LOBBY || after === null || before !== null || made.has(room)) return true
    const lives = living.get(room) ?? world.files.stat(join(home, 'rooms', room), 'folder') !== null
    living.set(room, lives)
    return lives
  })
  const dead = new Set([...living].flatMap(([room, lives]) => (lives ? [] : room)))
  const moves = dead.size > 0 && kept.some(({ path, after }) => after === null && !dead.has(roomAt(path)))
  return moves ? [] : kept
}

function roomAt(path: string): string {
  return /^rooms\/([^/]+)\//.exec(path)?.[1] ?? ''
}

/** The user's git is checking files out, and would refuse over uncommitted writes. */
async function isCheckoutRunning({ world }: Context): Promise<boolean> {
  return (await world.git.atWork())?.files === 'moved'
}

/** HEAD is on Neo's branch now: the last look may be older than a checkout. */
export async function isStillHome(context: Context, branch = context.look.branch()): Promise<boolean> {
  if (branch === null) return false
  const head = await context.world.git.head()
  if (head.branch === branch) return true
  context.look.away(head.branch === null ? 'HEAD is detached' : `HEAD is on ${head.branch}`)
  return false
}

function withBytes(context: Context, change: FileChange): Written {
  const read = context.world.files.read(join(context.home, change.path), MAX_BYTES)
  return read.kind === 'file' ? { ...change, was: read.bytes } : change
}

/** After this, other work gets a turn: a burst must not block the daemon. */
const TURN_MS = 20

/** Writes the changes in order. A change that is there already counts as written. */
async function write(context: Context, changes: readonly FileChange[]): Promise<'written' | 'lost'> {
  const { clock } = context.world
  let began = clock.now()
  for (const [index, change] of changes.entries()) {
    if (clock.now() - began > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve))
      began = clock.now()
    }
    const result = writeOne(context, change)
    if (result === 'written') context.look.wrote(change.path, change.after)
    else if (index === 0) return 'lost'
  }
  return 'written'
}

function writeOne(context: Context, { path, before, after }: FileChange): 'written' | 'changed' {
  const { files, git } = context.world
  const full = join(context.home, path)
  if (after === null) {
    if (before === null) return 'written'
    const removed = files.remove(full, before)
    return removed.kind === 'saved' || removed.hash === null ? 'written' : 'changed'
  }
  const bytes = Buffer.from(after)
  const saved = files.saveLater(full, bytes, before)
  if (saved.kind === 'saved' || saved.hash === git.blobId(bytes)) return 'written'
  if (before !== null || saved.hash === null || !isTorn(context, full, bytes)) return 'changed'
  return files.save(full, bytes, saved.hash).kind === 'saved' ? 'written' : 'changed'
}

/** A new file that a power cut has torn: it has the beginning of the text, or zeros. */
function isTorn({ world }: Context, path: string, wanted: Buffer): boolean {
  const read = world.files.read(path, MAX_BYTES)
  if (read.kind !== 'file' || read.bytes.length > wanted.length) return false
  const { bytes } = read
  return bytes.every((byte) => byte === 0) || wanted.subarray(0, bytes.length).equals(bytes)
}

async function commit(
  context: Context,
  seq: number,
  intent: Omit<Intent, 'kind'> & { readonly branch: string },
): Promise<CommitResult> {
  const { git, files } = context.world
  let synced = false
  const folders = intent.changes.map(({ path }) => dirname(join(context.home, path)))
  const sync = async (): Promise<void> => {
    await files.sync(folders)
    synced = true
  }
  const result = await git.commit(intent.branch, {
    changes: intent.changes.map(
      ({ path, after }) => [path, after === null ? null : Buffer.from(after)] as const,
    ),
    subject: intent.subject,
    body: intent.body ?? '',
    trailers: intent.trailers,
    author: intent.author,
    beside: sync,
  })
  if (!synced) await sync()
  if (result.kind !== 'busy') context.journal.done(seq)
  return result
}

/**
 * Finishes unfinished intents of the journal: writes what is missing, then commits. If a person changed the first file
 * in the meantime, the intent is dropped and decided again. Returns how many intents still wait for git, and how many ended:
 * then earlier snapshots are outdated.
 */
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
  if (changes.length === 0 && all.length > 0) return 'lost'
  if (!(await isStillHome(context, entry.branch)))
    return (await undoWrites(context, changes)) === 'all' ? 'lost' : 'waits'
  if (context.look.branch() !== entry.branch) return 'waits'
  if (isRestored(context, changes[0])) return 'lost'
  const written = entry.notes.some(({ state }) => state === 'written')
  if (!(written && isWritten(context, changes)) && (await write(context, changes)) === 'lost') return 'lost'
  const result = await commit(context, entry.seq, { branch: entry.branch, changes, ...entry.commit })
  // The next look finds the new commit, and compares each file with it.
  return result.kind === 'busy' ? 'waits' : 'done'
}

/** A file whose deletion was to be committed is there again. */
function isRestored(context: Context, first: FileChange | undefined): boolean {
  return first?.after === null && hashAt(context, first.path) !== null
}

/** False if a change was undone on disk since it was written: by a checkout and back, or a stash. */
function isWritten(context: Context, changes: readonly FileChange[]): boolean {
  return changes.every(({ path, before, after }) => {
    const hash = hashAt(context, path)
    return after === null ? hash === null : before === null ? hash !== null : hash !== before
  })
}

function hashAt(context: Context, path: string): string | null {
  const read = context.world.files.read(join(context.home, path), MAX_BYTES)
  return read.kind === 'file' ? context.world.git.blobId(read.bytes) : null
}

/** The text of a file if it still has this hash, else null. */
export function textAt(context: Context, path: string, hash: string): string | null {
  const read = context.world.files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file' || context.world.git.blobId(read.bytes) !== hash) return null
  return read.bytes.toString('utf8')
}

/** A change, with the bytes that it replaced if they are known. */
interface Written extends FileChange {
  readonly was?: Buffer
}

/**
 * Undoes writes whose commit was refused, so that they don't block the person's way back. Only a file with exactly our
 * bytes is touched: it becomes what the person had saved before, else what HEAD has. `some`: a file was left, because
 * nothing says what it was.
 */
async function undoWrites(context: Context, changes: readonly Written[]): Promise<'all' | 'some'> {
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
  // A missing file blocks nothing.
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
