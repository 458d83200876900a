/**
 * The git adapter: the Git port over the parts of this folder. Opens the home's repository once; workspaces as they are
 * named.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Place } from '../../domain/session/session.ts'
import { shellWord } from '../../domain/text/shell-word.ts'
import type { Git, HomeRepository } from '../../ports/git-port.ts'
import type { Merging } from '../../ports/merge-port.ts'
import type { Worktrees } from '../../ports/worktree-port.ts'
import { commitOn } from './commit/git-commit.ts'
import { openIndexKeeper } from './commit/index-refresh.ts'
import { healLocks } from './commit/lock-file.ts'
import { untilFree, waitingFor } from './commit/persons-git.ts'
import { openSigning, type Signer } from './commit/sign.ts'
import { holdsDecoded } from './filters/filtered.ts'
import {
  busyWith,
  headBranch,
  hindrance,
  hooksDir,
  openRepository,
  placeOf,
  type Repository,
  tipOf,
} from './git-repository.ts'
import { locate } from './locate.ts'
import { maintain, packed } from './maintain.ts'
import { mergeBranch } from './merge/git-merge.ts'
import { type LandedKeeper, openLanded } from './merge/landed.ts'
import { mendMerge } from './merge/merge-mend.ts'
import { allowFilterAt, filterAt } from './process/git-invocation.ts'
import { shadowOf } from './process/shadow.ts'
import { gitEnvironment, spawnGit } from './process/spawn.ts'
import { everHad, log, person, tree, versions } from './reading/git-log.ts'
import { objectId } from './reading/objects.ts'
import { placeReads } from './reading/place-reads.ts'
import { blobAt, filesAt, openTrees, type Trees } from './reading/tree.ts'
import { changedLinks, holdsModelWork, linksOf, writtenFiles } from './work/branch-work.ts'
import { commitWorktree } from './work/commit-worktree.ts'
import { branchState, deleteBranch, dropAttempt, removeKept, retireBranch } from './worktree/branch.ts'
import { registeredHome, repairWorktree, restoreEntry } from './worktree/register.ts'
import { uncommittedIn } from './worktree/uncommitted.ts'
import { addWorktree, detachWorktree, reuseWorktree } from './worktree/worktree.ts'

/** `merge-tree --write-tree` and what else is asked of it came with this version. */
const OLDEST = [2, 39] as const

/**
 * Opens the git side of a home.
 * Throws NeoError `git` if git is missing or too old, or the folder is not the top of a repository we may use.
 */
export async function openGit(home: string, signing = openSigning()): Promise<Git> {
  const opening = openHome(home, signing)
  opening.catch(() => {})
  // What an old git cannot do fails in many ways: its version is the reason to name.
  await checkVersion(home)
  const repository = await opening
  healLocks(repository.gitDir)
  const committer = { repository, trees: openTrees(repository), index: openIndexKeeper(repository) }
  const opened = new Map<string, Promise<Repository | null>>([[repository.top, Promise.resolve(repository)]])
  const landed = openLanded(join(repository.gitDir, 'neo', 'landed.json'))
  const flushed = async () => {
    await landed.check()
    return committer.index.flush()
  }
  const flush = () => repository.queue.add(flushed)
  const soon = delayed(flush, REFRESH_MS)
  const later = delayed(flush, LOOK_AGAIN_MS)
  let branchOfHome: string | null = null
  return {
    ...readingSide(committer),
    ...workspaceSide(repository, {
      opened,
      flush: flushed,
      landed: {
        ...landed,
        note(landing) {
          landed.note(landing)
          later.call()
        },
      },
      branch: () => branchOfHome,
    }),
    async commit(branch, request) {
      branchOfHome = branch
      const result = await repository.queue.add(() => commitOn(committer, branch, request))
      if (result.kind === 'committed') soon.call()
      return result
    },
    refresh: flush,
    maintain: () => maintain(repository),
    async close() {
      soon.cancel()
      later.cancel()
      await flush().catch(() => 0)
      await Promise.all([repository.queue.onIdle(), packed(repository)])
      for (const found of await Promise.all(opened.values())) await found?.living.end()
    },
  }
}

