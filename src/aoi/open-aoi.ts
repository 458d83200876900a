/**
 * The agent protocol of a home: what its agent is asked, what it asks, and the server where others reach it. Invariant 1:
 * without `agent.id` in neo.yaml nothing listens and nobody is asked. Invariant 2: a change of neo.yaml or of a file in
 * `workspace/agents/` counts at the next request.
 */
import type { Peer } from '../domain/peer/peer.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { attachPeerWork } from '../engine/agents/peer-work.ts'
import { peersIn } from '../engine/people/peer-files.ts'
import { type Hub, HubError } from '../hub/hub.ts'
import type {
  AnswerView,
  ApprovedAnswer,
  AskedView,
  DelegatedView,
  FoundAgent,
  Inspected,
  PeerControl,
  PeerQuery,
  PeerRequestView,
  PeerTask,
} from '../hub/peer-control.ts'
import { AwaitedAsks } from './desk/awaited-asks.ts'
import { type Desk, openDesk } from './desk/desk.ts'
import { openListener } from './listener.ts'
import { type AoiOptions, openParts, type Parts } from './parts.ts'
import { laterAnswers } from './out/later-answers.ts'
import { peerWork } from './out/peer-work-here.ts'
import { openPresence, type Presence } from './presence.ts'
import { viewRequest } from './desk/request-view.ts'
import type { PeerRequest } from './desk/requests.ts'
import { rpcFor } from './rpc-here.ts'

export interface Aoi extends PeerControl {
  /** After each look of the daemon. */
  saw(snapshot: Snapshot): void
  close(): Promise<void>
}

export function openAoi(options: AoiOptions): Aoi {
  return new HomeAoi(options)
}

class HomeAoi implements Aoi {
  private readonly parts: Parts
  private readonly desk: Desk
  private readonly presence: Presence
  private readonly listener: ReturnType<typeof openListener>
  private readonly asks: AwaitedAsks

  constructor(options: AoiOptions) {
    const { context, wire, changed } = options
    this.parts = openParts(options)
    this.desk = openDesk(this.parts)
    this.presence = presenceOf(this.parts)
    this.asks = new AwaitedAsks(context.world.clock)
    const rpc = rpcFor(this.parts, { desk: this.desk, presence: this.presence })
    const { key } = this.parts
    const seen = (id: string) => this.presence.seen(id)
    this.listener = openListener({ context, wire, core: this.desk.core, key, rpc, seen, changed })
    this.begin()
  }

  private begin(): void {
    const { context, outgoing, news, peer, config, notifications } = this.parts
    attachPeerWork(context.world, peerWork({ outgoing, news, peer, isOn: () => config() !== null }))
    this.listener.saw()
    this.desk.queries.begin()
    notifications.begin()
    this.presence.begin()
  }

  key(): { readonly publicKey: string; readonly created: boolean } {
    return this.parts.key.make()
  }

  publicKey(): string | null {
    return this.parts.key.publicKey()
  }

  listening(): ReturnType<PeerControl['listening']> {
    return this.listener.state()
  }

  state(id: string): ReturnType<PeerControl['state']> {
    return this.presence.state(id)
  }

  requests(most: number): readonly PeerRequestView[] {
    return this.parts.requests.all().toReversed().slice(0, most).map(viewRequest)
  }

  asked(most: number): readonly AskedView[] {
    return this.parts.own.all(most)
  }

  inspect(endpoint: string): Promise<Inspected> {
    return this.parts.outgoing.inspect(endpoint)
  }

  discover(to: Peer): Promise<readonly FoundAgent[]> {
    return this.parts.outgoing.discover(to, false)
  }

  async query(to: Peer, of: PeerQuery): Promise<AnswerView> {
    const { ask, own, changed } = this.parts
    return await ask(own, to, of).finally(changed)
  }

  execute(to: Peer, of: PeerTask): Promise<DelegatedView> {
    return this.parts.outgoing.execute(to, of)
  }

  async revoked(id: string): Promise<void> {
    const { requests, notifications, own, hub, changed } = this.parts
    for (const request of requests.open().filter((one) => one.agentId === id)) {
      if (request.kind === 'query') this.desk.queries.refuse(request, 'this agent is revoked')
      else await cancelTask(hub, request)
    }
    notifications.forget(id)
    own.end(id, 'you have revoked this agent')
    changed()
  }

  approved(answer: ApprovedAnswer): void {
    this.desk.queries.approved(answer)
  }

  saw(snapshot: Snapshot): void {
    this.listener.saw()
    this.desk.tasks.saw(snapshot)
    const waiting = this.parts.requests.open().filter(({ askId }) => askId !== null)
    for (const request of this.asks.over(snapshot, waiting))
      this.desk.queries.refuse(request, 'its owner has refused')
  }

  async close(): Promise<void> {
    this.presence.close()
    this.desk.queries.close()
    this.parts.notifications.close()
    this.parts.news.close()
    await this.listener.close()
  }
}

function presenceOf(parts: Parts): Presence {
  const { context, config, outgoing, changed } = parts
  const catchUp = laterAnswers(parts)
  return openPresence({
    clock: context.world.clock,
    intervalMs: () => config()?.discoveryIntervalMs ?? USUAL_INTERVAL_MS,
    peers: () => (config() === null ? [] : peersIn(context)),
    changed,
    async beat(to) {
      const found = await outgoing.discover(to, true)
      await catchUp(to)
      return found.find(({ id }) => id === to.id)?.status === 'busy' ? 'busy' : 'online'
    },
  })
}

const USUAL_INTERVAL_MS = 60_000

async function cancelTask(hub: Hub, { taskId }: PeerRequest): Promise<void> {
  try {
    await hub.call({ kind: 'human' }, 'task.cancel', { taskId })
  } catch (error) {
    // It has ended, or a person has deleted it.
    if (!(error instanceof HubError)) throw error
  }
}
