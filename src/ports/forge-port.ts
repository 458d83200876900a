/**
 * The port of forges: pushing a session's branch, opening its pull request, following it. Invariant 1: what a remote or
 * a forge can cause is a value, in one line without secrets, never thrown.
 */
import type { Place } from '../domain/session/session.ts'

export interface PullRequest {
  readonly url: string
  readonly number: number
  readonly state: 'open' | 'merged' | 'closed'
  /** Why it was closed, where somebody said so: the last comment, one line. */
  readonly reason?: string
}

interface SessionBranch {
  readonly place: Place
  readonly branch: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Forges {
  /** Where a push would go (without credentials), and the commit that would; null without a remote or such a branch. */
  target(place: Place, branch: string): Promise<{ readonly remote: string; readonly commit: string } | null>
  /**
   * Pushes the session's branch with lease and opens the pull request, or updates the one that is open.
   * `wrong`: no remote, unknown forge, no token, refused push: one line and what to do.
   */
  open(
    request: SessionBranch & {
      readonly title: string
      readonly body: string
      /** Only this commit is pushed; absent: whatever the branch is at. */
      readonly commit?: string
    },
  ): Promise<PullRequest | { readonly wrong: string }>
  /** State of the pull request of a branch; null where there is none. */
  state(request: SessionBranch): Promise<PullRequest | null | { readonly wrong: string }>
  /** Fetches the base branch and gives the commit of the remote's base; null without a remote. */
  fetchBase(
    place: Place,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<string | null | { readonly wrong: string }>
}
