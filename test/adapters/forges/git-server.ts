/**
 * A git server over smart http for tests: git's own `http-backend` behind a small server of node, with or without a
 * login; and clones of what it serves. Global configuration is a file of the test's own.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { beginRepository, cloneShared, shareRepository } from '../../repository.ts'

export interface GitServer {
  readonly root: string
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly host: string
  /** Folder of the bare repository `acme/shop.git`. */
  readonly bare: string
  /** Address of it over http. */
  readonly url: string
  /** Values of the header `authorization` that came. */
  readonly logins: readonly string[]
  /** Writes a hook of the server. */
  hook(name: string, script: string): void
  /** A clone by path, by default, with a commit on main there before. */
  clone(name: string, url?: string): Clone
}

export interface Clone {
  readonly dir: string
  git(...args: readonly string[]): string
  /** Commits a file on a branch, made from main where it is new; HEAD goes back to main. */
  commit(branch: string, file: string, text: string): string
  write(path: string, text: string): void
}

/** @param login `user:password` that is asked for; none: everybody may come in */
export async function gitServer(login?: string): Promise<GitServer> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-remote-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  ownConfiguration(root)
  const bare = join(root, 'served', 'acme', 'shop.git')
  mkdirSync(bare, { recursive: true })
  const first = join(root, 'first')
  mkdirSync(first)
  writeFileSync(join(first, 'README.md'), 'Shop\n')
  beginRepository(first, { name: 'Person', email: 'person@localhost', message: 'begin', settings: '' })
  shareRepository(first, bare, '[http]\n\treceivepack = true\n[receive]\n\tadvertisePushOptions = true\n')
  const logins: string[] = []
  const { origin, host } = await serveHttp(root, login, logins)
  const url = `${origin}/acme/shop.git`
  const server: GitServer = {
    ...{ root, origin, host, bare, url, logins },
    hook(name, script) {
      const file = join(bare, 'hooks', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `#!/bin/sh\n${script}\n`)
      chmodSync(file, 0o755)
    },
    clone: (name, from = bare) => clone(join(root, name), { from, first, bare }),
  }
  return server
}

function ownConfiguration(root: string): void {
  const global = join(root, 'gitconfig')
  const user = '[user]\n\tname = Person\n\temail = person@localhost\n[init]\n\tdefaultBranch = main\n'
  writeFileSync(global, user)
  process.env['GIT_CONFIG_GLOBAL'] = global
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
}

export function git(dir: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()
}

interface Origin {
  readonly from: string
  readonly bare: string
  /** What the bare repository was made of. */
  readonly first: string
}

function clone(dir: string, { from, bare, first }: Origin): Clone {
  if (/^[a-z]+:/.test(from)) {
    mkdirSync(dir)
    git(dir, 'init', '-q', '-b', 'main')
    git(dir, 'remote', 'add', 'origin', from)
  } else if (from === bare && isAsBegun(bare, first)) cloneShared({ dir: first, bare }, dir)
  else git(dirname(dir), 'clone', '-q', from, dir)
  const made: Clone = {
    dir,
    git: (...args) => git(dir, ...args),
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    },
    commit(branch, file, text) {
      const known = git(dir, 'for-each-ref', `refs/heads/${branch}`) !== ''
      git(dir, 'checkout', '-q', ...(known ? [branch] : ['-b', branch, 'main']))
      made.write(file, text)
      git(dir, 'add', '-A')
      git(dir, 'commit', '-qm', `write ${file}`)
      const commit = git(dir, 'rev-parse', 'HEAD')
      git(dir, 'checkout', '-q', 'main')
      return commit
    },
  }
  return made
}

function isAsBegun(bare: string, first: string): boolean {
  const main = (dir: string) => readFileSync(join(dir, 'refs/heads/main'), 'utf8')
  const names = readdirSync(join(bare, 'refs'), { recursive: true, withFileTypes: true })
  const refs = names.filter((entry) => entry.isFile())
  return (
    refs.length === 1 && !existsSync(join(bare, 'packed-refs')) && main(bare) === main(join(first, '.git'))
  )
}

async function serveHttp(root: string, login: string | undefined, logins: string[]) {
  const server = createServer((request, response) => {
    const given = request.headers.authorization
    if (given !== undefined) logins.push(given)
    const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
    if (wanted !== undefined && given !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('who are you?')
      return
    }
    backend(root, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin: `http://${host}`, host }
}

/** One request as CGI. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: process.env['GIT_CONFIG_GLOBAL'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: join(root, 'served'),
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol']?.toString() ?? '',
      REMOTE_USER: 'person',
      REMOTE_ADDR: '127.0.0.1',
    },
  })
  const chunks: Buffer[] = []
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => answer(Buffer.concat(chunks), response))
}

function answer(all: Buffer, response: ServerResponse): void {
  const end = all.indexOf('\r\n\r\n')
  const lines = all.subarray(0, end).toString('latin1').split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/s)).map(([name = '', value = '']) => [name, value])
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
  for (const [name = '', value = ''] of headers) if (name !== 'Status') response.setHeader(name, value)
  response.writeHead(Number.parseInt(status, 10)).end(all.subarray(end + 4))
}

/** A server that takes connections and never says a word. Gives its address. */
export async function silentServer(): Promise<string> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createTcp((socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
