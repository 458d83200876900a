/**
 * Real repositories in folders of their own for the tests of the git adapter: a home, a person at its prompt, and a
 * place in it. Global configuration is a file of the test's own, so that the machine's has no say.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openGit } from '../../../src/adapters/git/git.ts'
import type { Place } from '../../../src/domain/session/session.ts'
import type { CommitRequest, Git } from '../../../src/ports/git-port.ts'
import { beginRepository } from '../../repository.ts'
import { MOMENT_MS } from '../../wait.ts'

export const PERSON = { name: 'Person', email: 'person@localhost' }

export interface Bench {
  readonly root: string
  readonly home: string
  readonly git: Git
  /** Runs git as a person at the home's prompt; gives what it says, throws where it fails. */
  readonly person: (...args: string[]) => string
  readonly write: (path: string, text: string) => void
  readonly status: () => string
  readonly close: () => Promise<void>
}

/** A home on branch `main`; `files` make its first commit, none leave the branch unborn. */
export async function openBench(files: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-git-')))
  const home = join(root, 'home')
  mkdirSync(home)
  const global = join(root, 'gitconfig')
  writeFileSync(
    global,
    '[user]\n\tname = Person\n\temail = person@localhost\n[advice]\n\tdetachedHead = false\n',
  )
  process.env.GIT_CONFIG_GLOBAL = global
  process.env.GIT_CONFIG_NOSYSTEM = '1'
  const person = (...args: string[]) => gitIn(home, ...args)
  const write = (path: string, text: string) => put(home, path, text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  if (Object.keys(files).length === 0) person('init', '-q', '-b', 'main')
  else beginRepository(home, { ...PERSON, message: 'first', settings: '' })
  const git = await openGit(home)
  const close = async () => {
    await git.close()
    rmSync(root, { recursive: true, force: true })
  }
  return { root, home, git, person, write, status: () => person('status', '--porcelain'), close }
}

export function gitIn(dir: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** As `gitIn` for a command that may fail; gives its exit code. */
export function gitCode(dir: string, ...args: string[]): number | null {
  return spawnSync('git', args, { cwd: dir, stdio: 'ignore' }).status
}

export function put(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

export function saying(subject: string, changes: Readonly<Record<string, string | null>>): CommitRequest {
  return {
    changes: Object.entries(changes).map(([path, text]) => [path, text === null ? null : Buffer.from(text)]),
    subject,
    body: '',
    trailers: [],
    author: { name: 'Author', email: 'author@localhost' },
  }
}

export const words = { subject: 'merge it', trailers: [['Neo-Session', 's-1']] } as const

export function placeIn(bench: Bench, folder = '', base = 'main'): Place {
  return { repository: bench.home, folder, base }
}

/** A session's worktree on a new branch from main. */
export async function openSession(bench: Bench, place: Place, branch = 'neo/one'): Promise<string> {
  const dir = join(bench.home, '.neo', 'worktrees', branch.replaceAll('/', '-'))
  await bench.git.addWorktree({ place, dir, branch, from: place.base })
  return dir
}

export function commitSession(
  bench: Bench,
  of: { dir: string; place: Place; branch?: string; subject?: string; work?: 'model' | 'person' },
) {
  return bench.git.commitWorktree({
    dir: of.dir,
    place: of.place,
    branch: of.branch ?? 'neo/one',
    from: of.place.base,
    subject: of.subject ?? 'session',
    trailers: [
      ['Neo-Session', 's-1'],
      ['Neo-Work', of.work ?? 'model'],
    ],
  })
}

/** A branch of a session with one commit of these files on it, its worktree detached. */
export async function sessionBranch(
  bench: Bench,
  files: Readonly<Record<string, string>>,
  branch = 'neo/one',
): Promise<string> {
  const place = placeIn(bench)
  const dir = await openSession(bench, place, branch)
  for (const [path, text] of Object.entries(files)) put(dir, path, text)
  await commitSession(bench, { dir, place, branch })
  await bench.git.detachWorktree(place, dir)
  return dir
}

/** Polls until it is so. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + MOMENT_MS
  while (!(await so())) {
    if (Date.now() > limit) throw new Error(`Not so within ${MOMENT_MS} ms: ${so}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Commits to main, and brings the index up. */
export async function commitTo(bench: Bench, subject: string, changes: Record<string, string | null>) {
  const result = await bench.git.commit('main', saying(subject, changes))
  await bench.git.refresh()
  return result
}
