/**
 * Creates a home: repository, files, first commit. Invariant 1: no existing file is replaced; .gitignore and
 * .gitattributes only grow. Invariant 2: uncommitted changes of the user are not committed. Invariant 3: a second run
 * changes nothing; it completes an interrupted first one.
 */

import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { composeGitCommand, composeWorld } from '../../compose.ts'
import { NeoError, whyOf } from '../../domain/home/error.ts'
import { counted } from '../../domain/text/counted.ts'
import { takeLock } from '../../engine/lock.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { World } from '../../ports/world.ts'
import { blobOf, MAX_BYTES } from '../edit-file.ts'
import { makeRoom } from '../room/change-rooms.ts'
import type { Env } from '../spec.ts'
import { isTrusted, trustNow } from '../trust/trust-store.ts'
import { ATTRIBUTES, IGNORED, type StarterFile, starterConfig, starterFiles, withLines } from './starter.ts'

export interface HomeRequest {
  readonly dir: string
  readonly rooms: 'lobby' | 'all'
  readonly room: { readonly name: string; readonly template: string | null } | null
  readonly env: Env
  /** Version of the program, for the lock. */
  readonly version: string
  /** Called before the first commit in a repository that has commits and is not a home. */
  readonly agree: (plan: Plan) => Promise<boolean>
}

export interface Plan {
  readonly home: string
  readonly branch: string
  /** Paths that would be written and committed. */
  readonly files: readonly string[]
}

export interface MadeHome {
  readonly home: string
  readonly repository: 'made' | 'found'
  /** Paths that were written. */
  readonly written: readonly string[]
  /** Null if there was nothing to commit. */
  readonly commit: string | null
  /** The author of commits if git has no identity; else null. */
  readonly author: string | null
  readonly branch: string
  /** False if the folder had rooms or settings before: the user has to say `neo trust`. */
  readonly trusted: boolean
}

export async function makeHome(request: HomeRequest): Promise<MadeHome> {
  const { dir, env } = request
  const { gitCommand, isTopLevel } = await composeGitCommand()
  makeFolder(dir)
  const repository: MadeHome['repository'] = (await isTopLevel(dir)) ? 'found' : 'made'
  if (repository === 'made') await initRepository(dir, env)
  const world = await composeWorld(dir)
  try {
    const branch = await branchOf(world.git)
    const shared =
      (await gitCommand(dir, ['remote'], env)).out === '' ? null : { node: env['NEO_NODE'] || hostname() }
    const wanted = [
      ...starterFiles(world.files, request.rooms),
      { path: 'neo.yaml', bytes: starterConfig(world.files, { branch, shared }) },
    ]
    const made = { home: dir, repository, branch } as const
    const where = { home: dir, gitDir: world.git.gitDir, files: world.files, env }
    if (await isComplete(world, { dir, wanted, room: request.room }))
      return { ...made, written: [], commit: null, author: null, trusted: isTrusted(where) }
    const isHome = world.files.read(join(dir, 'neo.yaml'), 0).kind !== 'missing'
    const isNew = !isHome && FOLDERS.every((name) => world.files.names(join(dir, name)).length === 0)
    if (repository === 'found' && !isHome) await ensureAgreed(world, request, { wanted, branch })
    return await withLock(world, request, async () => {
      const head = (await world.git.head()).commit
      const written = writeAll(dir, world.files, { wanted, room: request.room })
      const committed = await commitOwn(dir, world, { branch, head, wanted, written })
      // Rooms and settings that were here before may be somebody else's.
      if (isNew) trustNow(where)
      return { ...made, written: written.map(({ path }) => path), ...committed, trusted: isTrusted(where) }
    })
  } finally {
    await world.git.close()
  }
}

const FOLDERS = ['rooms', 'workspace', 'templates'] as const

