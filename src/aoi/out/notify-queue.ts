/**
 * Notifications to agents of other homes, and tasks there that are cancelled: saved, then sent until the other home has taken
 * them. Invariant 1: they survive restarts of both homes. Invariant 2: one agent that can't be reached holds up no other.
 * Invariant 3: after LONGEST_MS they are dropped: the agent can ask again.
 */
import { join } from 'node:path'
import type { Peer } from '../../domain/peer/peer.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import type { Clock } from '../../ports/world.ts'
import { openQueue, type Queue } from '../../store/durable-queue.ts'
import type { KeyedLog } from '../../store/keyed-log.ts'

export interface Notification {
  readonly agentId: string
  readonly event: string
  readonly relatedQueryId: string
  readonly data: Readonly<Record<string, unknown>>
  /** Epoch ms. */
  readonly at: number
}

interface Options {
  readonly files: ConstructorParameters<typeof KeyedLog>[0] & Parameters<typeof openQueue>[0]
  readonly clock: Clock
  /** `<git dir>/neo` */
  readonly dir: string
  peer(id: string): Peer | null
  /** True when the other home has taken it. */
  send(peer: Peer, notification: Notification): Promise<boolean>
}

/** The event of an item that cancels a task there. */
export const CANCEL = 'cancel'

const WAITS = { first: 1_000, most: 5 * 60_000 }
const MOST_WAITING = 200
const LONGEST_MS = 7 * 24 * 3_600_000

export class Notifications {
  private readonly queue: Queue<Notification>
  /** Agents that are being sent to, or waited for; what ends the wait. */
  private readonly busy = new Map<string, () => void>()
  private closed = false

  constructor(private readonly options: Options) {
    this.queue = openQueue(options.files, join(options.dir, 'agent', 'notifications.jsonl'))
  }

  put(notification: Notification): void {
    const { agentId, event, relatedQueryId, data, at } = notification
    const own = this.queue.waiting().filter(({ item }) => item.agentId === agentId && item.event !== CANCEL)
    // An agent that takes none gets the newest.
    if (own.length >= MOST_WAITING) this.queue.done(own[0]?.key ?? '')
    this.queue.put(`${agentId}:${data['query_id'] ?? relatedQueryId}:${event}:${at}`, notification)
    this.drain(agentId)
  }

  forget(agentId: string): void {
    this.queue.forget((item) => item.agentId === agentId)
  }

  /** Sends what waits; called at the start. */
  begin(): void {
    for (const agentId of new Set(this.queue.waiting().map(({ item }) => item.agentId))) this.drain(agentId)
  }

  close(): void {
    this.closed = true
    for (const stop of this.busy.values()) stop()
  }

  private drain(agentId: string, tries = 1): void {
    if (this.closed || this.busy.has(agentId)) return
    this.busy.set(agentId, () => {})
    // A full disk, for one: it is sent again, and counts once by its id.
    const sent = this.sendAll(agentId).catch(() => false)
    void sent.then((reached) => {
      this.busy.delete(agentId)
      const isEmpty = !this.queue.waiting().some(({ item }) => item.agentId === agentId)
      if (this.closed || isEmpty) return
      if (reached) this.drain(agentId)
      else this.later(agentId, tries)
    })
  }

  private later(agentId: string, tries: number): void {
    const stop = this.options.clock.after(grownWait(WAITS, tries), () => {
      this.busy.delete(agentId)
      this.drain(agentId, tries + 1)
    })
    this.busy.set(agentId, stop)
  }

  /** False at the first that was not taken. */
  private async sendAll(agentId: string): Promise<boolean> {
    const { clock, peer, send } = this.options
    for (const { key, item } of this.queue.waiting().filter((one) => one.item.agentId === agentId)) {
      const to = peer(agentId)
      const isOver = clock.now() - item.at > LONGEST_MS
      const wanted = !isOver && to?.endpoint !== undefined
      if (wanted && !(await send(to, item).catch(() => false))) return false
      this.queue.done(key)
    }
    return true
  }
}
