/**
 * The home's configuration, neo.yaml, after defaults, `${NAME}` and `NEO_` overrides. Invariant 1: a value of
 * `secrets` is never printed; `show` prints `***`.
 */

export interface HomeConfig {
  /** IANA name; local times in files are read in it. */
  readonly timezone: string
  /** `rules` if no model is configured. */
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
  /** By name; `anthropic` is made from ANTHROPIC_API_KEY if it is not given. */
  readonly providers: readonly ProviderConfig[]
  /**
   * USD per million tokens, by model reference; what is not here is looked up in our own dated table, else unknown.
   */
  readonly prices: Readonly<Record<string, Price>>
  /** Command-line agents, by name: `worker: exec:<name>`. */
  readonly workers: Readonly<Record<string, ExecWorker>>
  /** For the whole home, a day in its time zone. */
  readonly budget: { readonly usdPerDay?: number; readonly tokensPerDay?: number }
  /** Folders that confined commands may read beside their own. */
  readonly sandboxRead: readonly string[]
  /** What a confined command may use; what is not set has a default. */
  readonly sandboxLimits: Partial<Limits>
  /** Milliseconds between looks at the remote; null: off. */
  readonly syncMs: number | null
  readonly transcripts: 'commit' | 'local'
  /** `auto`: commits are signed if the person's git settings ask for it; `required`: none is made unsigned. */
  readonly git: { readonly sign: 'auto' | 'never' | 'required' }
  /** How long what has ended is kept. */
  readonly retention: RetentionConfig
  readonly log: { readonly level: string }
  /** Every other section as read, after schema check: providers, channels, http, … Behaviour comes with its step. */
  readonly rest: Readonly<Record<string, unknown>>
}

interface RetentionConfig {
  /** Worktrees and branches of ended attempts: so many a task, none older, no more together. */
  readonly attempts: number
  readonly ageMs: number
  readonly bytes: number
  /** Commits of attempts that were cleared away. */
  readonly refsMs: number
  /** Transcripts, in rooms and local. */
  readonly transcriptsMs: number
  /** Ended tasks of one schedule: so many stay, older ones leave the tree, not history. */
  readonly scheduled: number
  /** Between two rounds of cleaning at rest. */
  readonly everyMs: number
}

/** APIs of model servers; each has a row in `adapters/models/models.ts`. */
export const MODEL_APIS = ['anthropic', 'openai'] as const

export interface ProviderConfig {
  readonly name: string
  readonly api: (typeof MODEL_APIS)[number]
  readonly apiKey?: string
  readonly baseUrl?: string
  readonly maxTokens: number
  readonly tools: 'native' | 'text'
  readonly temperature?: number
  readonly headers: Readonly<Record<string, string>>
  readonly flags: Readonly<Record<string, string | number | boolean>>
}

/** USD per million tokens; a kind that is absent is unknown, except cache kinds, which then cost as `input`. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export interface ExecWorker {
  readonly command: readonly [string, ...string[]]
  readonly prompt: 'stdin' | 'argument' | 'file'
  /** Names of the daemon's environment that it sees. */
  readonly env: readonly string[]
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: 'allow' | 'deny'
}

export interface Limits {
  readonly processes: number
  readonly memory: number
  /** The workspace's folder in the worktree; one file, and the temporary folders, are bounded with it. */
  readonly disk: number
}
