/**
 * Which agents of other homes are there: seen by their signed requests, and asked at each interval. Invariant 1: only a
 * request that was verified counts. Invariant 2: an interval asks each agent once, and one that doesn't answer less often.
 * Invariant 3: a new agent, and one with a new address or key, is asked at once.
 */
import type { Peer, PeerStatus } from '../domain/peer/peer.ts'
import type { Clock } from '../ports/world.ts'

interface Options {
  readonly clock: Clock
  intervalMs(): number
  peers(): readonly Peer[]
  /** The status that the peer says of itself. Rejects if it can't be reached. */
  beat(peer: Peer): Promise<'online' | 'busy'>
  /** Told when a status has changed. */
  changed(): void
}

/** Missed heartbeats after which an agent is offline. */
const MISSED = 3
/** Heartbeats that are left out after a failure, at most. */
const MOST_SKIPPED = 9

interface Known {
  readonly at: number
  readonly status: 'online' | 'busy'
}

export class Presence {
  private readonly known = new Map<string, Known>()
  private readonly failures = new Map<string, number>()
  /** Where each was asked last. */
  private readonly asked = new Map<string, string>()
  private round = 0
  private stop = () => {}
  private closed = false

  constructor(private readonly options: Options) {}

  seen(id: string, status: 'online' | 'busy' = 'online'): void {
    const before = this.state(id).status
    this.known.set(id, { at: this.options.clock.now(), status })
    if (before !== status) this.options.changed()
  }

  state(id: string): { readonly status: PeerStatus; readonly lastSeenAt: string | null } {
    const { clock, intervalMs } = this.options
    const last = this.known.get(id)
    if (last === undefined) return { status: 'offline', lastSeenAt: null }
    const isOver = clock.now() - last.at > MISSED * intervalMs() + 5_000
    return { status: isOver ? 'offline' : last.status, lastSeenAt: new Date(last.at).toISOString() }
  }

  begin(): void {
    void this.beat()
  }

  /** Agents may be new. */
  saw(): void {
    void this.ask((peer) => this.asked.get(peer.id) !== placeOf(peer))
  }

  close(): void {
    this.closed = true
    this.stop()
  }

  private async beat(): Promise<void> {
    this.round++
    await this.ask(({ id }) => {
      const failed = Math.min(MOST_SKIPPED, this.failures.get(id) ?? 0)
      return this.round % (failed + 1) === 0
    })
    // Those that were not heard of may be offline by now.
    this.options.changed()
    if (!this.closed) this.stop = this.options.clock.after(this.options.intervalMs(), () => this.begin())
  }

  private async ask(due: (peer: Peer) => boolean): Promise<void> {
    const wanted = this.options.peers().filter((peer) => isReachable(peer) && due(peer))
    if (this.closed || wanted.length === 0) return
    await Promise.all(wanted.map((peer) => this.askOne(peer)))
    this.options.changed()
  }

  private async askOne(peer: Peer): Promise<void> {
    const { id } = peer
    this.asked.set(id, placeOf(peer))
    try {
      this.seen(id, await this.options.beat(peer))
      this.failures.delete(id)
    } catch {
      this.failures.set(id, (this.failures.get(id) ?? 0) + 1)
    }
  }
}

function isReachable({ revoked, endpoint }: Peer): boolean {
  return !revoked && endpoint !== undefined
}

function placeOf({ endpoint, publicKey, certificate }: Peer): string {
  return JSON.stringify([endpoint, publicKey, certificate])
}
