/** Homes in temporary folders, and the built program: as a child process, or inside of this one. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll } from 'vitest'
import { beginRepository } from '../repository.ts'
import { MOMENT_MS } from '../wait.ts'
import { run } from './inside.ts'

export const MAIN = resolve('dist/main.js')
const CONFIG_HOME = mkdtempSync(join(tmpdir(), 'neo-cli-config-'))
const made: string[] = [CONFIG_HOME]
afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
})

export function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-cli-'))
  made.push(dir)
  return dir
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface How {
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Another copy of the program. */
  readonly main?: string
  /** What starts it, with its arguments. */
  readonly through?: readonly string[]
}

/** No variable of the machine's own reaches the program but those that name folders. */
function environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    // Homes of tests are made by git alone, and nothing of them is remembered beside them.
    NEO_TRUST: '1',
    XDG_CONFIG_HOME: CONFIG_HOME,
    ...more,
  }
}

/** Starts the program; the caller ends it. */
export function start(args: readonly string[], how: How = {}) {
  const [command = '', ...before] = [...(how.through ?? []), process.execPath]
  return spawn(command, [...before, how.main ?? MAIN, ...args], {
    cwd: how.cwd ?? tmpdir(),
    env: environment(how.env ?? {}),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs the program to its end, as a process. */
export function program(args: readonly string[], how: How = {}): Promise<Ended> {
  const child = start(args, how)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(how.input ?? '')
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })))
}

/** What is looked at when it is used. Folders are looked at when modules load; a secret is known from then on. */
const PASSING = /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|NEO_(?:HOME|NODE|TRUST|DAEMON__\w+))$/

/**
 * Runs the program to its end inside of this process, which saves its start; as a process where its environment says more
 * than that. For commands that end by themselves; what is about processes, signals and several at once is for `program`.
 */
export function neo(args: readonly string[], how: How = {}): Promise<Ended> {
  const { cwd = tmpdir(), input = '', env = {} } = how
  const isPassing = how.main === undefined && Object.keys(env).every((name) => PASSING.test(name))
  if (!isPassing) return program(args, how)
  return run({ args, cwd, input, env: environment(env) })
}

/** The data of a `--json` document; fails where stdout is anything else. */
export function dataOf({ out }: Ended): unknown {
  const document: unknown = JSON.parse(out)
  return (document as { readonly data: unknown }).data
}

export interface Home {
  readonly dir: string
  /** Runs a command on this home. */
  neo(...args: string[]): Promise<Ended>
  /** The same as a process. */
  program(...args: string[]): Promise<Ended>
  put(path: string, text: string): void
  text(path: string): string
  names(path: string): string[]
  git(...args: string[]): string
}

/** A committed home with the rooms `lobby` and `shop`, without `neo init`. */
export function makeHome(files: Readonly<Record<string, string>> = {}): Home {
  const dir = join(temporary(), 'home')
  const home: Home = {
    dir,
    neo: (...args) => neo([...args, '--home', dir]),
    program: (...args) => program([...args, '--home', dir]),
    put(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    },
    text: (path) => readFileSync(join(dir, path), 'utf8'),
    names: (path) => readdirSync(join(dir, path)),
    git: (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe' }),
  }
  home.put('neo.yaml', 'daemon:\n  branch: main\n  settle: 100ms\n')
  home.put('.gitignore', '.neo/\n.env\n')
  home.put('workspace/files/.gitkeep', '')
  home.put('rooms/lobby/ROOM.md', '---\nname: Lobby\nworker: human\n---\n')
  home.put('rooms/shop/ROOM.md', '---\nname: Shop\ndescription: The web shop\nworker: shell\n---\n')
  home.put('rooms/shop/tasks/.gitkeep', '')
  for (const [path, text] of Object.entries(files)) home.put(path, text)
  beginRepository(dir, { name: 'Ana', email: 'ana@localhost', message: 'A home' })
  return home
}

export const RUNBOOK = '```sh name=one\necho done\n```\n'

/** Waits for a condition. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + MOMENT_MS; Date.now() < end; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`Not so within ${MOMENT_MS} ms: ${holds}`)
}
