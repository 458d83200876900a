/**
 * Runs git in a named repository, also over the network. Invariants: 1. no shell, no prompt, no pager, no editor; a time
 * limit on every call, at which the whole process tree of a fetch or push ends; 2. git dir, shared dir and work tree are
 * given, nothing is discovered; 3. no program, transport or push option that a repository's own configuration names is
 * used (own-config.ts); 4. a token's login goes to one origin alone, never over plain http to another machine, never past
 * the repository's own http settings, never into argv.
 */

import { dirname } from 'node:path'
import { NeoError } from '../../../domain/home/error.ts'
import { withoutCredentials } from '../../../domain/text/forge.ts'
import { linkFilterFolders } from '../filters/filters.ts'
import { locateTop, type WorkTree } from '../locate.ts'
import { type Entry, isOwn } from './own-config.ts'
import { configuration, shadowOf } from './shadow.ts'
import {
  ALWAYS,
  firstLine,
  type GitRun,
  gitEnvironment,
  openSimpleGit,
  type Pair,
  placeIn,
  settings,
  spawnGit,
  startGit,
} from './spawn.ts'

/** For output that this program reads: nothing of the user's settings, and no program of theirs, changes it. */
export const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color'] as const

/** A work tree; or the top of one that a person named, never a folder that a session writes. */
export type Where = WorkTree | string

export interface RunOptions {
  readonly input?: Buffer | string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are an answer; any other throws. Default: 0. `any` lets all through. */
  readonly ok?: readonly number[] | 'any'
  readonly timeoutMs?: number
  /** Settings for this call, over all configuration. */
  readonly pairs?: readonly Pair[]
  /** Another work tree for this call: a folder of Neo that holds copies. */
  readonly top?: string
}

