/**
 * Who may ask which forge: from a remote's URL and the environment to kind, address of the API and token. Invariants: 1.
 * a token belongs to one host, which the environment names or everybody knows; a remote that is changed to another host
 * gets none; 2. plain http only to this machine, or if a `NEO_…_API` variable says so.
 */
import {
  addressOf,
  type ForgeKind,
  forgeKindOf,
  type RemoteAddress,
  withoutCredentials,
} from '../../domain/text/forge.ts'
import type { Login } from '../git/process/run-git.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Access {
  readonly kind: ForgeKind
  readonly address: RemoteAddress
  /** Base of the API, without a slash at the end. */
  readonly api: string
  /** Never printed, never stored. */
  readonly token: string | null
  /** Which variable to set, for messages. */
  readonly tokenName: string
}

interface Row {
  readonly kind: ForgeKind
  /** Which variable names the host; if it is unset, `host` is meant. */
  readonly hostName: string
  readonly host: string
  readonly tokens: readonly [string, ...string[]]
}

/** In this order: the first row whose host is the remote's. */
const ROWS: readonly Row[] = [
  { kind: 'github', hostName: '', host: 'github.com', tokens: ['GITHUB_TOKEN', 'GH_TOKEN'] },
  {
    kind: 'github',
    hostName: 'GH_HOST',
    host: 'github.com',
    tokens: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'],
  },
  { kind: 'gitlab', hostName: 'GITLAB_HOST', host: 'gitlab.com', tokens: ['GITLAB_TOKEN'] },
  { kind: 'gitea', hostName: 'GITEA_HOST', host: 'gitea.com', tokens: ['GITEA_TOKEN'] },
  { kind: 'gitea', hostName: 'FORGEJO_HOST', host: 'codeberg.org', tokens: ['FORGEJO_TOKEN'] },
]

const API_NAMES = { github: 'NEO_GITHUB_API', gitlab: 'NEO_GITLAB_API', gitea: 'NEO_GITEA_API' } as const

/** @param url of the remote, as git uses it */
export function accessOf(url: string, env: Environment): Access | { readonly wrong: string } {
  const address = addressOf(url)
  if (address === null)
    return {
      wrong: `origin is ${withoutCredentials(url)}, which is no forge; write review: branch, or set origin to one`,
    }
  const rows = ROWS.map((row) => ({ ...row, host: hostOf(row, env) }))
  const kind = forgeKindOf(address.host, Object.fromEntries(rows.map((row) => [row.host, row.kind])))
  if (kind === null)
    return {
      wrong: `nobody knows what kind of forge ${address.host} is; set GH_HOST, GITLAB_HOST, GITEA_HOST or FORGEJO_HOST to it`,
    }
  const row = rows.find(({ host }) => host === address.host)
  const named = row?.tokens.find((name) => setIn(env, name) !== null)
  return {
    kind,
    address,
    api: apiOf(kind, address, env),
    token: named === undefined ? null : setIn(env, named),
    tokenName: named ?? row?.tokens[0] ?? namesFor(kind),
  }
}

function namesFor(kind: ForgeKind): string {
  const row = ROWS.findLast((one) => one.kind === kind && one.hostName !== '')
  return row === undefined ? 'a token' : `${row.hostName} and ${row.tokens[0]}`
}

function hostOf(row: Row, env: Environment): string {
  const named = row.hostName === '' ? null : setIn(env, row.hostName)
  return named === null
    ? row.host
    : named
        .replace(/^https?:\/\//i, '')
        .replace(/\/.*$/, '')
        .toLowerCase()
}

function setIn(env: Environment, name: string): string | null {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? null : value
}

const PATHS = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' } as const
const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

function apiOf(kind: ForgeKind, address: RemoteAddress, env: Environment): string {
  const set = setIn(env, API_NAMES[kind])
  if (set !== null) return set.replace(/\/+$/, '')
  if (address.host === 'github.com') return 'https://api.github.com'
  const scheme = address.scheme === 'http' && THIS_MACHINE.test(address.host) ? 'http' : 'https'
  return `${scheme}://${address.host}${PATHS[kind]}`
}

const USERS = { github: 'x-access-token', gitlab: 'oauth2', gitea: 'neo' } as const

/** The token as a login for git, if the remote is reached over http and its URL has no login. */
export function loginOf({ kind, address, token }: Access): Login | null {
  if (token === null || address.hasSecret || !address.scheme.startsWith('http')) return null
  return { origin: `${address.scheme}://${address.host}`, user: USERS[kind], token }
}
