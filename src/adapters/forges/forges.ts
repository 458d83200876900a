/**
 * The port `Forges`: pushes a session's branch, opens its pull request, looks at its state, fetches the base.
 * Invariants: 1. nothing is thrown for what a remote or a forge can cause: it is `wrong`, in one line; 2. no token in
 * any line, file or argument; 3. libraries are loaded at the first use.
 */

import { redact } from '../../domain/secrets/redact.ts'
import type { Place } from '../../domain/session/session.ts'
import { withoutCredentials } from '../../domain/text/forge.ts'
import type { Forges, PullRequest } from '../../ports/forge-port.ts'
import { commitOf } from '../git/git-repository.ts'
import { remoteOf } from '../git/remote/remote.ts'
import { type Access, accessOf, type Environment, loginOf } from './access.ts'
import { fetchAs, forget, openByPush, pushSession, type Work, type Wrong } from './push.ts'
import { type Client, ForgeTrouble, openPull, pullState, type Wire } from './rest.ts'

export interface ForgesOptions {
  /** Limit of one request to a forge; default half a minute. */
  readonly requestMs?: number
  /** Limit of one push or fetch; default two minutes. */
  readonly gitMs?: number
}

/** Longer than any of the three takes when it is well. */
const REQUEST_MS = 30_000
const GIT_MS = 120_000

export function openForges(options: ForgesOptions = {}): Forges {
  const wire: Wire = { ms: options.requestMs ?? REQUEST_MS }
  const ms = options.gitMs ?? GIT_MS
  return {
    target: async (place, branch) => {
      const [remote, commit] = [await remoteOf(place.repository), await tipOf(place, branch)]
      return remote === null || commit === null ? null : { remote: remote.shown, commit }
    },
    open: (request) => telling(() => open(request, wire, ms)),
    state: (request) => telling(() => state(request, wire)),
    fetchBase: (place, env) => telling(() => fetchBase(place, env, ms)),
  }
}

/** What should not happen, too, as one line without secrets: nobody's round fails because of a forge. */
async function telling<T>(work: () => Promise<T | Wrong>): Promise<T | Wrong> {
  try {
    return await work()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { wrong: withoutCredentials(redact(text)).split('\n')[0] ?? 'something went wrong' }
  }
}

function tipOf({ repository }: Place, branch: string): Promise<string | null> {
  return commitOf(repository, `refs/heads/${branch}`)
}

async function open(
  { place, branch, title, body, env, commit }: Parameters<Forges['open']>[0],
  wire: Wire,
  ms: number,
): Promise<PullRequest | Wrong> {
  const access = await accessAt(place, env)
  if ('wrong' in access) return access
  const work: Work = { place, branch, login: loginOf(access), ms, commit }
  if (access.token === null) {
    const made = await openByPush(access, { title, body, work })
    return 'kind' in made ? openedBefore(access, wire, branch) : made
  }
  const pushed = await pushSession(work)
  if ('wrong' in pushed) return pushed
  return asking(access, async () =>
    openPull(await clientOf(access, wire), { title, body, branch, base: place.base }),
  )
}

/** The push said no number: an open pull request that everybody may see is the one. */
async function openedBefore(access: Access, wire: Wire, branch: string): Promise<PullRequest | Wrong> {
  const seen = await asking(access, async () => pullState(await clientOf(access, wire), branch))
  if (seen !== null && !('wrong' in seen) && seen.state === 'open') return seen
  return {
    wrong: `${branch} is pushed, but ${access.address.host} names no pull request without a token; set ${access.tokenName}`,
  }
}

async function state(
  { place, branch, env }: Parameters<Forges['state']>[0],
  wire: Wire,
): Promise<PullRequest | null | Wrong> {
  const access = await accessAt(place, env)
  if ('wrong' in access) return access
  const pull = await asking(access, async () => pullState(await clientOf(access, wire), branch))
  if (pull !== null && !('wrong' in pull) && pull.state !== 'open') await forget(place.repository, branch)
  return pull
}

async function fetchBase(place: Place, env: Environment, ms: number): Promise<string | null | Wrong> {
  const remote = await remoteOf(place.repository)
  if (remote === null) return null
  const access = accessOf(remote.url, env)
  const login = 'wrong' in access ? null : loginOf(access)
  const fetched = await fetchAs({ place, branch: place.base, login, ms })
  if (fetched.kind === 'fetched') return fetched.commit
  return { wrong: fetched.kind === 'missing' ? `origin has no branch ${place.base}` : fetched.why }
}

async function accessAt(place: Place, env: Environment): Promise<Access | Wrong> {
  const remote = await remoteOf(place.repository)
  if (remote !== null) return accessOf(remote.url, env)
  return { wrong: 'there is no remote "origin" to push to; add one, or write review: branch' }
}

/** Trouble with a forge as `<host>: <what>`. */
async function asking<T>(access: Access, work: () => Promise<T>): Promise<T | Wrong> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ForgeTrouble) return { wrong: `${access.address.host}: ${error.message}` }
    throw error
  }
}

async function clientOf(access: Access, wire: Wire): Promise<Client> {
  switch (access.kind) {
    case 'github':
      return (await import('./github.ts')).githubClient(access, wire)
    case 'gitlab':
      return (await import('./gitlab.ts')).gitlabClient(access, wire)
    case 'gitea':
      return (await import('./gitea.ts')).giteaClient(access, wire)
  }
}
