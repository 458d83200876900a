/**
 * What a session's worktree holds beside its commit: files that git ignores, that are left out, or that are not checked
 * out. A command that runs in the folder can run them, so a person who allows it is shown them, and the yes is for their
 * bytes. Invariant 1: nothing is followed and nothing is left out: not in a repository inside, and no tracked file that
 * differs from the commit, such as one that became a link to the outside.
 */
import { lstatSync, readdirSync } from 'node:fs'
import type { UncommittedFile } from '../../../ports/worktree-port.ts'
import type { Repository } from '../git-repository.ts'
import { linkedAt, type WorkTree } from '../locate.ts'
import { entriesOf } from '../reading/index-entries.ts'
import { isPointer } from '../work/changes.ts'
import { holds, openPrints } from './file-prints.ts'
import { openPauses, type Pauses } from './pauses.ts'

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
