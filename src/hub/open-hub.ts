/**
 * Opens the hub over an open home. Invariant 1: it writes through the same Context as the path, so that its writes are
 * known there and are not news. Invariant 2: no answer and no event holds a known secret, wherever in the files it is,
 * and no model writes one.
 */
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { maskSureIn } from '../domain/secrets/known-secrets.ts'
import type { UsageLedger } from '../engine/agents/usage-ledger.ts'
import type { Context } from '../engine/context.ts'
import { dispatch } from './dispatch.ts'
import type { HubEnv, Method } from './env.ts'
import type { Hub, NeoControl } from './hub.ts'
import { openAudit } from './rights/audit-log.ts'
import { carryOut } from './rights/carry-out.ts'
import { openChannels } from './subscriptions/channels.ts'
import { openStates } from './subscriptions/states.ts'

export interface HubOptions {
  readonly context: Context
  /** All methods, or at least those that this hub is asked for. */
  readonly table: ReadonlyMap<string, Method>
  /** Without one, nobody listens in rooms. */
  readonly neo?: NeoControl
  /** Agents of other homes; absent: none. */
  readonly peers?: HubEnv['peers']
  /** Absent: the Context's own. */
  readonly usage?: Pick<UsageLedger, 'byTask' | 'calls' | 'ofTask' | 'ofSession'>
  /** Called after each write, so that the daemon looks at once. */
  readonly wake?: () => void
  /** How a call that waits for the daemon lets it have its turn; absent where calls do not hold it up. */
  readonly aside?: <T>(wait: () => Promise<T>) => Promise<T>
  /** Absent: `each`. */
  readonly looks?: HubEnv['looks']
  /** Absent: `always`. */
  readonly looksAudited?: HubEnv['looksAudited']
  /** Absent: `nobody`. */
  readonly beside?: HubEnv['beside']
}

export interface OpenedHub extends Hub {
  /** To be called by the daemon after each round: state channels tell what has changed. */
  changed(snapshot: Snapshot): void
  /** To be called by the daemon after each round: carries out what people have approved. Gives how many asks. */
  carryOut(snapshot: Snapshot): Promise<number>
  /** Tells those who listen to `room:<id>:neo`, `session:<id>:state`, `session:<id>:transcript`, … */
  emit(channel: string, data: unknown): void
  /** Neo needs the hub, so it comes later. */
  attach(neo: NeoControl): void
  close(): void
}

export function openHub(options: HubOptions): OpenedHub {
  const { context } = options
  const { files, clock, git } = context.world
  const env: HubEnv = {
    context,
    table: options.table,
    neo: options.neo ?? null,
    peers: options.peers ?? (async () => null),
    usage: options.usage ?? context.usage,
    audit: openAudit({ files, clock, dir: context.dir, blobId: (bytes) => git.blobId(bytes) }),
    channels: openChannels(() => clock.now()),
    carrying: new Set(),
    waiting: new Map(),
    daemon: 'no',
    looks: options.looks ?? 'each',
    beside: options.beside ?? 'nobody',
    looksAudited: options.looksAudited ?? 'always',
    looked: null,
    wake: options.wake ?? (() => {}),
    aside: options.aside ?? ((wait) => wait()),
  }
  const states = openStates(env)
  return {
    async call(principal, method, params) {
      const isPerson = principal.kind === 'human' || principal.kind === 'member'
      const given = isPerson ? params : maskSureIn(params)
      return maskSureIn(await dispatch(env, { principal, method, params: given }))
    },
    subscribe: (principal, of, on) =>
      states.subscribe(principal, of, (event) => on({ ...event, data: maskSureIn(event.data) })),
    changed(snapshot) {
      env.daemon = 'yes'
      states.changed(snapshot)
    },
    carryOut: (snapshot) => carryApproved(env, snapshot),
    emit: (channel, data) => states.emit(channel, data),
    attach(neo) {
      env.neo = neo
    },
    close() {
      states.close()
      env.channels.close()
    },
  }
}

async function carryApproved(env: HubEnv, snapshot: Snapshot): Promise<number> {
  let done = 0
  // Away from the home's branch nothing can be written: a yes waits.
  if (snapshot.git.kind !== 'home') return 0
  for (const file of snapshot.asks.values()) {
    const carried = await carryOut(env, file)
    if (carried.kind !== 'nothing') done++
    if (carried.kind === 'refused')
      env.context.emit({ kind: 'ask', text: `${file.ask.id}: ${carried.why}`, room: file.room })
  }
  return done
}
