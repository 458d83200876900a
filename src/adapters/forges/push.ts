/**
 * The push of a session's branch, so that nothing of anybody's is lost at the remote. Invariants: 1. what is replaced at
 * the remote is what we pushed before (`refs/neo/pushed/<branch>`), or an ancestor of what is pushed now; 2. the login
 * is lent only after the user's own git was turned away; 3. the memory of a push goes with its pull request (`forget`),
 * so that it keeps no objects.
 */
import type { Place } from '../../domain/session/session.ts'
import { commitOf } from '../git/git-repository.ts'
import type { Login } from '../git/process/network.ts'
import { runGit } from '../git/process/run-git.ts'
import {
  type FetchResult,
  fetchBranch,
  isAncestor,
  type PushRequest,
  type PushResult,
  pushBranch,
} from '../git/remote/remote.ts'

export interface Work {
  readonly place: Place
  readonly branch: string
  /** Only this commit is pushed; absent: whatever the branch is at. */
  readonly commit?: string
  readonly login: Login | null
  readonly ms: number
}

export type Pushed = Extract<PushResult, { kind: 'pushed' }>
export type Wrong = { readonly wrong: string }

/** Pushes the branch with lease on what we pushed before. */
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

/** The remote's branch is not where we left it: fine if it is gone, or where ours holds all of it. */
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

/** One push; where the user's own git is turned away, once more with the login that the token makes. */
export async function pushAs(
  { place, branch, login, ms, commit }: Work,
  more: Pick<PushRequest, 'expect' | 'to' | 'options'>,
): Promise<PushResult> {
  const only = commit === undefined ? {} : { commit }
  const request = { ...more, ...only, repository: place.repository, branch, ms }
  const result = await pushBranch(request)
  if (login === null || result.kind !== 'rejected' || result.reason !== 'permission') return result
  return pushBranch({ ...request, login })
}

/** One fetch, with the login as in `pushAs`. */
export async function fetchAs({ place, branch, login, ms }: Work): Promise<FetchResult> {
  const request = { repository: place.repository, branch, ms }
  const result = await fetchBranch(request)
  if (login === null || result.kind !== 'rejected' || result.reason !== 'permission') return result
  return fetchBranch({ ...request, login })
}

/** Its pull request is merged or closed: what was pushed need not be remembered. */
export async function forget(repository: string, branch: string): Promise<void> {
  await runGit(repository, ['update-ref', '-d', pushedRef(branch)], { ok: 'any' })
}

function pushedRef(branch: string): string {
  return `refs/neo/pushed/${branch}`
}
