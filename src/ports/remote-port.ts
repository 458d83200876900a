/**
 * The port `HomeRemote`: the remote that clones of one home share, for `daemon.sync`.
 * Invariant 1: nothing is forced; what a remote can cause is a value.
 */

/** The remote of a home, for `daemon.sync`. Never forces; what a remote can cause is a value. */
export interface HomeRemote {
  /**
   * Fetches the home's branch and compares. Null: there is no remote. `new`: the remote has no such branch yet.
   * `ahead`: commits that only we have; `behind`: commits that only the remote has.
   */
  look(of: { readonly home: string; readonly branch: string; readonly ms?: number }): Promise<
    | null
    | { readonly kind: 'new' }
    | {
        readonly kind: 'known'
        readonly commit: string
        readonly ahead: number
        readonly behind: number
        /** One side lacks commits that both had; null: none does, or a person has decided. */
        readonly rewritten: Rewritten | null
        /** `keep` was told of this commit last. */
        readonly isKept: boolean
      }
    | { readonly wrong: string }
  >
  /** Both sides have this commit: what a later `look` compares with. */
  keep(of: { readonly home: string; readonly branch: string; readonly commit: string }): Promise<void>
  /** Fast-forwards the checked-out branch, files and index with it. `waits`: nothing was changed, and why. */
  forward(of: {
    readonly home: string
    readonly branch: string
    readonly commit: string
  }): Promise<{ readonly kind: 'forwarded' } | { readonly kind: 'waits'; readonly why: string }>
  /** Puts a branch of ours at the remote's commit, to be merged by `Git.merge` and deleted after; gives its name. */
  mark(of: { readonly home: string; readonly branch: string; readonly commit: string }): Promise<string>
  /** Takes that branch away again, merged or not. */
  unmark(of: { readonly home: string; readonly branch: string }): Promise<void>
  /**
   * Where the remote's commits would change nothing here: one commit with both as parents, so that a push is possible.
   * No file and no index entry changes. `moved`: the branch is another by now, or they would change something.
   */
  join(of: {
    readonly home: string
    readonly branch: string
    readonly commit: string
    readonly message: string
  }): Promise<{ readonly kind: 'joined' } | { readonly kind: 'moved' }>
  /** Pushes the branch without force. `moved`: somebody pushed meanwhile; look again. */
  push(of: {
    readonly home: string
    readonly branch: string
    readonly ms?: number
  }): Promise<
    | { readonly kind: 'pushed'; readonly commit: string }
    | { readonly kind: 'moved' }
    | { readonly wrong: string }
  >
  /** Which clone of the home starts work, as the remote says. Null: there is no remote. */
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
   * Makes this clone the one that starts work, where the remote still has the claim `over` (null: none). `noted` is told
   * the new mark before it is pushed. `taken`: another was quicker. `refused`: the server takes no such ref.
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
    | { readonly wrong: string; readonly refused: 'yes' | 'no' }
  >
  /** Gives the claim up, where it is still this one. */
  release(of: { readonly home: string; readonly mark: string; readonly ms?: number }): Promise<void>
}

/** What a claim says of the clone that holds it. */
export interface ClaimText {
  /** Of this clone alone; random. */
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
