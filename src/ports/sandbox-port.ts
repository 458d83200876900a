import type { Limits } from '../domain/home/home-config.ts'

export interface Confinement {
  /** Writable folders, absolute or `~/x`; the first is the workspace's, with a disk limit. */
  readonly write: readonly string[]
  /** Further readable folders and files, absolute or `~/x`. */
  readonly read: readonly string[]
  /** Paths below `write` that can't be read or changed; links and missing paths are skipped. */
  readonly hide?: readonly string[]
  /**
   * The worktree of the first folder in `write`; if that is a subfolder, the rest is hidden. `repository`: readable for
   * git; null: no git. `never`: a git folder that is always hidden.
   */
  readonly worktree?: {
    readonly top: string
    readonly repository: string | null
    readonly never?: string
  }
  /** Resource limits, each with a default. Absent: no limits. */
  readonly limits?: Partial<Limits>
  readonly network: 'allow' | 'deny'
  readonly cwd: string
  /** The program whose folders are readable, absolute or on PATH; default: the one that is started. */
  readonly program?: string
  /** The whole environment of the command, without keys. */
  readonly env: Readonly<Record<string, string>>
}

export interface Sandbox {
  /** The sandbox's name as in session files (`bubblewrap`), or why there isn't one and what to install. */
  available(): Promise<
    | {
        readonly kind: string
        /** Limits that work here, and those that don't, for people. */
        readonly holds?: readonly string[]
        readonly lacks?: readonly string[]
      }
    | { readonly wrong: string; readonly next: string }
  >
  /**
   * The command line that runs `argv` confined, if `available` has a kind. Start it with `confinement.env` as its whole
   * environment: secret values must not be on a command line, which other users can read.
   */
  wrap(argv: readonly [string, ...string[]], confinement: Confinement): readonly [string, ...string[]]
}
