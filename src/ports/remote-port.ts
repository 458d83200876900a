/**
 * The port `HomeRemote`: the remote that clones of one home share, for `daemon.sync`. Nothing is forced; what a remote can
 * cause is a value.
 */

export interface HomeRemote {
  /**
   * Fetches the home's branch and compares. Null: no remote. `new`: the remote lacks the branch. `ahead`: commits that only
   * this clone has; `behind`: commits that only the remote has.
   */
  look(of: { readonly home: string; readonly branch: string; readonly ms?: number }): Promise<
    | null
    | { readonly kind: 'new' }
    | {
        readonly kind: 'known'
        readonly commit: string
        readonly ahead: number
        readonly behind: number
        /** One side lacks commits that both had; null: no, or a person has decided. */
        readonly rewritten: Rewritten | null
        /** The last `keep` was for this commit. */
        readonly isKept: boolean
      }
    | { readonly wrong: string }
  >
  /** Both sides have this commit: the base of a later `look`. */
  keep(of: { readonly home: string; readonly branch: string; readonly commit: string }): Promise<void>
  /** Fast-forwards the checked-out branch with files and index. `waits`: why nothing was changed. */
  forward(of: {
    readonly home: string
    readonly branch: string
    readonly commit: string
  }): Promise<{ readonly kind: 'forwarded' } | { readonly kind: 'waits'; readonly why: string }>
  /** Makes a temporary branch at the remote's commit, for `Git.merge`; returns its name. */
  mark(of: { readonly home: string; readonly branch: string; readonly commit: string }): Promise<string>
  /** Removes that branch, merged or not. */
  unmark(of: { readonly home: string; readonly branch: string }): Promise<void>
  /**
   * If the remote's commits would change no file here: commits a merge of both, so that a push is possible. `moved`: the
   * branch has moved, or a file would change.
   */
  join(of: {
    readonly home: string
    readonly branch: string
    readonly commit: string
    readonly message: string
  }): Promise<{ readonly kind: 'joined' } | { readonly kind: 'moved' }>
  /** Pushes the branch without force. `moved`: somebody else pushed; look again. */
  push(of: {
    readonly home: string
    readonly branch: string
    readonly ms?: number
  }): Promise<
    | { readonly kind: 'pushed'; readonly commit: string }
    | { readonly kind: 'moved' }
    | { readonly wrong: string }
  >
  /** The clone that starts work, according to the remote. Null: no remote. */
  claimed(of: {
    readonly home: string
    readonly ms?: number
  }): Promise<
    | null
    | { readonly kind: 'free' }
    | { readonly kind: 'held'; readonly mark: string; readonly by: ClaimText }
    | { readonly wrong: string }
  >
  /**
   * Makes this clone the one that starts work, if the remote still has the claim `over` (null: none). `noted` gets the new
   * mark before the push. `taken`: another was faster. `refused`: the server rejects such refs.
   */
  claim(of: {
    readonly home: string
    readonly by: ClaimText
    readonly over: string | null
    readonly noted: (mark: string) => void
    readonly ms?: number
  }): Promise<
    | { readonly kind: 'claimed'; readonly mark: string }
    | { readonly kind: 'taken' }
    | { readonly wrong: string; readonly refused: boolean }
  >
  /** Gives up the claim, if it is still this one. */
  release(of: { readonly home: string; readonly mark: string; readonly ms?: number }): Promise<void>
}

/** The clone that holds a claim. */
export interface ClaimText {
  /** Random, unique to the clone. */
  readonly clone: string
  readonly host: string
  /** ISO 8601 UTC. */
  readonly at: string
}

export type Rewritten =
  /** The remote was force-pushed; `kept`: the ref that holds what it had. */
  | { readonly side: 'remote'; readonly dropped: number; readonly kept: string }
  /** The branch here was amended, rebased or reset. */
  | { readonly side: 'here'; readonly dropped: number }