type Reading = Omit<HomeRepository, 'commit' | 'refresh' | 'maintain' | 'close'>

function readingSide({ repository, trees }: { repository: Repository; trees: Trees }): Reading {
  const { top, gitDir, living } = repository
  return {
    gitDir,
    top,
    async head() {
      const branch = headBranch(gitDir)
      const commit = await living.resolve(branch === null ? 'HEAD' : `refs/heads/${branch}`)
      return { branch, commit, busy: busyWith(gitDir) }
    },
    async atWork() {
      const found = await untilFree(repository)
      return found === null ? null : { ...found, says: waitingFor(found) }
    },
    tree: (commit, paths) => tree({ repository, trees }, commit, paths),
    everHad: (paths) => everHad(repository, paths),
    async blob(id) {
      const object = await living.contents(id)
      if (object === null) throw new NeoError('git', `Cannot read object ${id}: it is not in ${top}`)
      return object.bytes
    },
    versions: (path, limit) => versions(repository, path, limit),
    blobId: (bytes) => objectId('blob', bytes),
    person: () => person(repository),
    log: (options) => log(repository, options),
    registeredHome: async () => registeredHome(repository),
  }
}

interface Opened {
  readonly opened: Map<string, Promise<Repository | null>>
  readonly flush: () => Promise<number>
  readonly landed: LandedKeeper
  /** The home's own branch, if a commit has named it. */
  readonly branch: () => string | null
}

/** Everything that names a place: worktrees, branches, merges. One writer a repository at a time. */
function workspaceSide(
  home: Repository,
  { opened, flush, landed, branch: branchOfHome }: Opened,
): Worktrees & Merging {
  const markFile = join(home.gitDir, 'neo', 'merge.json')
  const repositoryAt = (path: string) => openOnce(opened, path, home.signing)
  const of = (place: Place) => mustBeOpen(repositoryAt, place)
  const inLine = async <T>(place: Place, work: (repository: Repository) => Promise<T>): Promise<T> => {
    const found = await of(place)
    return found.queue.add(() => work(found))
  }
  return {
    place: (workspace, base) =>
      placeOf(home, { workspace, base, branchOfHome: branchOfHome(), open: repositoryAt }),
    addWorktree: (request) => inLine(request.place, (found) => addWorktree(found, request)),
    reuseWorktree: (request) => inLine(request.place, (found) => reuseWorktree(found, request)),
    commitWorktree: (request) =>
      inLine(request.place, (found) =>
        restoreEntry(found, request.place, request).then(() => commitWorktree(found, request)),
      ),
    detachWorktree: async (place, dir) => detachWorktree(await of(place), dir),
    removeWorktree: (place, dir) => inLine(place, (found) => removeKept(found, place, dir)),
    retireBranch: (place, of) => inLine(place, (found) => retireBranch(found, place, of)),
    dropAttempt: (place, session) => inLine(place, (found) => dropAttempt(found, session)),
    deleteBranch: (place, branch) => inLine(place, (found) => deleteBranch(found, place, branch)),
    branchState: async (place, branch) => branchState(await of(place), place, branch),
    branchExists: async (place, branch) => (await tipOf(await of(place), branch)) !== null,
    merge: (place, branch, words) =>
      inLine(place, async (found) => {
        await flush()
        const waitsFor = found === home ? branchOfHome() : null
        return mergeBranch(found, place, { branch, words, markFile, landed, waitsFor })
      }),
    filesAt: async (place, unless, only) => filesAt(await of(place), place, { unless, only }),
    bytesAt: async (place, id) => blobAt(await of(place), id),
    rest: async (place) => closeUnless(home, await of(place)),
    tip: async (place, branch) => tipOf(await of(place), branch),
    ...placeReads(of),
    ...branchSide(of),
    repairWorktree: (place, dir, branch) =>
      inLine(place, (found) => repairWorktree(found, place, { dir, branch })),
    mend: () => home.queue.add(() => mendMerge(markFile)),
  }
}