export async function runGit(
  where: Where,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitRun> {
  const tree = workTreeAt(where)
  const top = options.top ?? tree.top
  const env = await environmentOf({ ...tree, top }, options)
  const result = await spawnGit(top, args, { ...options, env })
  return expected(result, options.ok ?? [0], `${args[0]} in ${tree.top}`)
}

/** Throws NeoError `git` for any exit code that isn't in `ok`. */
function expected(result: GitRun, ok: readonly number[] | 'any', what: string): GitRun {
  if (ok === 'any' || ok.includes(result.code)) return result
  const why = firstLine(result.err) || `exit code ${result.code}`
  throw new NeoError('git', `Cannot run git ${what}: ${why}`)
}

/** What a reading command prints, through the library. Rejects with git's words when git refuses it. */
export async function readGit(where: Where, args: readonly string[]): Promise<string> {
  const tree = workTreeAt(where)
  const git = await openSimpleGit(tree.top, await environmentOf(tree))
  return git.raw([...args])
}

/** The output as text without its final newline. */
export async function gitText(
  where: Where,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return (await runGit(where, args, options)).out.toString('utf8').replace(/\n$/, '')
}

export function workTreeAt(where: Where): WorkTree {
  if (typeof where !== 'string') return where
  const found = locateTop(where)
  if (found !== null) return found
  throw new NeoError('git', `Cannot use ${where}: it is not the top folder of a git repository`)
}

const NO_HOOKS: Pair = ['core.hooksPath', '/dev/null']
/** So that indexes are always of a kind that index-file.ts reads. */
const PLAIN_INDEX: readonly Pair[] = [
  ['feature.manyFiles', 'false'],
  ['core.splitIndex', 'false'],
  ['core.untrackedCache', 'false'],
  ['index.sparse', 'false'],
  ['index.version', '2'],
]

/** The environment that names this work tree, its git dir and the configuration of Neo. */
export async function environmentOf(
  tree: WorkTree,
  of: Pick<RunOptions, 'env' | 'pairs'> & {
    /** Instead of the environment of this process. */
    readonly from?: Readonly<Record<string, string | undefined>>
  } = {},
): Promise<Record<string, string>> {
  linkFilterFolders(tree)
  const { dir } = await shadowOf(tree)
  const named = {
    ...placeIn({ ...tree, commonDir: dir }),
    GIT_CEILING_DIRECTORIES: dirname(tree.top),
    ...settings([...ALWAYS, ...PLAIN_INDEX, NO_HOOKS, ...(of.pairs ?? [])]),
    ...of.env,
  }
  return gitEnvironment(named, of.from ?? process.env)
}

/** Runs git with the repository's real shared dir: for commands that only change refs and registrations. */
export async function runPlainGit(
  tree: WorkTree,
  args: readonly string[],
  ok: readonly number[] | 'any' = [0],
): Promise<GitRun> {
  const env = gitEnvironment({ ...placeIn(tree), ...settings([...ALWAYS, NO_HOOKS]) })
  return expected(await spawnGit(tree.top, args, { env }), ok, `${args[0]} in ${tree.top}`)
}

/** User and token for one origin (`https://host`), for when the user's own git has no login. */
export interface Login {
  readonly origin: string
  readonly user: string
  readonly token: string
}

export interface NetworkRun {
  readonly code: number
  readonly out: string
  readonly err: string
  /** It was ended at the limit. */
  readonly late: boolean
}

export interface NetworkOptions {
  /** The limit; default two minutes. */
  readonly ms?: number | undefined
  readonly login?: Login | undefined
}

/** Longer than a push of a session's work takes on a slow line. */
const LIMIT_MS = 120_000
/** More than any answer that says something. */
const MOST_OUTPUT = 1024 * 1024

/** Runs one git command that talks to a remote. Never throws for what the other side does. */
export async function runNetwork(
  repository: Where,
  args: readonly string[],
  { ms = LIMIT_MS, login }: NetworkOptions = {},
): Promise<NetworkRun> {
  const tree = workTreeAt(repository)
  const env = await networkEnvironment(tree, login)
  return new Promise((resolve, reject) => {
    // A group of its own: git's helpers (ssh, git-remote-https) would keep a hanging line open after git is gone.
    const child = startGit(tree.top, args, { env, group: 'own' })
    const out = collector()
    const err = collector()
    child.stdout?.on('data', out.take)
    child.stderr?.on('data', err.take)
    let late = false
    const timer = setTimeout(() => {
      late = true
      endGroup(child.pid)
    }, ms)
    child.on('error', (cause) => {
      clearTimeout(timer)
      reject(cause)
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 128, out: out.text(), err: withoutCredentials(err.text()), late })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}

function collector(): { readonly take: (chunk: Buffer) => void; readonly text: () => string } {
  const chunks: Buffer[] = []
  let size = 0
  return {
    take(chunk) {
      size += chunk.length
      if (size <= MOST_OUTPUT) chunks.push(chunk)
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}

async function networkEnvironment(tree: WorkTree, login: Login | undefined): Promise<Record<string, string>> {
  const entries = await configuration(tree)
  const pairs: Pair[] = [
    ['push.pushOption', ''],
    ...(login === undefined || !mayLend(entries, login) ? [] : lent(login)),
  ]
  const env = { GIT_SSH_COMMAND: `${sshCommand(entries)} -o BatchMode=yes -o ConnectTimeout=30` }
  return environmentOf(tree, { pairs, env })
}

/** What the user set up for all repositories; only ssh if there is nothing. */
function sshCommand(entries: readonly Entry[]): string {
  const set = entries.filter((entry) => !isOwn(entry) && entry.key === 'core.sshcommand').at(-1)?.value
  return process.env['GIT_SSH_COMMAND'] ?? set ?? 'ssh'
}

/** A proxy or a switched-off check of certificates in the repository's own configuration could read the login. */
function mayLend(entries: readonly Entry[], { origin }: Login): boolean {
  if (!/^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin)) return false
  return !entries.some((entry) => isOwn(entry) && /^(?:http\.|remote\..*\.proxy)/.test(entry.key))
}

function lent({ origin, user, token }: Login): readonly Pair[] {
  const basic = Buffer.from(`${user}:${token}`).toString('base64')
  return [
    [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`],
    [`http.${origin}/.followRedirects`, 'false'],
  ]
}