/** Throws NeoError `refused` if the user did not agree to a commit in their own repository. */
async function ensureAgreed(
  { git, files }: World,
  { dir, agree }: HomeRequest,
  of: { wanted: readonly StarterFile[]; branch: string },
): Promise<void> {
  if ((await git.head()).commit === null) return
  const missing = of.wanted.filter(({ path }) => files.read(join(dir, path), 0).kind === 'missing')
  const plan = { home: dir, branch: of.branch, files: missing.map(({ path }) => path) }
  if (await agree(plan)) return
  throw new NeoError(
    'refused',
    `Cannot create a home in "${dir}" without asking: it is a repository with commits`,
    {
      why: `${counted(plan.files.length, 'file')} would be added in one commit on ${of.branch}`,
      next: 'neo init --yes, or create a separate home: neo init NEWDIR',
    },
  )
}

/** True if nothing is missing on disk or in git: then a running daemon does not matter. */
async function isComplete(
  { git, files }: World,
  { dir, wanted, room }: { dir: string; wanted: readonly StarterFile[]; room: HomeRequest['room'] },
): Promise<boolean> {
  const there = (path: string) => files.read(join(dir, path), 0).kind !== 'missing'
  if (room !== null && !there(`rooms/${room.name}/ROOM.md`)) return false
  if (lacks(dir, files, { path: '.gitignore', lines: IGNORED })) return false
  if (lacks(dir, files, { path: '.gitattributes', lines: ATTRIBUTES })) return false
  const { commit } = await git.head()
  const inHead =
    commit === null
      ? new Map<string, string>()
      : await git.tree(
          commit,
          wanted.map(({ path }) => path),
        )
  return wanted.every(({ path }) => inHead.has(path) && there(path))
}

function lacks(dir: string, files: Files, { path, lines }: Growing): boolean {
  const read = files.read(join(dir, path), MAX_BYTES)
  return withLines(read.kind === 'file' ? read.bytes.toString('utf8') : '', lines) !== null
}

/** How long another `neo init` may hold the lock. */
const PATIENCE_MS = 10_000
const RETRY_MS = 100

/** Holds the home's lock, so that no daemon and no other init writes at the same time. */
async function withLock<T>(world: World, { dir, version }: HomeRequest, act: () => Promise<T>): Promise<T> {
  const end = world.clock.now() + PATIENCE_MS
  for (;;) {
    const lock = await takeLock(world.git.gitDir, { ...world, version })
    if (lock.kind === 'taken') {
      try {
        return await act()
      } finally {
        lock.release()
      }
    }
    if (world.clock.now() >= end)
      throw new NeoError('held', `Cannot complete the home "${dir}": a daemon is running for it`, {
        why: `process ${lock.pid} since ${lock.since}`,
        next: 'stop the daemon, then run neo init again',
      })
    await new Promise<void>((resolve) => void world.clock.after(RETRY_MS, resolve))
  }
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true })
  } catch (error) {
    throw new NeoError('disk', `Cannot create the folder "${dir}": ${whyOf(error)}`, { cause: error })
  }
}

/** Two `git init` at the same time can fail on each other's files; another try completes the repository. */
const INIT_TRIES = 20

async function initRepository(dir: string, env: Env): Promise<void> {
  const { gitCommand } = await composeGitCommand()
  for (let tries = 1; ; tries++) {
    const { code, out } = await gitCommand(dir, ['init', '--quiet', '--initial-branch=main'], env)
    if (code === 0) return
    if (!out.includes('File exists') || tries === INIT_TRIES)
      throw new NeoError('git', `Cannot create a git repository in "${dir}": ${out}`)
  }
}

async function branchOf(git: Git): Promise<string> {
  const { branch, busy } = await git.head()
  if (busy !== null)
    throw new NeoError('git', `Cannot create a home now: ${busy}`, {
      next: 'finish or abort it, then run neo init again',
    })
  if (branch === null)
    throw new NeoError('git', 'Cannot create a home: HEAD is detached; switch to a branch first', {
      next: 'git switch main',
    })
  return branch
}

interface Written {
  readonly path: string
  readonly bytes: Buffer
  /** Blob id of the file before; null for a new file. */
  readonly before: string | null
}

