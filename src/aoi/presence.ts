/**
 * Which agents of other homes are there: seen by their signed requests, and asked at each interval. Invariant 1: only a
 * request that was verified counts. Invariant 2: an interval asks each agent once, and one that doesn't answer less often.
 */
import type { Peer, PeerStatus } from '../domain/peer/peer.ts'
import type { Clock } from '../ports/world.ts'

export interface Presence {
  seen(id: string, status?: 'online' | 'busy'): void
  state(id: string): { readonly status: PeerStatus; readonly lastSeenAt: string | null }
  begin(): void
  close(): void
}

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

export function openPresence({ clock, ...options }: Options): Presence {
  const known = new Map<string, Known>()
  const failures = new Map<string, number>()
  let round = 0
  let stop = () => {}
  let closed = false

  function statusOf(id: string): PeerStatus {
    const last = known.get(id)
    if (last === undefined || clock.now() - last.at > MISSED * options.intervalMs() + 5_000) return 'offline'
    return last.status
  }

  function seen(id: string, status: 'online' | 'busy' = 'online'): void {
    const before = statusOf(id)
    known.set(id, { at: clock.now(), status })
    if (before !== status) options.changed()
  }

  async function beat(): Promise<void> {
    round++
    const due = options.peers().filter(({ id, revoked, endpoint }) => {
      const failed = Math.min(MOST_SKIPPED, failures.get(id) ?? 0)
      return !revoked && endpoint !== undefined && round % (failed + 1) === 0
    })
    await Promise.all(
      due.map(async (peer) => {
        try {
          seen(peer.id, await options.beat(peer))
          failures.delete(peer.id)
        } catch {
          failures.set(peer.id, (failures.get(peer.id) ?? 0) + 1)
        }
      }),
    )
    options.changed()
    if (!closed) stop = clock.after(options.intervalMs(), () => void beat())
  }

  return {
    seen,
    state: (id) => {
      const last = known.get(id)
      return { status: statusOf(id), lastSeenAt: last === undefined ? null : new Date(last.at).toISOString() }
    },
    begin: () => void beat(),
    close() {
      closed = true
      stop()
    },
  }
}
