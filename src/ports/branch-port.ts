/**
 * What git says of a session's branch: whose work it holds, and what in it a person has to review. Only `allowFilter`
 * changes anything.
 */
import type { Place } from '../domain/session/session.ts'

export interface WrittenFile {
  readonly path: string
  /** Empty for a new file. */
  readonly before: Buffer
  readonly bytes: Buffer
}

export interface GitFilter {
  /** Hash of its name and commands. */
  readonly hash: string
  /** `clean = …`, one a line. */
  readonly settings: readonly string[]
  /** Allowed to run over files that models write. */
  readonly isAllowed: boolean
  /** A file of the repository that its commands name; then it can't be allowed. */
  readonly inside: string | null
}

/** A file of a session's worktree that is not in its commit. */
export interface UncommittedFile {
  readonly path: string
  readonly kind: 'file' | 'program' | 'link' | 'other'
  /** Hash of its path, kind and bytes, or its link target. */
  readonly sha256: string
}

export interface BranchReader {
  /** Ignored and other uncommitted files of a session's worktree, by path; null if there are too many. */
  uncommitted(place: Place, worktree: string): Promise<readonly UncommittedFile[] | null>
  /** A git filter that is configured for the repository; null for none. */
  filter(place: Place, name: string): Promise<GitFilter | null>
  /** Lets it run over files that models write; false if it no longer has this hash. */
  allowFilter(place: Place, name: string, hash: string): Promise<boolean>
  /** Whether a filter has decrypted files in a session's worktree that git stores encrypted. */
  holdsDecoded(place: Place, worktree: string): Promise<boolean>
  /** Whether the branch, or a base that is a session's branch, has unmerged work of a model. */
  holdsModelWork(place: Place, branch: string): Promise<boolean>
  /** The hooks folder that git would use for this worktree. */
  hooksDir(place: Place, worktree: string): Promise<string>
  /** Symbolic links that the branch adds or changes, with their targets. */
  changedLinks(
    place: Place,
    branch: string,
  ): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** All symbolic links of the branch's newest commit. */
  links(place: Place, branch: string): Promise<readonly { readonly path: string; readonly target: string }[]>
  /** Files and links that the commits of the branch write, each version once; a link's bytes are its target. */
  writtenFiles(place: Place, branch: string): Promise<AsyncIterable<WrittenFile>>
}
