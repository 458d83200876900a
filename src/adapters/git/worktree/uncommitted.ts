/**
 * What a session's worktree holds beside its commit: files that git ignores, that are left out, or that are not checked
 * out. A command in the folder can run them, so a person who allows it sees them, and approves these bytes. Invariants:
 * 1. nothing is followed and nothing is left out: not a repository inside, and no tracked file that differs from the
 * commit, such as one that became a link to the outside; 2. the bytes count: a file is not read again only while device,
 * inode, size, mode and both times are those of the last reading, and its change time was well before that reading: no
 * program sets that time; 3. what is remembered is in this process: nothing that can be written on disk replaces bytes.
 */
import { createHash, type Hash } from 'node:crypto'
import fs, {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import type { UncommittedFile } from '../../../ports/worktree-port.ts'
import { readAll } from '../../disk/read-disk.ts'
import type { Repository } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { type Entry, entriesOf, isKnown } from '../reading/index-entries.ts'
import { objectId } from '../reading/objects.ts'
import { isPointer } from '../work/changes.ts'

/** A large tree of dependencies; nobody could be shown more. */
const MOST_FILES = 400_000

/** Null: the folder isn't a worktree of Neo, or holds too many files. */
export async function uncommittedIn(
  repository: Repository,
  dir: string,
): Promise<readonly UncommittedFile[] | null> {
  const tree = linkedAt(repository, dir)
  if (tree === null) return null
  const pauses = openPauses()
  const found = await walk(tree, pauses)
  if (found === null) return null
  const prints = openPrints(dir)
  const files: UncommittedFile[] = []
  for (const path of found) {
    await pauses.due()
    files.push(await prints.of(path, pauses))
  }
  prints.keep()
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Paths byte for byte (latin1), of all that the commit does not hold. */
async function walk(tree: WorkTree, pauses: Pauses): Promise<string[] | null> {
  const inCommit = await committed(tree, pauses)
  if (lstatSync(`${tree.top}/.git`, { throwIfNoEntry: false }) !== undefined && isPointer(tree))
    inCommit.add('.git')
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await pauses.due()
    for (const entry of readdirSync(at(tree.top, folder), { withFileTypes: true, encoding: 'latin1' })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (!inCommit.has(path)) found.push(path)
    }
    if (found.length > MOST_FILES) return null
  }
  return found
}

const GITLINK = '160000'

/** Files that are as the commit has them. A link on the way is never followed: the walk does not come to what is behind. */
async function committed(tree: WorkTree, pauses: Pauses): Promise<Set<string>> {
  const { entries, writtenNs } = await entriesOf(tree)
  const same = new Set<string>()
  for (const entry of entries) {
    await pauses.due()
    if (entry.isSkipped || entry.isOdd || entry.mode === GITLINK) continue
    if (holds(`${tree.top}/${entry.path}`, entry, writtenNs))
      same.add(Buffer.from(entry.path).toString('latin1'))
  }
  return same
}

function at(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])
}

interface Prints {
  of(path: string, pauses: Pauses): Promise<UncommittedFile>
  /** What was seen counts for the next look. */
  keep(): void
}

interface Print {
  readonly stamp: string
  readonly file: UncommittedFile
}

/** Worktrees with a request that waits, newest last; about 300 bytes a file. */
const remembered = new Map<string, ReadonlyMap<string, Print>>()
const MOST_WORKTREES = 2
const MOST_REMEMBERED = 30_000
/** Coarser than the clock of any file system. */
const CALM_NS = 3_000_000_000n
const PART = 256 * 1024
/** Compared with the commit at once; a larger one counts as different. */
const MOST_COMPARED = 32 * 1024 * 1024
const LINK = '120000'

function openPrints(top: string): Prints {
  const known = remembered.get(top)
  const now = BigInt(Date.now()) * 1_000_000n
  const seen = new Map<string, Print>()
  return {
    async of(path, pauses) {
      const whole = at(top, path)
      const stat = lstatSync(whole, { bigint: true })
      const stamp = stampOf(stat)
      const before = known?.get(path)
      const file = before?.stamp === stamp ? before.file : await read({ path, whole, stat, pauses })
      if (stat.ctimeNs < now - CALM_NS && seen.size < MOST_REMEMBERED) seen.set(path, { stamp, file })
      return file
    },
    keep() {
      remembered.delete(top)
      remembered.set(top, seen)
      for (const [oldest] of remembered) if (remembered.size > MOST_WORKTREES) remembered.delete(oldest)
    },
  }
}

function stampOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`
}

interface ToRead {
  readonly path: string
  readonly whole: Buffer
  readonly stat: BigIntStats
  readonly pauses: Pauses
}

async function read({ path, whole, stat, pauses }: ToRead): Promise<UncommittedFile> {
  const kind = kindOf(stat)
  const hash = createHash('sha256').update(`${path}\0${kind}\0`)
  if (kind === 'link') hash.update(readlinkSync(whole, { encoding: 'buffer' }))
  else if (kind !== 'other') await update(hash, whole, pauses)
  return { path: Buffer.from(path, 'latin1').toString('utf8'), kind, sha256: hash.digest('hex') }
}

function kindOf(stat: BigIntStats): UncommittedFile['kind'] {
  if (stat.isSymbolicLink()) return 'link'
  if (!stat.isFile()) return 'other'
  return (stat.mode & 0o111n) === 0n ? 'file' : 'program'
}

async function update(hash: Hash, whole: Buffer, pauses: Pauses): Promise<void> {
  const file = openSync(whole, READ_ONLY)
  try {
    const part = Buffer.allocUnsafe(Math.min(PART, Math.max(1, fstatSync(file).size + 1)))
    for (let length = readSync(file, part); length > 0; length = readSync(file, part)) {
      hash.update(part.subarray(0, length))
      await pauses.due()
    }
  } finally {
    closeSync(file)
  }
}

const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Whether the file is as the index has it. False also if that would have to be converted to be known. */
function holds(path: string, entry: Entry, writtenNs: bigint): boolean {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return false
  const kind = kindOf(stat)
  const mode = kind === 'link' ? LINK : stat.mode & 0o100n ? '100755' : '100644'
  if (kind === 'other' || mode !== entry.mode) return false
  if (isKnown(entry, stat, writtenNs)) return true
  if (stat.size > MOST_COMPARED) return false
  const bytes = kind === 'link' ? readlinkSync(path, { encoding: 'buffer' }) : bytesOf(path)
  return bytes !== null && objectId('blob', bytes) === entry.oid
}

function bytesOf(path: string): Buffer | null {
  const file = openSync(path, READ_ONLY)
  try {
    return readAll(fs, file, { size: fstatSync(file).size, maxBytes: MOST_COMPARED })
  } finally {
    closeSync(file)
  }
}

interface Pauses {
  /** Resolves at once until a step has lasted long enough, then after whatever else waits. */
  due(): Promise<void>
}

/** A step: nobody notices a wait of this length. */
const STEP_MS = 10

/** Long work in short steps, so that everything else has its turn. */
function openPauses(): Pauses {
  let since = performance.now()
  return {
    async due() {
      if (performance.now() - since < STEP_MS) return
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    },
  }
}
