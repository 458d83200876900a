/**
 * World: everything outside that the program uses, as interfaces with their promises. adapters/ implements them,
 * compose.ts builds them, and tests wrap them to make the n-th call fail. Paths are absolute unless a name says otherwise.
 * Invariants: 1. what a user can cause (missing file, changed file, conflict) is a value, not an error; 2. what throws is
 * a NeoError that names the path or command.
 */
import type { Files } from './files-port.ts'
import type { Forges } from './forge-port.ts'
import type { Git, Signing } from './git-port.ts'
import type { IndexStores, SentenceModel } from './index-port.ts'
import type { McpClients } from './mcp-port.ts'
import type { Models } from './model-port.ts'
import type { PeerWire } from './peer-port.ts'
import type { Processes } from './process-port.ts'
import type { HomeRemote } from './remote-port.ts'
import type { Sandbox } from './sandbox-port.ts'
import type { Search } from './search-port.ts'
import type { Web } from './web-port.ts'
import type { WorktreeFiles } from './worktree-files-port.ts'

export interface World {
  readonly files: Files
  readonly git: Git
  readonly clock: Clock
  readonly random: Random
  readonly processes: Processes
  readonly watcher: Watcher
  /** Models and what agents need; absent in programs and tests that run no agents. */
  readonly agent?: AgentWorld
  /** The remote of the home, for `daemon.sync`. */
  readonly remote?: HomeRemote
  readonly signing?: Signing
  /** The search index; absent in programs and tests that search by words alone. */
  readonly index?: IndexStores
  /** Other homes' agents; absent in programs and tests without them. */
  readonly peers?: PeerWire
  /** Ranks the first hits of a search; absent in tests. */
  readonly sentences?: SentenceModel
}

export interface AgentWorld {
  readonly models: Models
  readonly sandbox: Sandbox
  readonly tree: WorktreeFiles
  readonly web: Web
  readonly search: Search
  readonly forges: Forges
  /** Absent in programs and tests without MCP servers. */
  readonly mcp?: McpClients
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once after `ms` (any length, also over 24 days); returns what cancels it. */
  after(ms: number, call: () => void): () => void
}

export interface Random {
  /** `<prefix>-` and 6 characters of base 36. */
  id(prefix: 't' | 'r' | 's' | 'a'): string
}

export interface Watcher {
  /**
   * Hints that something changed at or below a path (relative to the home); may miss and repeat. `trouble`: watching
   * doesn't work and rescans replace it; `well`: it works again. Returns what stops it.
   */
  watch(
    home: string,
    on: { hint(path: string): void; trouble(why: string): void; ready(): void; well?(): void },
  ): () => Promise<void>
}
