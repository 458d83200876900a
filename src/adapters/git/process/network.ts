/**
 * Git over the network: the environment and the limit of every fetch and push. Invariants: 1. no prompt, and the whole
 * process tree ends at the limit; 2. no helper program, no transport and no push option that the repository's own
 * configuration names (own-config.ts); 3. a lent login goes to one origin alone, never over plain http to another
 * machine, never past the repository's own http settings, never into argv.
 */
import { withoutCredentials } from '../../../domain/text/forge.ts'
import type { WorkTree } from '../locate.ts'
import { type Entry, isOwn } from './own-config.ts'
import { environmentOf, type Where, workTreeAt } from './run-git.ts'
import { configuration } from './shadow.ts'
import { type Pair, startGit } from './spawn.ts'

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
  readonly late: boolean
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

/** What the user set up for all repositories; ssh alone where nothing is. */
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
