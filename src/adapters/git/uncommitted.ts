/**
 * What a session's worktree holds beside its commit: files that git ignores, that are left out, or that are not checked out.
 * A command that runs in the folder can run them, so a person who allows it is shown them, and the yes is for their bytes.
 * Takes the worktree just after its commit; gives each path with a hash. Leaves to work/agent: what a person is shown.
 * Invariants: 1. nothing is followed and nothing is left out, also in a repository inside; 2. bytes count, not times.
 */
import { createHash } from 'node:crypto'
import { constants, lstatSync } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import type { UncommittedFile } from '../../ports-branch.ts'
import { isPointer } from './changes.ts'
import { entriesOf } from './index-entries.ts'
import { linkedAt, type WorkTree } from './locate.ts'
import type { Repository } from './repository.ts'

/** A large tree of dependencies; nobody could be shown more. */
const MOST_FILES = 400_000
/** Files that are read at the same time. */
const AT_ONCE = 16

/** Null: the folder is no worktree of ours, or holds too many files. */
export async function uncommittedIn(
  repository: Repository,
  dir: string,
): Promise<readonly UncommittedFile[] | null> {
  const tree = linkedAt(repository, dir)
  const found = tree === null ? null : await walk(tree)
  if (found === null) return null
  const files: UncommittedFile[] = []
  for (let at = 0; at < found.length; at += AT_ONCE)
    files.push(...(await Promise.all(found.slice(at, at + AT_ONCE).map((path) => fileAt(dir, path)))))
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Paths byte for byte (latin1), of all that the commit does not hold. */
async function walk(tree: WorkTree): Promise<string[] | null> {
  const { entries } = await entriesOf(tree)
  const inCommit = new Set(
    entries.flatMap(({ path, mode, isSkipped, isOdd }) =>
      isSkipped || isOdd || mode === GITLINK ? [] : [Buffer.from(path).toString('latin1')],
    ),
  )
  if (lstatSync(`${tree.top}/.git`, { throwIfNoEntry: false }) !== undefined && isPointer(tree))
    inCommit.add('.git')
  const found: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(at(tree.top, folder), { withFileTypes: true, encoding: 'latin1' })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (!inCommit.has(path)) found.push(path)
    }
    if (found.length > MOST_FILES) return null
  }
  return found
}

const GITLINK = '160000'

async function fileAt(top: string, path: string): Promise<UncommittedFile> {
  const name = Buffer.from(path, 'latin1').toString('utf8')
  const whole = at(top, path)
  const stat = await lstat(whole)
  if (stat.isSymbolicLink()) {
    const target = await readlink(whole, { encoding: 'buffer' })
    return { path: name, kind: 'link', sha256: hashOf(path, 'link', target) }
  }
  if (!stat.isFile()) return { path: name, kind: 'other', sha256: hashOf(path, 'other', Buffer.alloc(0)) }
  const isProgram = (stat.mode & 0o111) !== 0
  const hash = createHash('sha256').update(`${path}\0${isProgram ? 'program' : 'file'}\0`)
  const file = await open(whole, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    for await (const part of file.createReadStream({ autoClose: false })) hash.update(part as Buffer)
  } finally {
    await file.close()
  }
  return { path: name, kind: isProgram ? 'program' : 'file', sha256: hash.digest('hex') }
}

function hashOf(path: string, kind: string, bytes: Buffer): string {
  return createHash('sha256').update(`${path}\0${kind}\0`).update(bytes).digest('hex')
}

function at(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])
}
