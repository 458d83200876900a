/**
 * Git over the network: the environment and the limit of every fetch and push.
 * Takes a repository, arguments, and maybe a login that is lent; gives exit code and output without credentials.
 * Leaves to remote.ts: what is fetched and pushed, and what the answers mean.
 * Invariants: 1. no prompt, and the whole process tree ends at the limit; 2. beside the guard: no helper program, no
 * transport and no push option that the repository's own configuration names; 3. a lent login goes to one origin
 * alone, never over plain http to another machine, never past the repository's own http settings, never into argv.
 */
import { spawn } from 'node:child_process'
import { withoutCredentials } from '../../core/rules/forge.ts'
import { guardOf } from './guard.ts'
import { gitEnvironment, spawnGit, zeroSplit } from './spawn.ts'

/** User and token for one origin (`https://host`), for where the user's own git has no login. */
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
  readonly late: 'yes' | 'no'
}

export interface NetworkOptions {
  /** The limit; default two minutes. */
  readonly ms?: number
  readonly login?: Login
}

/** Longer than a push of a session's work takes on a slow line. */
const LIMIT_MS = 120_000
/** More than any answer that says something. */
const MOST_OUTPUT = 1024 * 1024

/** Runs one git command that talks to a remote. Never throws for what the other side does. */
export async function runNetwork(
  repository: string,
  args: readonly string[],
  { ms = LIMIT_MS, login }: NetworkOptions = {},
): Promise<NetworkRun> {
  const env = await networkEnvironment(repository, login)
  return new Promise((resolve, reject) => {
    // A group of its own: git's helpers (ssh, git-remote-https) would keep a hanging line open after git is gone.
    const child = spawn('git', [...args], {
      cwd: repository,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const out = collector()
    const err = collector()
    child.stdout.on('data', out.take)
    child.stderr.on('data', err.take)
    let late: 'yes' | 'no' = 'no'
    const timer = setTimeout(() => {
      late = 'yes'
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
    // It has ended meanwhile.
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

type Pair = readonly [key: string, value: string]
interface Entry {
  /** `local` and `worktree` are the repository's own. */
  readonly scope: string
  readonly key: string
  readonly value: string
}

async function networkEnvironment(
  repository: string,
  login: Login | undefined,
): Promise<Record<string, string>> {
  const guard = await guardOf(repository, 'off')
  const entries = await configuration(repository)
  const pairs: Pair[] = [
    ['push.pushOption', ''],
    ...helpers(entries),
    ...(login === undefined || !mayLend(entries, login) ? [] : lent(login)),
  ]
  const from = Number(guard['GIT_CONFIG_COUNT'] ?? 0)
  const env: Record<string, string> = { ...guard, GIT_CONFIG_COUNT: String(from + pairs.length) }
  for (const [index, [key, value]] of pairs.entries()) {
    env[`GIT_CONFIG_KEY_${from + index}`] = key
    env[`GIT_CONFIG_VALUE_${from + index}`] = value
  }
  return gitEnvironment({
    ...env,
    // Beats protocol.*.allow and remote.*.vcs of any configuration: no `ext::` and no helper by another name.
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_SSH_COMMAND: `${sshCommand(entries)} -o BatchMode=yes -o ConnectTimeout=30`,
  })
}

async function configuration(repository: string): Promise<readonly Entry[]> {
  const env = gitEnvironment({})
  const listed = await spawnGit(repository, ['config', '--show-scope', '--includes', '--list', '-z'], { env })
  const fields = zeroSplit(listed.out)
  return fields.flatMap((scope, at) => {
    if (at % 2 === 1) return []
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n')
    return [{ scope, key, value: value.join('\n') }]
  })
}

function isOwn({ scope }: Entry): boolean {
  return scope === 'local' || scope === 'worktree'
}

/** What the user set up for all repositories; ssh alone where nothing is. */
function sshCommand(entries: readonly Entry[]): string {
  const set = entries.filter((entry) => !isOwn(entry) && entry.key === 'core.sshcommand').at(-1)?.value
  return process.env['GIT_SSH_COMMAND'] ?? set ?? 'ssh'
}

const HELPER = /^credential\.(?:.*\.)?helper$/
/** The name of a helper of git's, without arguments: `store`, `osxkeychain`; not a shell line, not a path. */
const BY_NAME = /^[a-z][a-z-]*$/

/** All helpers again without those that only the repository's own configuration names by command. */
function helpers(entries: readonly Entry[]): readonly Pair[] {
  const all = entries.filter(({ key }) => HELPER.test(key))
  const kept = all.filter((entry) => !isOwn(entry) || entry.value === '' || BY_NAME.test(entry.value))
  if (kept.length === all.length) return []
  return [['credential.helper', ''], ...kept.map(({ key, value }): Pair => [key, value])]
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
