/**
 * What a method of the hub is, and what methods work with: the open home, its snapshot now, and the parts that were handed
 * in. Invariant 1: a snapshot has what this process has written at once; what people save counts when it has settled.
 */

import type { z } from 'zod'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import type { Act, Principal, Resource } from '../domain/policy/policy-acts.ts'
import { speakersOf } from '../domain/policy/scope-types.ts'
import type { UsageLedger } from '../engine/agents/usage-ledger.ts'
import type { FileChange } from '../engine/commit/journal.ts'
import type { Context } from '../engine/context.ts'
import { isoSecond } from '../files/values/times.ts'
import type { PeerControl } from './peer-control.ts'
import type { NeoControl } from './hub.ts'
import type { Audit } from './rights/audit-log.ts'
import type { Channels } from './subscriptions/channels.ts'

/** For whom a method acts. */
export interface Actor {
  readonly principal: Principal
  /** Name of the person whose approval carries this call; null for a call of the principal's own right. */
  readonly approvedBy: string | null
  /** Changes that go into the first commit of this call; removed by the code that writes it. */
  along: readonly FileChange[]
}

/** What only a tool of the MCP server has to say beyond the method that it calls. */
export interface ToolRow {
  /** `adds`: nothing that was there changes. `changes`: something changes or ends. */
  readonly effect: 'reads' | 'adds' | 'changes'
  /** Under which name a list is returned. */
  readonly list?: string
  /** Default of `limit`: fewer than for programs. */
  readonly limit?: number
  readonly note?: string
  /** Parameters that models do not get. */
  readonly hidden?: readonly string[]
  /** Instead of the name that is made from the method's. */
  readonly name?: string
}

/** What a method gives: nobody changes it. */
export type Shown<T> = T extends readonly (infer I)[]
  ? readonly Shown<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Shown<T[K]> }
    : T

export interface Method<
  N extends string = string,
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly name: N
  /** Imperative, without a period. */
  readonly summary: string
  /** What else a caller has to know, in sentences. Names of methods and fields stand in backticks. */
  readonly details?: string
  /** How models in editors get it; absent: they don't. */
  readonly tool?: ToolRow
  readonly params: P
  readonly result: R
  readonly act: Act
  /** What the call is about. Throws HubError `missing` if it is not there. */
  resource(env: HubEnv, params: z.output<P>, principal: Principal): Promise<Resource>
  /** Runs after policy has said yes. Throws HubError. */
  run(env: HubEnv, params: z.output<P>, actor: Actor): Promise<Shown<z.input<R>>>
}

export interface HubEnv {
  readonly context: Context
  readonly table: ReadonlyMap<string, Method>
  neo: NeoControl | null
  /** Agents of other homes; null in programs without them. Loaded at the first use. */
  peers(): Promise<PeerControl | null>
  readonly usage: Pick<UsageLedger, 'byTask' | 'calls' | 'ofTask' | 'ofSession'>
  readonly audit: Audit
  readonly channels: Channels
  /** Asks that are being carried out. */
  readonly carrying: Set<string>
  /** Approved asks that could not be carried out yet: since when, and when they are tried next (epoch ms). */
  readonly waiting: Map<string, { readonly since: number; readonly next: number }>
  /** `yes` once a daemon tells of its rounds: then it is the one that looks for changes of files. */
  daemon: 'yes' | 'no'
  /**
   * `once`: all that a call reads is of one look. For what only reads, and lives as long as one call.
   * `hinted`: the home was looked at just before; only the paths that a call names are looked at again.
   */
  readonly looks: 'each' | 'once' | 'hinted'
  /** `daemon`: one runs in another process, and what only a daemon can do is left to it. */
  readonly beside: 'daemon' | 'nobody'
  /**
   * Whether allowed looks are recorded. `never`: for commands of the person at the terminal that only read.
   * `if-writable`: for calls of programs without a daemon, which may read on a read-only disk too.
   */
  readonly looksAudited: 'always' | 'if-writable' | 'never'
  /** The picture of that look. */
  looked: Snapshot | null
  /** Tells the daemon that something was written. */
  wake(): void
  /** Waits while others have their turn: rounds, and other calls. */
  aside<T>(wait: () => Promise<T>): Promise<T>
}

/** The home as it is now; `path` is read again. */
export async function look(env: HubEnv, path?: string): Promise<Snapshot> {
  const { look: looker } = env.context
  if (env.looks === 'once' && env.looked !== null) return env.looked
  const mustScan = (env.daemon === 'no' && env.looks !== 'hinted') || looker.branch() === null
  const hints = mustScan ? 'all' : new Set(path === undefined ? [] : [path])
  env.looked = (await looker.look(hints)).snapshot
  return env.looked
}

export function isoNow(env: HubEnv): string {
  return isoSecond(env.context.world.clock.now())
}

/** A row of the table, with its types kept. */
export function method<const N extends string, P extends z.ZodType, R extends z.ZodType>(
  row: Method<N, P, R>,
): Method<N, P, R> {
  return row
}

/** True for a person's own call, and for one that a person approved. */
export function isByPerson({ principal, approvedBy }: Actor): boolean {
  return approvedBy !== null || principal.kind === 'human' || principal.kind === 'member'
}

/** By name: a member by their id, else the owner. */
export function personOf({ context }: HubEnv, { principal }: Actor): string {
  return principal.kind === 'member' ? principal.id : context.person.name
}

/** As `neo.created_by` and messages name the caller. */
export function nameOf(principal: Principal): string {
  switch (principal.kind) {
    case 'human':
    case 'neo':
    case 'editor':
      return principal.kind
    case 'member':
    case 'session':
    case 'peer':
      return `${principal.kind}:${principal.id}`
  }
}

/** As asks and messages name the caller: a room's Neo with the room. */
export function whoOf(principal: Principal): string {
  return principal.kind === 'neo' ? `neo:${principal.room}` : nameOf(principal)
}

/** As the audit log names the caller: Neo with the people and the scope that it answers, which no file in git names. */
export function auditedAs(principal: Principal): string {
  const onBehalfOf = principal.kind === 'neo' ? principal.onBehalfOf : undefined
  const who = whoOf(principal)
  if (onBehalfOf === undefined) return who
  const where = onBehalfOf.scope === null ? '' : ` in ${onBehalfOf.scope}`
  return `${who} for ${speakersOf(onBehalfOf).join(', ')}${where}`
}
