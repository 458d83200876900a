/**
 * What git says of a session's branch beside ports.ts: whose work it holds, and what in it a person has to look at.
 * Same promises as there. Nothing here changes anything but `allowFilter`.
 */
import type { Place } from '../domain/session/session.ts'

export interface WrittenFile {
  readonly path: string
  /** Empty for a new file. */
  readonly before: Buffer
  readonly bytes: Buffer
}

export interface GitFilter {
  /** Of its name and commands. */
  readonly hash: string
  /** `clean = …`, one a line. */
  readonly settings: readonly string[]
  /** Over what models write, too. */
  readonly isAllowed: boolean
  /** A file of the repository that its commands name: it can't be allowed. */
  readonly inside: string | null
}

/** A file of a session's worktree that its commit does not hold. */
export interface UncommittedFile {
  readonly path: string
  readonly kind: 'file' | 'program' | 'link' | 'other'
  /** Of its path, kind and bytes, or of where the link leads. */
  readonly sha256: string
}

export interface BranchReader {
  /**
   * What a session's worktree holds beside its newest commit: what git ignores and what was left out, by path. Null
   * where that can't be said: too many files.
   */
  uncommitted(place: Place, worktree: string): Promise<readonly UncommittedFile[] | null>
  /** A git filter that is configured for the repository; null for none. */
  filter(place: Place, name: string): Promise<GitFilter | null>
  /** Lets it run over what models write, if it still is what `hash` says. False where it is not. */
  allowFilter(place: Place, name: string, hash: string): Promise<boolean>
  /** Whether a session's worktree holds files in plain text that git stores encrypted, by a filter that runs here. */
  holdsDecoded(place: Place, worktree: string): Promise<boolean>
  /** Whether the branch, or the base where it is a session's own, holds work of a model that nobody has merged. */
  holdsModelWork(place: Place, branch: string): Promise<boolean>
  /** Folder of the repository's hooks as git would find it for this worktree. */
  hooksDir(place: Place, worktree: string): Promise<string>
  /** Symbolic links that the branch adds or changes, with what they point to. */
  changedLinks(
    place: Place,
    branch: string,
  ): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** All symbolic links of the branch's newest commit. */
  links(place: Place, branch: string): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** Files and links that the commits of the branch write, each version once; their targets are the links' bytes. */
  writtenFiles(place: Place, branch: string): Promise<AsyncIterable<WrittenFile>>
}
