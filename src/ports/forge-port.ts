/**
 * The port of forges: pushes a session's branch, opens its pull request and follows it. What a remote or forge can cause
 * is a value in one line, without secrets.
 */
import type { Place } from '../domain/session/session.ts'

export interface PullRequest {
  readonly url: string
  readonly number: number
  readonly state: 'open' | 'merged' | 'closed'
  /** Why it was closed: the last comment, one line. */
  readonly reason?: string
}

interface SessionBranch {
  readonly place: Place
  readonly branch: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Forges {
  /** The remote of a push (without credentials) and its commit; null without a remote or branch. */
  target(place: Place, branch: string): Promise<{ readonly remote: string; readonly commit: string } | null>
  /**
   * Pushes the session's branch with lease and opens the pull request, or updates the one that is open.
   * `wrong`: no remote, unknown forge, no token, refused push; with what to do.
   */
  open(
    request: SessionBranch & {
      readonly title: string
      readonly body: string
      /** Only this commit is pushed; absent: the branch's tip. */
      readonly commit?: string
    },
  ): Promise<PullRequest | { readonly wrong: string }>
  /** Null without a pull request. */
  state(request: SessionBranch): Promise<PullRequest | null | { readonly wrong: string }>
  /** Fetches the base branch and returns the remote's commit; null without a remote. */
  fetchBase(
    place: Place,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<string | null | { readonly wrong: string }>
}
