/**
 * What the parts of the engine share: the home, the World, and the stores of state. Built once by open-engine.ts.
 */
import type { Person } from '../ports/git-port.ts'
import type { World } from '../ports/world.ts'
import type { Agents } from './agents/agents.ts'
import type { Sessions } from './agents/live-sessions.ts'
import type { Turns } from './agents/orchestrator.ts'
import type { Pulls } from './agents/pulls.ts'
import type { UsageLedger } from './agents/usage-ledger.ts'
import type { ActedLog } from './commit/acted-log.ts'
import type { Journal } from './commit/journal.ts'
import type { Outbox } from './people/notice-outbox.ts'
import type { ScopeBoard } from './people/scope-board.ts'
import type { Looker } from './snapshot/look.ts'
import type { Schedules } from './snapshot/schedules.ts'
import type { Node } from './sync/node.ts'

export interface Event {
  /** ISO 8601 UTC. */
  readonly at: string
  /** `adopt`, `start`, `step`, `complete`, `fail`, `review`, `ask`, `problem`, `notice`, `ready`, … */
  readonly kind: string
  readonly text: string
  readonly room?: string
  readonly task?: string
  readonly session?: string
  readonly data?: unknown
}

export interface Trouble {
  readonly why: string
  /** ISO 8601. */
  readonly since: string
  /** Only a person ends it; else Neo tries again. */
  readonly needs?: 'person' | undefined
}

export interface Context {
  /** Absolute path of the home. */
  readonly home: string
  /** `<git dir>/neo`: durable but local state. */
  readonly dir: string
  readonly world: World
  readonly look: Looker
  readonly sessions: Sessions
  readonly agents: Agents
  readonly pulls: Pulls
  readonly turns: Turns
  readonly scopes: ScopeBoard
  readonly schedules: Schedules
  readonly usage: UsageLedger
  readonly acted: ActedLog
  readonly journal: Journal
  readonly outbox: Outbox
  /** What doesn't work in this process now, by part (health.ts); in memory, so that a full disk can be reported. */
  readonly troubles: Map<string, Trouble>
  /** Called when `troubles` has changed. */
  readonly troubled: Set<() => void>
  /** Called with each path that the file watcher reports, at once: rounds see it later. */
  readonly hinted: Set<(path: string) => void>
  /** The user. */
  readonly person: Person & { readonly from: 'git' | 'system' }
  /** Name of this host, as `runner` in session files and for `daemon.node`. */
  readonly host: string
  /** Which clone starts work, if `daemon.node` doesn't say. */
  readonly node: Node
  readonly env: Readonly<Record<string, string | undefined>>
  emit(event: Omit<Event, 'at'>): void
  /** Runs rounds, and calls of clients that write, one after another. Must not be called from within itself. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

/** Author of what Neo writes. */
export const NEO: Person = { name: 'Neo', email: 'neo@localhost' }
