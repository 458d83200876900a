/**
 * The home's configuration, neo.yaml, after defaults, `${NAME}` and `NEO_` overrides.
 * Leaves to formats/config.ts: reading, checking and naming what is wrong, with line and column.
 * Invariant 1: a value of `secrets` is never printed; `show` prints `***`.
 */

export interface HomeConfig {
  /** IANA name; local times in files are read in it. */
  readonly timezone: string
  /** `rules` where no model is configured. */
  readonly model: string
  readonly daemon: {
    /** Branch on which the daemon may act; null: the one that HEAD is on. */
    readonly branch: string | null
    /** Host that may start work; null: any. */
    readonly node: string | null
    /** null: not set by the user, so 2 s, or 20 s where `.obsidian/` is. */
    readonly settleMs: number | null
    readonly rescanMs: number
    readonly concurrency: number
    readonly diskLimitBytes: number
    readonly workspaces: readonly string[]
  }
  readonly transcripts: 'commit' | 'local'
  readonly log: { readonly level: string }
  /** Every other section as read, after schema check: providers, channels, http, … Behaviour comes with its step. */
  readonly rest: Readonly<Record<string, unknown>>
}