function branchSide(of: (place: Place) => Promise<Repository>) {
  return {
    filter: ({ repository }, name) => filterAt(repository, name),
    allowFilter: ({ repository }, name, hash) => allowFilterAt(repository, name, hash),
    uncommitted: async (place, worktree) => uncommittedIn(await of(place), worktree),
    holdsDecoded: async (place, worktree) => holdsDecoded(await of(place), place, worktree),
    holdsModelWork: async (place, branch) => holdsModelWork(await of(place), place, branch),
    hooksDir: async (place, worktree) => hooksDir(await of(place), place, worktree),
    changedLinks: async (place, branch) => changedLinks(await of(place), place, branch),
    links: async (place, branch) => linksOf(await of(place), branch),
    writtenFiles: async (place, branch) => writtenFiles(await of(place), place, branch),
  } satisfies Partial<Worktrees>
}

async function closeUnless(home: Repository, found: Repository): Promise<void> {
  if (found !== home) await found.living.close()
}

/** The index follows the ref at once, if it did not move with it: until then the user's plain commit would undo ours. */
const REFRESH_MS = [0] as const
/** A merge is looked at again (landed.ts): soon, and until no checkout can still be under way. */
const LOOK_AGAIN_MS = [20, 150, 600, 2000, 5000, 15_000] as const

/** Calls so many milliseconds after the last wish. What cannot be done then is done by the next `refresh`. */
function delayed(work: () => Promise<unknown>, waits: readonly number[]): { call(): void; cancel(): void } {
  let timers: readonly NodeJS.Timeout[] = []
  const cancel = () => {
    for (const timer of timers) clearTimeout(timer)
  }
  return {
    call() {
      cancel()
      timers = waits.map((ms) => setTimeout(() => void work().catch(() => {}), ms))
    },
    cancel,
  }
}

/** PATHs whose git is new enough: it is asked once in a process. */
const newEnough = new Set<string>()

async function checkVersion(home: string): Promise<void> {
  const env = gitEnvironment({})
  if (newEnough.has(env['PATH'] ?? '')) return
  const said = (await spawnGit(home, ['--version'], { env })).out.toString()
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(said) ?? []
  const isNew = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])
  if (!isNew)
    throw new NeoError('git', `${said.trim()} is too old: Neo needs git ${OLDEST.join('.')}`, {
      next: 'install git 2.39 or newer',
    })
  newEnough.add(env['PATH'] ?? '')
}

async function openHome(home: string, signing: Signer): Promise<Repository> {
  const repository = await openRepository(home, signing)
  if (repository === null) {
    const tree = locate(home)
    const why = (tree === null ? null : await hindrance(tree)) ?? 'there is no .git folder'
    const next = /dubious ownership/.test(why)
      ? `git config --global --add safe.directory ${shellWord(home)}`
      : 'neo init makes a home'
    throw new NeoError('git', `Cannot use ${home} as a home: git finds no usable repository there`, {
      why,
      next,
    })
  }
  if (repository.top !== realpathSync(home))
    throw new NeoError(
      'git',
      `Cannot use ${home} as a Neo home: it is inside the repository ${repository.top}`,
      { next: 'a Neo home needs its own repository: create one with neo init DIR' },
    )
  const { objectFormat } = await shadowOf(repository)
  if (objectFormat !== 'sha1')
    throw new NeoError(
      'git',
      `Cannot use ${home} as a home: its objects are ${objectFormat}, and Neo supports sha1 only`,
    )
  return repository
}

/** One repository object for each folder, so that its queue is one. */
function openOnce(
  opened: Map<string, Promise<Repository | null>>,
  path: string,
  signing: Signer,
): Promise<Repository | null> {
  const known = opened.get(path)
  if (known !== undefined) return known
  const opening = openRepository(path, signing)
  opened.set(path, opening)
  // What isn't a repository now may become one.
  opening.then(
    (found) => (found === null ? opened.delete(path) : undefined),
    () => opened.delete(path),
  )
  return opening
}

async function mustBeOpen(
  open: (path: string) => Promise<Repository | null>,
  place: Place,
): Promise<Repository> {
  const found = await open(place.repository)
  if (found !== null) return found
  throw new NeoError('git', `Cannot use ${place.repository}: it is no longer a git repository`)
}