function writeAll(
  dir: string,
  files: Files,
  of: { wanted: readonly StarterFile[]; room: HomeRequest['room'] },
): Written[] {
  const made = of.wanted
    .filter(({ path, bytes }) => files.save(join(dir, path), bytes, null).kind === 'saved')
    .map((file) => ({ ...file, before: null }))
  return [
    ...made,
    ...grow(dir, files, { path: '.gitignore', lines: IGNORED }),
    ...grow(dir, files, { path: '.gitattributes', lines: ATTRIBUTES }),
    ...firstRoom(dir, files, of.room),
  ]
}

interface Growing {
  readonly path: string
  readonly lines: readonly string[]
}

function grow(dir: string, files: Files, { path, lines }: Growing): Written[] {
  const read = files.read(join(dir, path), MAX_BYTES)
  if (read.kind === 'refused') throw new NeoError('failed', `Cannot add to "${path}": it ${read.why}`)
  const before = read.kind === 'file' ? blobOf(read.bytes) : null
  const text = withLines(read.kind === 'file' ? read.bytes.toString('utf8') : '', lines)
  if (text === null) return []
  const bytes = Buffer.from(text)
  if (files.save(join(dir, path), bytes, before).kind !== 'saved')
    throw new NeoError('failed', `Cannot add to "${path}": another program is changing it`, {
      next: 'run the command again',
    })
  return [{ path, bytes, before }]
}

/** The room of `--room`, with all files of its template. An existing room stays as it is. */
function firstRoom(dir: string, files: Files, room: HomeRequest['room']): Written[] {
  if (room === null || files.read(join(dir, 'rooms', room.name, 'ROOM.md'), 0).kind !== 'missing') return []
  makeRoom(dir, files, { ...room, set: {} })
  const root = join(dir, 'rooms', room.name)
  return files
    .scan(root, () => true)
    .flatMap(({ path }) => {
      const read = files.read(join(root, path), MAX_BYTES)
      return read.kind === 'file'
        ? [{ path: `rooms/${room.name}/${path}`, bytes: read.bytes, before: null }]
        : []
    })
}

/** .gitignore and .gitattributes as in a new home. */
function gitLists(): readonly StarterFile[] {
  return [
    { path: '.gitignore', bytes: Buffer.from(withLines('', IGNORED) ?? '') },
    { path: '.gitattributes', bytes: Buffer.from(withLines('', ATTRIBUTES) ?? '') },
  ]
}

interface Committing {
  readonly branch: string
  readonly head: string | null
  readonly wanted: readonly StarterFile[]
  readonly written: readonly Written[]
}

async function commitOwn(
  dir: string,
  world: World,
  of: Committing,
): Promise<{ commit: string | null; author: string | null }> {
  const { git, files } = world
  const author = await git.person()
  const paths = [...new Set([...of.wanted, ...of.written, ...gitLists()].map(({ path }) => path))]
  const inHead = of.head === null ? new Map<string, string>() : await git.tree(of.head, paths)
  const own = new Map<string, Buffer>()
  for (const { path, bytes, before } of of.written)
    if ((inHead.get(path) ?? null) === before) own.set(path, bytes)
  // Files that an interrupted run wrote and did not commit.
  for (const { path, bytes } of [...of.wanted, ...gitLists()]) {
    const read = inHead.has(path) || own.has(path) ? null : files.read(join(dir, path), MAX_BYTES)
    if (read?.kind === 'file' && read.bytes.equals(bytes)) own.set(path, bytes)
  }
  const said = author.from === 'git' ? null : `${author.name} <${author.email}>`
  if (own.size === 0) return { commit: null, author: said }
  const result = await git.commit(of.branch, {
    changes: [...own].map(([path, bytes]) => [path, bytes] as const),
    subject: 'neo: create home',
    body: '',
    trailers: [['Neo-Event', 'init']],
    author: { name: author.name, email: author.email },
  })
  if (result.kind === 'busy')
    throw new NeoError('git', `Cannot commit the home: ${result.why}`, { next: 'run neo init again' })
  return { commit: result.kind === 'committed' ? result.commit : null, author: said }
}
