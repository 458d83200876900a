/** What a path below a folder resolves to, with links followed one by one; `path` is relative, `''` for the folder. */
export type ResolvedPath =
  | { readonly kind: 'file' | 'folder' | 'missing' | 'other'; readonly path: string }
  /** It leads out, is a loop, …; `why` completes `"x" …`. */
  | { readonly kind: 'refused'; readonly why: string }

/** Why a real path (relative to the root) must not be touched; null if it may be. */
export type Admit = (real: string) => string | null

/**
 * Files of a session's worktree, in which an agent's commands may replace folders with links at any moment. Nothing is
 * ever read or written outside `root`. `path` is relative to `root`; `..` is the parent of a link's target, as the system
 * resolves it.
 */
export interface WorktreeFiles {
  look(root: string, path: string): ResolvedPath
  /** `admit` gets the real path, with the file's folder held open. */
  read(
    root: string,
    path: string,
    options: { readonly maxBytes: number; readonly admit: Admit },
  ):
    | { readonly kind: 'file'; readonly path: string; readonly bytes: Buffer }
    | { readonly kind: 'folder' | 'missing' | 'other'; readonly path: string }
    | { readonly kind: 'refused'; readonly why: string }
  /**
   * Replaces the whole file or nothing; makes parent folders; keeps the mode of an existing file. `change` returns the
   * new bytes for the old ones (null: no file), or why not. A file that changed in the meantime is refused.
   */
  write(
    root: string,
    path: string,
    options: {
      readonly maxBytes: number
      readonly admit: Admit
      readonly change: (old: Buffer | null) => Buffer | { readonly refused: string }
    },
  ):
    | { readonly kind: 'written'; readonly path: string; readonly before: 'file' | 'missing' }
    | { readonly kind: 'refused'; readonly why: string }
}
