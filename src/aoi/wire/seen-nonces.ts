/**
 * Nonces of requests, so that none counts twice. Invariants: 1. a nonce is remembered while its `created` is accepted;
 * 2. a peer has at most MOST of them: when it has more, the oldest second goes and what is not newer is refused from
 * then on. A peer that asks very much then signs again with the time in the reply, and nothing can be replayed.
 */

/** How far `created` may be off, either way. */
export const WINDOW_S = 300
/** At 10 requests a second they are those of three minutes. */
const MOST = 2048

interface OfPeer {
  readonly bySecond: Map<number, Set<string>>
  count: number
  /** Nothing older is accepted. */
  floor: number
}

export class SeenNonces {
  private readonly peers = new Map<string, OfPeer>()
  private swept = 0

  constructor(private readonly most: number = MOST) {}

  /** `late`: its second is not remembered any more (invariant 2), or out of the window. */
  take(
    peer: string,
    { nonce, created }: { readonly nonce: string; readonly created: number },
    nowS: number,
  ): 'new' | 'seen' | 'late' {
    if (nowS !== this.swept) this.sweep(nowS)
    const of = this.peers.get(peer) ?? { bySecond: new Map<number, Set<string>>(), count: 0, floor: 0 }
    if (created < of.floor || Math.abs(created - nowS) > WINDOW_S) return 'late'
    const second = of.bySecond.get(created) ?? new Set<string>()
    if (second.has(nonce)) return 'seen'
    this.peers.set(peer, of)
    of.bySecond.set(created, second.add(nonce))
    of.count += 1
    if (of.count > this.most) this.dropOldest(of)
    return 'new'
  }

  /** All that are remembered. */
  get size(): number {
    return [...this.peers.values()].reduce((sum, { count }) => sum + count, 0)
  }

  private dropOldest(of: OfPeer): void {
    const oldest = Math.min(...of.bySecond.keys())
    of.floor = oldest + 1
    of.count -= of.bySecond.get(oldest)?.size ?? 0
    of.bySecond.delete(oldest)
  }

  /** Once a second: forgets what would be refused by its age. */
  private sweep(nowS: number): void {
    this.swept = nowS
    for (const [peer, of] of this.peers) {
      for (const [second, nonces] of of.bySecond) {
        if (second >= nowS - WINDOW_S) continue
        of.count -= nonces.size
        of.bySecond.delete(second)
      }
      if (of.count === 0 && of.floor < nowS - WINDOW_S) this.peers.delete(peer)
    }
  }
}
