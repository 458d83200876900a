/**
 * The push of a session's branch, so that nothing is lost at the remote; GitLab and Gitea open a pull request by it
 * without a token, with the user's git login. Invariants: 1. what is replaced at the remote is what Neo pushed before
 * (`refs/neo/pushed/<branch>`), or an ancestor of what is pushed now; 2. the token's login is used only after the user's
 * own git was rejected; 3. the ref of a push is deleted with its pull request (`forget`), so that it keeps no objects;
 * 4. push options are one line each, and short: servers cut or refuse others.
 */
import { redact } from '../../domain/secrets/redact.ts'
import type { Place } from '../../domain/session/session.ts'
import { topicOf, withoutCredentials } from '../../domain/text/forge.ts'
import type { PullRequest } from '../../ports/forge-port.ts'
import { commitOf } from '../git/git-repository.ts'
import { type Login, runGit } from '../git/process/run-git.ts'
import {
  type FetchResult,
  fetchBranch,
  isAncestor,
  type PushRequest,
  type PushResult,
  pushBranch,
} from '../git/remote/remote.ts'
import type { Access } from './access.ts'
import { titleOf } from './rest.ts'

export interface Work {
  readonly place: Place
  readonly branch: string
  /** Only this commit is pushed; absent: the branch's tip. */
  readonly commit: string | undefined
  readonly login: Login | null
  readonly ms: number
}

type Pushed = Extract<PushResult, { kind: 'pushed' }>
export type Wrong = { readonly wrong: string }

/** With lease on what Neo pushed before. */
export async function pushSession(work: Work, options: readonly string[] = []): Promise<Pushed | Wrong> {
  const { place, branch } = work
  const tip = await commitOf(place.repository, `refs/heads/${branch}`)
  if (tip === null) return { wrong: `there is no branch ${branch} to push` }
  const before = (await commitOf(place.repository, pushedRef(branch))) ?? ''
  const first = await pushAs(work, { expect: before, options })
  const isStale = first.kind === 'rejected' && first.reason === 'stale'
  const result = isStale ? await pushOver(work, { tip, options }) : first
  if ('wrong' in result) return result
  if (result.kind !== 'pushed') return { wrong: result.why }
  await runGit(place.repository, ['update-ref', pushedRef(branch), result.commit])
  return result
}

/** The remote's branch has moved: fine if it is gone, or if the local branch contains it. */
async function pushOver(
  work: Work,
  of: { readonly tip: string; readonly options: readonly string[] },
): Promise<PushResult | Wrong> {
  const { place, branch } = work
  const there = await fetchAs(work)
  if (there.kind === 'missing') return pushAs(work, { expect: '', options: of.options })
  if (there.kind !== 'fetched') return { wrong: there.why }
  if (await isAncestor(place.repository, there.commit, of.tip))
    return pushAs(work, { expect: there.commit, options: of.options })
  return {
    wrong: `somebody pushed to ${branch} at origin; theirs stays: merge origin/${branch} into ${branch} (git merge), then approve again`,
  }
}

function pushAs(work: Work, more: Pick<PushRequest, 'expect' | 'to' | 'options'>): Promise<PushResult> {
  const { place, branch, ms, commit } = work
  const request = { ...more, commit, repository: place.repository, branch, ms }
  return withLogin(work.login, (login) => pushBranch({ ...request, login }))
}

export function fetchAs({ place, branch, login, ms }: Omit<Work, 'commit'>): Promise<FetchResult> {
  return withLogin(login, (lent) => fetchBranch({ repository: place.repository, branch, ms, login: lent }))
}

/** Once more with the token's login, if the user's own git is rejected. */
async function withLogin<Result extends PushResult | FetchResult>(
  login: Login | null,
  act: (login?: Login) => Promise<Result>,
): Promise<Result> {
  const result = await act()
  if (login === null || result.kind !== 'rejected' || result.reason !== 'permission') return result
  return act(login)
}

/** For a pull request that is merged or closed. */
export async function forget(repository: string, branch: string): Promise<void> {
  await runGit(repository, ['update-ref', '-d', pushedRef(branch)], { ok: 'any' })
}

function pushedRef(branch: string): string {
  return `refs/neo/pushed/${branch}`
}

interface Request {
  readonly title: string
  readonly body: string
  readonly work: Work
}

/** Both servers take this much. */
const MOST_DESCRIPTION = 1000

/** Opens one by push; `unnamed`: pushed, but the server did not say which pull request it is. */
export async function openByPush(
  access: Access,
  request: Request,
): Promise<PullRequest | Wrong | { readonly kind: 'unnamed' }> {
  switch (access.kind) {
    case 'github':
      return {
        wrong: `set ${access.tokenName}: ${access.address.host} opens pull requests with a token only`,
      }
    case 'gitlab':
      return named(await gitlabPush(request), /https?:\/\/\S+\/merge_requests\/(\d+)\b/)
    case 'gitea':
      return named(await giteaPush(request), /https?:\/\/\S+\/pulls\/(\d+)\b/)
  }
}

function named(pushed: Pushed | Wrong, pattern: RegExp): PullRequest | Wrong | { readonly kind: 'unnamed' } {
  if ('wrong' in pushed) return pushed
  const [url, number] = pattern.exec(pushed.said) ?? []
  return url === undefined ? { kind: 'unnamed' } : { url, number: Number(number), state: 'open' }
}

function gitlabPush({ title, body, work }: Request): Promise<Pushed | Wrong> {
  return pushSession(work, [
    'merge_request.create',
    `merge_request.target=${work.place.base}`,
    `merge_request.title=${titleOf(title)}`,
    `merge_request.description=${description(body)}`,
  ])
}

/** For review, without a branch at the remote: the topic names the pull request, and pushing again replaces it. */
async function giteaPush({ title, body, work }: Request): Promise<Pushed | Wrong> {
  const pushed = await pushAs(work, {
    expect: null,
    to: `refs/for/${work.place.base}`,
    options: [
      `topic=${topicOf(work.branch)}`,
      `title=${titleOf(title)}`,
      `description=${description(body)}`,
      'force-push=true',
    ],
  })
  return pushed.kind === 'pushed' ? pushed : { wrong: pushed.why }
}

/** The first paragraphs on one line. */
function description(body: string): string {
  const line = withoutCredentials(redact(body)).replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, MOST_DESCRIPTION).replace(/[\uD800-\uDBFF]$/, '')
}
