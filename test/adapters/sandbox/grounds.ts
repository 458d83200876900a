/** A made home with a repository, a worktree of it, secrets around it, a server and a process to hit; and a way in. */
import { execFileSync, spawn } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openSandbox } from '../../../src/adapters/sandbox/bubblewrap.ts'
import type { Confinement } from '../../../src/ports/sandbox-port.ts'
import { beginRepository } from '../../repository.ts'

export const MARKER = 'marker-of-a-secret'

export interface Grounds {
  /** Holds everything; removed in the end. */
  readonly top: string
  readonly home: string
  readonly repository: string
  readonly worktree: string
  readonly port: number
  readonly socket: string
  readonly victim: number
  hits(): number
  victimLives(): boolean
  /** Runs a command line confined; gives its exit code and all that it said. */
  run(
    line: string,
    more?: Partial<Confinement>,
  ): Promise<{ readonly code: number | null; readonly out: string }>
  /** Everything but the worktree: kinds, modes, contents. */
  outside(): readonly string[]
  close(): Promise<void>
}

const FILES = [
  'home/.ssh/id_ed25519',
  'home/.aws/credentials',
  'home/.netrc',
  'home/.gitconfig.secret',
  'home/.config/tool/token',
  'home/documents/letter.txt',
  'home/project/untracked.txt',
  'home/project/neo.yaml',
  'home/project/.neo/daemon.json',
  'home/project/.neo/worktrees/other/x.txt',
  'home/project/.git/neo/audit.jsonl',
  'home/project/.git/neo/sessions/s-2/record.json',
  'elsewhere/secret.txt',
]

export async function grounds(): Promise<Grounds> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'neo-sandbox-')))
  const [home, repository] = [join(top, 'home'), join(top, 'home/project')]
  const worktree = join(repository, '.neo/worktrees/s-1')
  repositoryAt(repository, worktree)
  for (const path of FILES) put(join(top, path), `${MARKER}\n`)
  put(join(home, '.local/bin/own-tool'), '#!/bin/sh\necho own tool\n', 0o755)
  put(join(home, 'lent/notes.txt'), 'lent\n')
  const server = await listening(join(top, 'elsewhere/socket'))
  const victim = spawn('sleep', ['600'], { stdio: 'ignore', env: { KEY: MARKER } })
  const sandbox = openSandbox({ home, env: { PATH: process.env['PATH'], SERVICE_KEY: MARKER } })
  const env = {
    PATH: `${home}/.local/bin:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    GIVEN: 'given',
  }
  const usual: Confinement = {
    ...{ write: [worktree], read: [], network: 'deny', cwd: worktree, env, limits: {} },
    hide: ['neo.yaml', 'rooms'].map((name) => join(worktree, name)),
    worktree: { top: worktree, repository },
  }
  return {
    ...{ top, home, repository, worktree, port: server.port, socket: join(top, 'elsewhere/socket') },
    victim: victim.pid ?? 0,
    hits: server.hits,
    victimLives: () => victim.exitCode === null && victim.signalCode === null,
    run: (line, more = {}) => run(sandbox.wrap(['sh', '-c', line], { ...usual, ...more }), env),
    outside: () => picture(top, worktree),
    close: async () => {
      victim.kill('SIGKILL')
      await server.close()
      rmSync(top, { recursive: true, force: true })
    },
  }
}

function repositoryAt(repository: string, worktree: string): void {
  mkdirSync(repository, { recursive: true })
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', repository, ...args], {
      stdio: 'pipe',
      env: { PATH: process.env['PATH'] ?? '', HOME: repository },
    })
  put(join(repository, 'src/main.txt'), 'inside\n')
  put(join(repository, 'Makefile'), 'all:\n\t@echo made\n')
  put(join(repository, '.gitignore'), '.neo/\n')
  beginRepository(repository, { name: 'Person', email: 'person@localhost', message: 'first' })
  git('worktree', 'add', '-q', '-b', 'neo/s-1', worktree)
  put(join(worktree, 'neo.yaml'), 'daemon: {}\n')
  put(join(worktree, 'rooms/shop/ROOM.md'), 'rules\n')
}

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode })
}

async function listening(path: string) {
  let hits = 0
  const servers = [createServer(), createServer()] as const
  for (const server of servers) {
    server.on('connection', (socket) => {
      hits += 1
      socket.on('error', () => {})
      socket.end(MARKER)
    })
  }
  const [tcp, unix] = servers
  await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done))
  await new Promise<void>((done) => unix.listen(path, done))
  const address = tcp.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    hits: () => hits,
    close: async () => {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
    },
  }
}

function run(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly out: string }> {
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      out += String(chunk)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, out })
    })
  })
}

function picture(dir: string, without: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (path === without) return []
    const stat = lstatSync(path)
    const row = `${path} ${stat.mode} ${stat.mtimeMs}`
    if (stat.isDirectory()) return [row, ...picture(path, without)]
    if (stat.isSymbolicLink()) return [`${row} ${readlinkSync(path)}`]
    return [stat.isFile() ? `${row} ${readFileSync(path, 'latin1')}` : row]
  })
}

/** Why the tests of the sandbox cannot run here; null where they can. */
export async function whyNot(): Promise<string | null> {
  const available = await openSandbox().available()
  return 'wrong' in available ? `${available.wrong} (${available.next})` : null
}
