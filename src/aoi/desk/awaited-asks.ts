/** Approval requests for answers to other agents: which of them nobody will approve any more. */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Clock } from '../../ports/world.ts'
import type { PeerRequest } from './requests.ts'

/** A file that is being edited, or that is not in this picture of the home yet, may be missing for a moment. */
const MISSING_MS = 60_000

export class AwaitedAsks {
  /** When its file was first missed, by request, epoch ms. */
  private readonly missed = new Map<string, number>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Those of `waiting` that were denied or have expired, and those whose approval request was deleted. */
  over(snapshot: Pick<Snapshot, 'asks' | 'git'>, waiting: readonly PeerRequest[]): readonly PeerRequest[] {
    if (waiting.length === 0 || snapshot.git.kind !== 'home') return []
    const asks = new Map([...snapshot.asks.values()].map(({ ask }) => [ask.id, ask]))
    return waiting.filter(({ id, askId }) => {
      const ask = asks.get(askId ?? '')
      // An approved one ends by its answer, unless that was not carried out.
      if (ask === undefined || (ask.handledAt !== undefined && ask.decision === 'approved'))
        return this.isLong(id)
      this.missed.delete(id)
      return ask.handledAt !== undefined
    })
  }

  private isLong(id: string): boolean {
    const now = this.clock.now()
    const since = this.missed.get(id) ?? now
    this.missed.set(id, since)
    if (now - since < MISSING_MS) return false
    this.missed.delete(id)
    return true
  }
}
