/**
 * When the home is synced with its remote (`daemon.sync`), and what is reported. Never beside a round, while an intent
 * waits, or while the home is away from its branch.
 */
import { counted } from '../../domain/text/counted.ts'
import type { HomeRemote } from '../../ports/remote-port.ts'
import type { Context } from '../context.ts'
import type { Health } from '../health.ts'
import type { RoundResult } from '../round.ts'
import { type Synced, syncOnce } from './sync.ts'

export interface SyncKeeper {
  /** Syncs if it is due. True if commits came, or work starts here now: then everything is looked at. */
  after(round: RoundResult): Promise<boolean>
  /** Epoch ms of the next sync; null if sync is off. */
  next(): number | null
  /** At the end: pushes, and lets another clone start work at once, unless sessions continue here. */
  end(): Promise<void>
}

/** A hanging remote blocks rounds no longer than this. */
const LIMIT_MS = 20_000
const LAST_MS = 3_000
/** A single wait mostly resolves itself. */
const MANY_WAITS = 3

export function openSyncKeeper(context: Context, health: Health): SyncKeeper {
  return new RemoteKeeper(context, health)
}

class RemoteKeeper implements SyncKeeper {
  private readonly context: Context
  private readonly health: Health
  private last = Number.NEGATIVE_INFINITY
  /** In a row. */
  private waits = 0

  constructor(context: Context, health: Health) {
    this.context = context
    this.health = health
  }

  next(): number | null {
    const { look, world } = this.context
    const { syncMs } = look.config()
    return syncMs === null || world.remote === undefined ? null : this.last + syncMs
  }

  async after({ snapshot: { git }, waiting }: RoundResult): Promise<boolean> {
    const { clock, remote } = this.context.world
    const at = this.next()
    if (at === null || clock.now() < at || waiting > 0 || git.kind !== 'home') return false
    this.last = clock.now()
    if (remote === undefined) return false
    const synced = await this.sync(remote, git.branch)
    this.report(synced)
    const starts = await this.askNode(remote, synced)
    if (synced.kind !== 'even' || synced.brought === 0) return starts
    this.context.emit({ kind: 'sync', text: `pulled ${counted(synced.brought, 'commit')} from the remote` })
    return true
  }

  async end(): Promise<void> {
    const { world, look, node, sessions, home } = this.context
    const branch = look.branch()
    const { syncMs, daemon } = look.config()
    const isOurs = syncMs !== null && daemon.node === null && node.elsewhere(syncMs) === null
    const going = [...sessions.facts().values()].some(({ state }) => state !== 'ended')
    if (world.remote === undefined || branch === null || !isOurs || going) return
    const synced = await this.sync(world.remote, branch, LAST_MS)
    if (synced.kind === 'even') await node.release(home, world.remote)
  }

  private sync(remote: HomeRemote, branch: string, ms = LIMIT_MS): Promise<Synced> {
    const { home, world, exclusive: line } = this.context
    return line(() => syncOnce({ home, branch, git: world.git, remote, ms }))
  }

  private report(synced: Synced): void {
    const { context, health } = this
    this.waits = synced.kind === 'waits' ? this.waits + 1 : 0
    const isWell = synced.kind === 'alone' || synced.kind === 'even'
    if (isWell || (synced.kind === 'waits' && this.waits < MANY_WAITS)) {
      health.well('sync')
      return
    }
    if (context.troubles.get('sync')?.why !== synced.why) context.emit({ kind: 'trouble', text: synced.why })
    health.trouble('sync', synced.why)
  }

  /** True if work starts here now, and did not before. */
  private async askNode(remote: HomeRemote, synced: Synced): Promise<boolean> {
    const { look, node, home, emit } = this.context
    const { syncMs, daemon } = look.config()
    if (syncMs === null || daemon.node !== null) return false
    const before = node.elsewhere(syncMs)
    const wrong = await node.ask({ home, remote, syncMs, inStep: synced.kind === 'even', ms: LIMIT_MS })
    if (wrong === null) this.health.well('node')
    else this.health.trouble('node', wrong)
    const now = node.elsewhere(syncMs)
    const text = now === null ? 'work starts on this host' : `work starts on ${now} only`
    if (now !== before) emit({ kind: 'sync', text })
    return now === null && before !== null
  }
}
