/**
 * A home of its own for each test: real files, real git, and the engine in this process.
 * Takes files to begin with; gives what a person does (write, git) and what the engine does (run, watch).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import type { Event } from '../../src/engine/context.ts'
import { type DaemonOptions, runDaemon } from '../../src/engine/daemon.ts'
import { beginRepository } from '../repository.ts'
import { MOMENT_MS } from '../wait.ts'

export const PERSON = 'Person <person@localhost>'
export const NEO = 'Neo <neo@localhost>'

export interface Home {
  readonly dir: string
  /** Writes a file as a person's editor would, at a path relative to the home. */
  write(path: string, text: string | Buffer): void
  read(path: string): string
  has(path: string): boolean
  git(...args: readonly string[]): string
  /** Writes `rooms/shop/tasks/<name>.md`. */
  task(name: string, text: string): void
  text(name: string): string
  status(name: string): string
  /** A key of the task's `neo:` block, as it stands in the file. */
  neo(name: string, key: string): string | undefined
  /** Runs until nothing is left to do. */
  run(options?: Partial<DaemonOptions>): Promise<Ran>
  /** Watches until `stop`. */
  watch(options?: Partial<DaemonOptions>): Watching
}

export interface Ran {
  readonly exitCode: number
  readonly events: readonly Event[]
}

export interface Watching {
  readonly events: readonly Event[]
  /** Resolves when the daemon says that it is ready. */
  ready(): Promise<void>
  stop(): Promise<Ran>
}

const CONFIG = 'daemon: { settle: 0s, rescan: 1s }\n'
const ROOM = '---\nname: Shop\nworker: shell\n---\nBe brief.\n'

/** Makes a committed home with one room, `shop`, and these files more. */
export function makeHome(files: Readonly<Record<string, string>> = {}): Home {
  const dir = mkdtempSync(join(tmpdir(), 'neo-path-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return fillHome(dir, files)
}

/** The same in a folder that somebody else clears away. */
export function fillHome(dir: string, files: Readonly<Record<string, string>> = {}): Home {
  const home = openHome(dir)
  const all = {
    '.gitignore': '.neo/\n.env\n',
    'neo.yaml': CONFIG,
    'rooms/shop/ROOM.md': ROOM,
    'workspace/files/README.md': 'Files.\n',
    ...files,
  }
  for (const [path, text] of Object.entries(all)) home.write(path, text)
  beginRepository(dir, { name: 'Person', email: 'person@localhost', message: 'begin' })
  return home
}

export function openHome(dir: string): Home {
  const path = (name: string) => `rooms/shop/tasks/${name}.md`
  const read = (file: string) => readFileSync(join(dir, file), 'utf8')
  return {
    dir,
    write(file, text) {
      mkdirSync(dirname(join(dir, file)), { recursive: true })
      writeFileSync(join(dir, file), text)
    },
    read,
    has: (file) => existsSync(join(dir, file)),
    git: (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe' }).trimEnd(),
    task(name, text) {
      this.write(path(name), text)
    },
    text: (name) => read(path(name)),
    status: (name) => /^status: (\w+)/m.exec(read(path(name)))?.[1] ?? 'pending',
    neo: (name, key) => new RegExp(`^ {2}${key}: "?(.*?)"?$`, 'm').exec(read(path(name)))?.[1],
    run: (options = {}) => engine(dir, { mode: 'run', ...options }),
    watch: (options = {}) => watching(dir, options),
  }
}

async function engine(dir: string, options: Partial<DaemonOptions>): Promise<Ran> {
  const events: Event[] = []
  const world = options.world ?? (await composeWorld(dir))
  const signal = options.signal ?? new AbortController().signal
  const print = (event: Event) => void events.push(event)
  const all = { home: dir, world, mode: 'run', print, signal, version: 'test', timeoutMs: 240_000 } as const
  const { exitCode } = await runDaemon({ ...all, ...options })
  return { exitCode, events }
}

function watching(dir: string, options: Partial<DaemonOptions>): Watching {
  const abort = new AbortController()
  const events: Event[] = []
  const print = (event: Event) => void events.push(event)
  const ended = engine(dir, { mode: 'watch', print, signal: abort.signal, ...options })
  const stop = async () => {
    abort.abort()
    return { ...(await ended), events }
  }
  onTestFinished(async () => void (await stop().catch(() => {})))
  return { events, ready: () => until(() => events.some(({ kind }) => kind === 'ready')), stop }
}

/** Waits until the condition, which may be a promise, holds; fails with what it says last when it does not within the limit. */
export async function until(condition: () => unknown, limitMs = MOMENT_MS): Promise<void> {
  const limit = Math.max(limitMs, MOMENT_MS)
  const end = Date.now() + limit
  for (;;) {
    const seen = await attempt(condition)
    if (seen === true) return
    if (Date.now() > end) throw new Error(`Not so after ${limit} ms: ${condition}: ${String(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

/** A file may be gone for a moment while it is looked at. */
async function attempt(condition: () => unknown): Promise<unknown> {
  try {
    return await condition()
  } catch (error) {
    return error
  }
}

/** A runbook of these blocks, with these header lines. */
export function runbook(blocks: readonly string[], header: readonly string[] = []): string {
  const head = header.length === 0 ? '' : `---\n${header.join('\n')}\n---\n`
  return `${head}# Do it\n\n${blocks.map((block) => `\`\`\`sh\n${block}\n\`\`\`\n`).join('\n')}`
}

/** Subjects of the commits, oldest first, without those of the test itself. */
export function subjects(home: Home): string[] {
  const all = home.git('log', '--format=%s', '--reverse', '--first-parent', 'main').split('\n')
  return all.filter((subject) => subject !== 'begin')
}
