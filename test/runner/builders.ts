/**
 * Builders for the tests of sessions: a repository, a record, and the world with real files, processes and git.
 */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import type { SessionRecord, Step } from '../../src/domain/session/session.ts'
import type { SessionDeps, SessionProgress } from '../../src/runner/deps.ts'
import { beginRepository } from '../repository.ts'
import { world } from './world.ts'

const made: string[] = []

afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
})

export interface Bench {
  readonly root: string
  readonly repository: string
  readonly effects: string
  readonly record: SessionRecord
  readonly deps: SessionDeps
  readonly progress: SessionProgress[]
  readonly lines: string[]
  /** What the steps wrote to the file of effects. */
  seen(): string
  /** The transcript's entries. */
  entries(): Record<string, unknown>[]
  /** Text of a file on the session's branch; null where it has none. */
  onBranch(path: string): string | null
}

/** A repository with one commit and a session on it whose steps are `scripts`. */
export function bench(
  scripts: readonly (string | Partial<Step>)[],
  over: Partial<SessionRecord> = {},
): Bench {
  const root = mkdtempSync(join(tmpdir(), 'neo-work-'))
  made.push(root)
  return benchAt(root, record(root, scripts, over))
}

/** The same over a folder that is there, as another process meets it. */
export function benchAt(root: string, of: SessionRecord, signal = new AbortController().signal): Bench {
  const { repository } = of.place
  if (!existsSync(repository)) makeRepository(repository)
  const progress: SessionProgress[] = []
  const lines: string[] = []
  const session = join(repository, '.git', 'neo', 'sessions', of.id)
  const deps: SessionDeps = {
    world: world(),
    dirs: { session, worktree: join(root, 'worktrees', of.id), home: repository },
    env: { PATH: process.env['PATH'], HOME: root, EFFECTS: join(root, 'effects'), SECRET: 'not for steps' },
    on: { progress: (event) => progress.push(event), line: (text) => lines.push(text) },
    signal,
  }
  const transcript = join(repository, '.git', 'neo', 'transcripts', `${of.id}.jsonl`)
  return {
    ...{ root, repository, record: of, deps, progress, lines, effects: join(root, 'effects') },
    seen: () => (existsSync(join(root, 'effects')) ? readFileSync(join(root, 'effects'), 'utf8') : ''),
    entries: () =>
      readFileSync(transcript, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    onBranch: (path) => show(repository, `${of.branch}:${path}`),
  }
}

/** Runs git; gives its output without the last line end. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@localhost']
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

/** Writes files below a folder. */
export function put(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
}

function makeRepository(dir: string): void {
  put(dir, { 'shop/readme': 'one\n', '.gitignore': 'ignored\n' })
  beginRepository(dir, { name: 'T', email: 't@localhost', message: 'one', settings: '' })
}

function show(repository: string, name: string): string | null {
  try {
    return execFileSync('git', ['show', name], { cwd: repository, encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return null
  }
}

function record(
  root: string,
  scripts: readonly (string | Partial<Step>)[],
  over: Partial<SessionRecord>,
): SessionRecord {
  return {
    v: 1,
    id: `s-${randomUUID().slice(0, 6)}`,
    ...{
      taskId: 't-abc123',
      taskPath: 'rooms/shop/tasks/build.md',
      taskName: 'build',
      title: 'Build',
      room: 'shop',
    },
    ...{ attempt: 1, worker: 'shell', branch: 'neo/shop/build-1', from: '', review: 'branch', hooks: 'off' },
    place: { repository: join(root, 'repository'), folder: 'shop', base: 'main' },
    steps: scripts.map((given, index) => step(given, index)),
    ...{ setup: [], cleanup: [], verify: [], env: ['EFFECTS'], envFiles: [] },
    ...{ timeoutMs: 3_600_000, onInterrupt: 'ask', startedAt: new Date().toISOString() },
    ...over,
  }
}

function step(given: string | Partial<Step>, index: number): Step {
  const base: Step = {
    shell: 'sh',
    name: `step ${index + 1}`,
    script: '',
    continueOnError: 'no',
    line: 10 + index,
  }
  return typeof given === 'string' ? { ...base, script: given } : { ...base, ...given }
}

/** What `counted` leaves. */
export const LINES = ['setup', 'one', 'two', 'three', 'check', 'cleanup']

/** A session whose every command leaves one line. */
export function counted(pause: string): Bench {
  const line = (word: string) => `sleep ${pause}; echo ${word} >>"$EFFECTS"; echo ${word}`
  const lines = {
    setup: [line('setup')],
    verify: [line('check')],
    cleanup: [line('cleanup')],
    envFiles: ['.env'],
  }
  const made = bench([line('one'), `echo x >made; ${line('two')}`, line('three')], lines)
  writeFileSync(join(made.repository, 'shop', '.env'), 'A=1\n')
  return made
}
