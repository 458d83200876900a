/**
 * The writes of one decision and their commit, as one thing that a crash can't cut in two. Invariants: 1. the whole
 * intent is in the journal, on disk, before the first file is touched; 2. the first change is the contested one (a file
 * that people edit): if it fails, nothing else was written; 3. `recover-journal.ts` carries an unfinished intent out, once,
 * at the next start or look; 4. nothing is written while HEAD is away from Neo's branch, or while a git command of the
 * user checks files out (pull, rebase, stash, …): what was just written then is undone and decided again; 5. writes are
 * on disk before the branch moves, and before the intent is done.
 */
import { dirname, join } from 'node:path'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { CommitResult, Person } from '../../ports/git-port.ts'
import type { Context } from '../context.ts'
import { type FileChange, MAX_BYTES } from './journal.ts'
import { undoWrites, type Written } from './undo-writes.ts'

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

/**
 * Writes the changes in order. A change that is there already counts as written; a file that a person has changed is
 * left as it is.
 * @param first whether the first file is contested: if a person has changed it, nothing is written
 */
export async function write(
  context: Context,
  changes: readonly FileChange[],
  first: 'contested' | 'written before' = 'contested',
): Promise<'written' | 'lost'> {
  const { clock } = context.world
  let began = clock.now()
  for (const [index, change] of changes.entries()) {
    if (clock.now() - began > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve))
      began = clock.now()
    }
    const result = writeOne(context, change)
    if (result === 'written') context.look.wrote(change.path, change.after)
    else if (index === 0 && first === 'contested') return 'lost'
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
  const read = world.files.read(path, wanted.length)
  if (read.kind !== 'file') return false
  const { bytes } = read
  return bytes.every((byte) => byte === 0) || wanted.subarray(0, bytes.length).equals(bytes)
}

export async function commit(
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

/** The text of a file if it still has this hash, else null. */
export function textAt(context: Context, path: string, hash: string): string | null {
  const read = context.world.files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file' || context.world.git.blobId(read.bytes) !== hash) return null
  return read.bytes.toString('utf8')
}
