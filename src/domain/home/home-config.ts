/**
 * The home's configuration, neo.yaml, after defaults, `${NAME}` and `NEO_` overrides. Invariant 1: a value of
 * `secrets` is never printed; `show` prints `***`.
 */
import type { AccessConfig, AgentConfig } from '../peer/peer.ts'

export interface HomeConfig {
  /** IANA name; local times in files are read in it. */
  readonly timezone: string
  /** `rules` if no model is configured. */
  readonly model: string
  readonly daemon: {
    /** Branch on which the daemon may act; null: that of HEAD. */
    readonly branch: string | null
    /** Host that may start work; null: any. */
    readonly node: string | null
    /** null: not set by the user, so 2 s, or 20 s with an `.obsidian/` folder. */
    readonly settleMs: number | null
    readonly rescanMs: number
    readonly concurrency: number
    readonly diskLimitBytes: number
    readonly workspaces: readonly string[]
  }
  /** By name; `anthropic` comes from ANTHROPIC_API_KEY if it isn't set. */
  readonly providers: readonly ProviderConfig[]
  /** USD per million tokens, by model reference; others are in the table of known prices, else unknown. */
  readonly prices: Readonly<Record<string, Price>>
  /** Command-line agents, by name: `worker: exec:<name>`. */
  readonly workers: Readonly<Record<string, ExecWorker>>
  /** For the whole home, per day in its time zone. */
  readonly budget: { readonly usdPerDay?: number; readonly tokensPerDay?: number }
  /** Folders that confined commands may read besides their own. */
  readonly sandboxRead: readonly string[]
  /** Limits of confined commands; those that aren't set have defaults. */
  readonly sandboxLimits: Partial<Limits>
  /** Milliseconds between checks of the remote; null: off. */
  readonly syncMs: number | null
  readonly transcripts: 'commit' | 'local'
  /** `auto`: commits are signed if the user's git settings say so; `required`: no commit is unsigned. */
  readonly git: { readonly sign: 'auto' | 'never' | 'required' }
  /** How long ended work is kept. */
  readonly retention: RetentionConfig
  readonly log: { readonly level: string }
  /** Null: the agent protocol is off. */
  readonly agent: AgentConfig | null
  readonly access: AccessConfig
  /** All other sections as read and checked: channels, http, … */
  readonly rest: Readonly<Record<string, unknown>>
}

interface RetentionConfig {
  /** Worktrees and branches of ended attempts: per task, by age, and in total. */
  readonly attempts: number
  readonly ageMs: number
  readonly bytes: number
  /** Commits of attempts that were removed. */
  readonly refsMs: number
  /** Transcripts, in rooms and local. */
  readonly transcriptsMs: number
  /** Ended tasks to keep per schedule; older ones remain in the git history. */
  readonly scheduled: number
  /** Time between two rounds of cleaning. */
  readonly everyMs: number
}

/** APIs of model servers, each with a row in `adapters/models/models.ts`. */
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

/** USD per million tokens. An absent kind is unknown, except for cache kinds, which then cost the same as `input`. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

export interface ExecWorker {
  readonly command: readonly [string, ...string[]]
  readonly prompt: 'stdin' | 'argument' | 'file'
  /** Names of environment variables of the daemon that it gets. */
  readonly env: readonly string[]
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: 'allow' | 'deny'
}

export type Permission = 'allow' | 'ask' | 'deny'

/** An entry of `mcp_servers:`, a server of tools, as in the file: `${NAME}` is filled in at use only. */
export type McpServerConfig =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** In the sandbox, if it does a task by itself; absent: the worktree, and the network as the room permits. */
      readonly read?: readonly string[]
      readonly write?: readonly string[]
      readonly network?: 'allow' | 'deny'
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export interface Limits {
  readonly processes: number
  readonly memory: number
  /** Limit of the folder of the workspace, also of one file and of the temporary folders. */
  readonly disk: number
}
